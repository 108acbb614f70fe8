// Points as pixels of one picture: the back end that works everywhere.
// Arcs of a 2-D context take about a microsecond each; adding pixels to an array takes a tenth of it.

import { runsInBox } from "./grid.js";

const BORDER = 12;

export class CanvasPoints {
  static create(canvas) {
    const context = canvas.getContext("2d", { alpha: false, desynchronized: true });
    return context ? new CanvasPoints(canvas, context) : null;
  }

  constructor(canvas, context) {
    this.name = "canvas";
    this.canvas = canvas;
    this.context = context;
    this.grid = null;
    this.tints = new Uint32Array(0);
    this.stamp = makeStamp(1, 1);
  }

  resize(width, height) {
    this.canvas.width = width;
    this.canvas.height = height;
    this.stride = width + 2 * BORDER;
    this.lines = height + 2 * BORDER;
    this.image = new ImageData(this.stride, this.lines);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.stamp = makeStamp(this.stamp.radius, this.stride);
  }

  setGrid(grid) {
    this.grid = grid;
  }

  /** Take the colours of the sorted points, as 0xAABBGGRR; alpha 0 is not drawn. */
  setTints(tints) {
    this.tints = tints;
  }

  draw(camera, radius, background) {
    if (!this.pixels) return;
    this.pixels.fill(0xff000000 | background);
    if (this.grid) this.drawPoints(camera, radius);
    this.context.putImageData(this.image, -BORDER, -BORDER);
  }

  drawPoints(camera, radius) {
    if (this.stamp.radius !== radius) this.stamp = makeStamp(radius, this.stride);
    const view = {
      scale: camera.scale,
      left: camera.width / 2 - camera.x * camera.scale + BORDER,
      top: camera.height / 2 + camera.y * camera.scale + BORDER,
      low: this.stamp.reach,
      right: this.stride - this.stamp.reach - 1,
      bottom: this.lines - this.stamp.reach - 1,
    };
    runsInBox(this.grid, camera.box(BORDER), (first, last) => {
      const add = this.stamp.offsets.length === 1 ? addPixels : addPoints;
      add(this.pixels, this.stride, this.grid, this.tints, this.stamp, view, first, last);
    });
  }
}

/** A disc with soft edges: offsets of its pixels and how much of each it covers, of 256. */
function makeStamp(radius, stride) {
  const reach = Math.ceil(radius);
  const offsets = [];
  const covers = [];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const cover = Math.round(256 * Math.min(1, radius + 0.5 - Math.hypot(dx, dy)));
      if (cover <= 8) continue;
      offsets.push(dy * stride + dx);
      covers.push(cover);
    }
  }
  return { radius, reach, offsets: Int32Array.from(offsets), covers: Int32Array.from(covers) };
}

/** The same as addPoints for a stamp of one pixel. */
function addPixels(pixels, stride, grid, tints, stamp, view, first, last) {
  const { x, y } = grid;
  const { scale, left, top, low, right, bottom } = view;
  for (let at = first; at < last; at++) {
    const tint = tints[at];
    if (tint < 0x1000000) continue;
    const px = (x[at] * scale + left) | 0;
    const py = (top - y[at] * scale) | 0;
    if (px < low || py < low || px > right || py > bottom) continue;
    pixels[py * stride + px] = tint | 0xff000000;
  }
}

function addPoints(pixels, stride, grid, tints, stamp, view, first, last) {
  const { x, y } = grid;
  const { offsets, covers } = stamp;
  const { scale, left, top, low, right, bottom } = view;
  const size = offsets.length;
  for (let at = first; at < last; at++) {
    const tint = tints[at];
    const alpha = tint >>> 24;
    if (alpha === 0) continue;
    const px = (x[at] * scale + left) | 0;
    const py = (top - y[at] * scale) | 0;
    if (px < low || py < low || px > right || py > bottom) continue;
    const base = py * stride + px;
    const redBlue = tint & 0xff00ff;
    const green = tint & 0x00ff00;
    for (let k = 0; k < size; k++) {
      const there = base + offsets[k];
      const weight = (alpha * covers[k]) >> 8;
      const old = pixels[there];
      const oldRedBlue = old & 0xff00ff;
      const oldGreen = old & 0x00ff00;
      pixels[there] =
        0xff000000 |
        ((oldRedBlue + (Math.imul(redBlue - oldRedBlue, weight) >> 8)) & 0xff00ff) |
        ((oldGreen + (Math.imul(green - oldGreen, weight) >> 8)) & 0x00ff00);
    }
  }
}
