// The map without its page: takes messages, draws two canvases, posts answers. It runs in a worker where it can.

import { Camera } from "./camera.js";
import { CanvasPoints } from "./canvas.js";
import { buildGrid, nearestRow, rowsInside } from "./grid.js";
import { Marks } from "./marks.js";
import { makeTable, makeTints } from "./tints.js";
import { WebglPoints } from "./webgl.js";

const HOVER_PIXELS = 12;
// From here on, fine pixels of a screen are not distinguished, and points are single pixels while the map moves.
const CROWD = 1500;
const MANY = 400_000;
const STILL_MS = 160;

export class Scene {
  constructor(post) {
    this.post = post;
    this.camera = new Camera();
    this.grid = null;
    this.labels = null;
    this.palette = { colours: [], names: [], hidden: [], none: 0x999999 };
    this.table = makeTable(this.palette);
    this.theme = { background: "#ffffff", ink: "#000000", accent: "#0072b2", light: "#ffd400", wash: "#0072b222" };
    this.ratio = 1;
    this.given = [];
    this.lit = [];
    this.selected = null;
    this.hand = { row: -1, paths: [], isVeiled: false };
    this.hovered = -1;
    this.shape = [];
    this.settled = -1;
    this.size = null;
    this.isMoving = false;
    this.scheduled = false;
    this.pointsAreOld = true;
    this.tintsAreOld = true;
  }

  /** Do what a message asks for; its kind is the name of a method below. */
  take(message) {
    this[`on_${message.kind}`](message);
    this.schedule();
  }

  on_start({ points, marks, backend }) {
    this.points =
      (backend === "canvas" ? null : WebglPoints.create(points, backend === "webgl")) ??
      CanvasPoints.create(points);
    this.marks = new Marks(marks);
    this.post({ kind: "started", backend: this.points.name });
  }

  on_size({ width, height, ratio }) {
    this.size = { width, height, ratio };
    this.resize();
  }

  resize() {
    const { width, height, ratio } = this.size;
    this.ratio = this.hasMany ? 1 : ratio;
    const pixels = [Math.round(width * this.ratio), Math.round(height * this.ratio)];
    this.camera.resize(...pixels);
    this.points.resize(...pixels);
    this.marks.resize(...pixels);
    this.pointsAreOld = true;
  }

  on_theme({ theme, background }) {
    this.theme = theme;
    this.background = background;
    this.pointsAreOld = true;
  }

  on_positions({ positions }) {
    this.grid = buildGrid(positions);
    this.points.setGrid(this.grid);
    this.tintsAreOld = true;
    if (this.size) this.resize();
  }

  on_labels({ classes, confidence, given, settled }) {
    this.labels = { classes, confidence };
    this.given = given;
    this.settled = settled;
    this.tintsAreOld = true;
  }

  on_palette({ palette }) {
    this.palette = palette;
    this.table = makeTable(palette);
    this.tintsAreOld = true;
  }

  on_pan({ dx, dy }) {
    this.camera.pan(dx * this.ratio, dy * this.ratio);
    this.moved();
  }

  on_zoom({ factor, x, y }) {
    this.camera.zoomAt(factor, (x ?? this.camera.width / this.ratio / 2) * this.ratio,
      (y ?? this.camera.height / this.ratio / 2) * this.ratio);
    this.moved();
  }

  on_fit() {
    this.camera.fit();
    this.pointsAreOld = true;
  }

  on_hand({ row, paths, isVeiled }) {
    this.hand = { row, paths, isVeiled };
    const at = this.grid?.place[row] ?? -1;
    if (at < 0 || this.camera.zoom <= 1 || this.camera.sees(this.grid.x[at], this.grid.y[at], 24 * this.ratio)) return;
    this.camera.x = this.grid.x[at];
    this.camera.y = this.grid.y[at];
    this.pointsAreOld = true;
  }

  on_lit({ rows }) {
    this.lit = rows;
  }

  on_shape({ shape }) {
    this.shape = shape;
  }

  on_hover({ x, y }) {
    const row = x === null ? -1 : this.rowAt(x, y);
    if (row === this.hovered && row < 0) return;
    this.hovered = row;
    this.post({ kind: "hovered", row, x, y });
  }

  on_pick({ x, y }) {
    this.post({ kind: "picked", row: this.rowAt(x, y, 2) });
  }

  on_lasso({ shape, add }) {
    this.shape = [];
    if (!this.grid) return;
    const polygon = new Float64Array(shape.length);
    for (let i = 0; i < shape.length; i += 2) {
      polygon[i] = this.camera.toDataX(shape[i] * this.ratio);
      polygon[i + 1] = this.camera.toDataY(shape[i + 1] * this.ratio);
    }
    const rows = rowsInside(this.grid, polygon, (at) => this.isShown(at));
    this.select(rows, add);
    const chosen = [];
    this.selected?.forEach((yes, row) => yes && chosen.push(row));
    this.post({ kind: "selected", rows: Uint32Array.from(chosen) });
  }

  on_select({ rows }) {
    this.select(rows, false);
  }

  select(rows, add) {
    const selected = add && this.selected ? this.selected : new Uint8Array(this.grid?.n ?? 0);
    for (const row of rows) selected[row] = 1;
    this.selected = rows.length > 0 || (add && this.selected) ? selected : null;
    this.tintsAreOld = true;
  }

  rowAt(x, y, factor = 1) {
    if (!this.grid) return -1;
    const reach = (HOVER_PIXELS * factor * this.ratio) / this.camera.scale;
    const dataX = this.camera.toDataX(x * this.ratio);
    const dataY = this.camera.toDataY(y * this.ratio);
    return nearestRow(this.grid, dataX, dataY, reach, (at) => this.isShown(at));
  }

  isShown(at) {
    return this.tints === undefined || this.tints[at] >>> 24 > 0;
  }

  /** The colour of a row as text, or null if its class is hidden. */
  colourOf(row) {
    const index = this.labels?.classes[row];
    if (index === undefined || this.palette.hidden[index]) return null;
    return this.palette.names[index] ?? null;
  }

  /** Points grow as one looks closer, and are smaller where there are many. */
  get radius() {
    const { width, height, zoom } = this.camera;
    const space = Math.sqrt((width * height) / Math.max(1, this.grid?.rows.length ?? 1));
    const radius = 0.2 * space * Math.sqrt(zoom);
    return Math.round(4 * Math.max(0.8 * Math.sqrt(this.ratio), Math.min(5.5 * this.ratio, radius))) / 4;
  }

  get markRadius() {
    const [least, more] = this.isCrowded ? [3, 1] : [4.5, 2];
    return Math.max(least * this.ratio, Math.min(8 * this.ratio, this.radius + more * this.ratio));
  }

  /** Whether there are so many given labels that rings of the usual width would hide the colours. */
  get isCrowded() {
    return this.given.length > CROWD;
  }

  get hasMany() {
    return (this.grid?.n ?? 0) > MANY;
  }

  /** Draw in a hurry now, and well when the map stands still. */
  moved() {
    this.pointsAreOld = true;
    if (!this.hasMany || this.points.name !== "canvas") return;
    this.isMoving = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.isMoving = false;
      this.pointsAreOld = true;
      this.schedule();
    }, STILL_MS);
  }

  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  draw() {
    const start = performance.now();
    const isFull = this.pointsAreOld || this.tintsAreOld;
    if (this.tintsAreOld && this.grid) this.retint();
    if (isFull) this.points.draw(this.camera, this.isMoving ? 0.5 : this.radius, this.background ?? 0xffffff);
    this.marks.draw(this);
    this.pointsAreOld = false;
    this.tintsAreOld = false;
    this.post({ kind: "drawn", settled: this.settled, isFull, milliseconds: performance.now() - start });
  }

  retint() {
    const labels = this.labels ?? {
      classes: new Uint8Array(this.grid.n).fill(255),
      confidence: new Uint8Array(this.grid.n),
    };
    this.tints = makeTints(this.grid, labels, this.table, this.selected);
    this.points.setTints(this.tints);
  }
}
