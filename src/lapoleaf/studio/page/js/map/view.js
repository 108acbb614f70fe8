// The map on the page: canvases, pointer, keys; the scene draws in a worker.

import { Scene } from "./scene.js";

const PAN_STEP = 60;
const ZOOM_STEP = 1.3;
const CLICK_PIXELS = 4;

export class MapView extends EventTarget {
  constructor(box) {
    super();
    this.box = box;
    this.mode = "pan";
    this.pointers = new Map();
    this.shape = [];
    this.keyBox = 0;
    const points = box.querySelector("canvas.points");
    const marks = box.querySelector("canvas.marks");
    this.points = points;
    this.connect(points, marks);
    new ResizeObserver(() => this.resize()).observe(box);
    this.resize();
    this.listen(marks);
  }

  connect(points, marks) {
    const backend = new URLSearchParams(location.search).get("map") ?? "auto";
    const answer = (message) => this.answer(message);
    if ("transferControlToOffscreen" in points && "Worker" in window) {
      const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      worker.addEventListener("message", (event) => answer(event.data));
      const canvases = [points.transferControlToOffscreen(), marks.transferControlToOffscreen()];
      this.send = (message, transfer = []) => worker.postMessage(message, transfer);
      this.send({ kind: "start", points: canvases[0], marks: canvases[1], backend }, canvases);
    } else {
      const scene = new Scene(answer);
      this.send = (message) => scene.take(message);
      this.send({ kind: "start", points, marks, backend });
    }
  }

  answer(message) {
    if (message.kind === "drawn" && message.isFull) {
      this.points.dataset.settled = message.settled;
      this.points.dataset.milliseconds = message.milliseconds.toFixed(1);
      this.points.dataset.frames = Number(this.points.dataset.frames ?? 0) + 1;
    }
    if (message.kind === "started") this.points.dataset.backend = message.backend;
    this.dispatchEvent(new CustomEvent(message.kind, { detail: message }));
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width === 0 || height === 0) return;
    this.width = width;
    this.height = height;
    this.send({ kind: "size", width, height, ratio: Math.min(2, devicePixelRatio || 1) });
  }

  setMode(mode) {
    this.mode = mode;
    this.box.dataset.mode = mode;
  }

  zoom(factor, x, y) {
    this.send({ kind: "zoom", factor, x, y });
  }

  listen(marks) {
    marks.addEventListener("pointerdown", (event) => this.down(event, marks));
    marks.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) {
      marks.addEventListener(kind, (event) => this.up(event));
    }
    marks.addEventListener("pointerleave", () => this.send({ kind: "hover", x: null, y: null }));
    marks.addEventListener("dblclick", (event) => {
      const { x, y } = this.place(event);
      this.zoom(2, x, y);
    });
    marks.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { x, y } = this.place(event);
      const lines = event.deltaMode === 1 ? 30 : 1;
      this.zoom(Math.exp(-event.deltaY * lines * 0.0015), x, y);
    }, { passive: false });
    this.box.addEventListener("keydown", (event) => this.key(event));
  }

  place(event) {
    const edge = this.box.getBoundingClientRect();
    return { x: event.clientX - edge.left, y: event.clientY - edge.top };
  }

  down(event, marks) {
    if (event.button !== 0) return;
    event.preventDefault();
    marks.setPointerCapture(event.pointerId);
    const place = this.place(event);
    this.pointers.set(event.pointerId, place);
    this.start = place;
    this.moved = false;
    this.tool = event.shiftKey ? "lasso" : event.altKey ? "box" : this.mode;
    this.adds = event.ctrlKey || event.metaKey;
    this.shape = [place.x, place.y];
    if (this.pointers.size > 1) this.cancelShape();
  }

  move(event) {
    const place = this.place(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.send({ kind: "hover", ...place });
      return;
    }
    if (Math.hypot(place.x - this.start.x, place.y - this.start.y) > CLICK_PIXELS) this.moved = true;
    if (this.pointers.size > 1) this.pinch(event.pointerId, before, place);
    else if (this.tool === "pan") {
      if (this.moved) this.send({ kind: "pan", dx: place.x - before.x, dy: place.y - before.y });
    } else this.extendShape(place);
    this.pointers.set(event.pointerId, place);
  }

  pinch(id, before, place) {
    const [, other] = [...this.pointers].find(([key]) => key !== id);
    const gap = (point) => Math.max(10, Math.hypot(point.x - other.x, point.y - other.y));
    this.zoom(gap(place) / gap(before), (place.x + other.x) / 2, (place.y + other.y) / 2);
    this.send({ kind: "pan", dx: (place.x - before.x) / 2, dy: (place.y - before.y) / 2 });
  }

  extendShape(place) {
    if (this.tool === "box") {
      const { x, y } = this.start;
      this.shape = [x, y, place.x, y, place.x, place.y, x, place.y];
    } else this.shape.push(place.x, place.y);
    this.send({ kind: "shape", shape: this.shape });
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.pointers.size > 0) return;
    if (!this.moved && event.type === "pointerup") this.send({ kind: "pick", ...this.start });
    else if (this.tool !== "pan" && this.shape.length >= 6) {
      this.send({ kind: "lasso", shape: this.shape, add: this.adds });
    }
    if (this.tool !== "pan") this.cancelShape();
  }

  cancelShape() {
    this.shape = [];
    this.tool = "pan";
    this.send({ kind: "shape", shape: [] });
  }

  /** Arrows move the map, + and - zoom, Enter takes the row in the middle, Shift and arrows select a box around it. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[event.key];
    if (step && event.shiftKey) this.growBox(event.key === "ArrowUp" || event.key === "ArrowRight");
    else if (step) this.send({ kind: "pan", dx: step[0] * PAN_STEP, dy: step[1] * PAN_STEP });
    else if (event.key === "+" || event.key === "=") this.zoom(ZOOM_STEP);
    else if (event.key === "-") this.zoom(1 / ZOOM_STEP);
    else if (event.key === "Home") this.send({ kind: "fit" });
    else if (event.key === "Enter" && event.target === this.box) {
      this.send({ kind: "pick", x: this.width / 2, y: this.height / 2 });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  growBox(isLarger) {
    this.keyBox = Math.max(0, this.keyBox + (isLarger ? 12 : -12));
    const [x, y, half] = [this.width / 2, this.height / 2, this.keyBox];
    const shape = [x - half, y - half, x + half, y - half, x + half, y + half, x - half, y + half];
    this.send({ kind: "lasso", shape, add: false });
    this.send({ kind: "shape", shape: half ? shape : [] });
  }

  select(rows) {
    this.keyBox = 0;
    this.send({ kind: "shape", shape: [] });
    this.send({ kind: "select", rows });
  }
}
