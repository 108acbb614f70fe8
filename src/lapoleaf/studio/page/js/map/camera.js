// Where the map is looked at from: data in [-1, 1] on both axes, y upwards; pixels of the device, y downwards.

const MARGIN = 0.92;
const MAX_ZOOM = 4000;

export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.zoom = 1;
    this.width = 1;
    this.height = 1;
  }

  resize(width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
  }

  /** Pixels for one unit of the data. */
  get scale() {
    return (Math.min(this.width, this.height) / 2) * MARGIN * this.zoom;
  }

  fit() {
    this.x = 0;
    this.y = 0;
    this.zoom = 1;
  }

  toScreenX(x) {
    return (x - this.x) * this.scale + this.width / 2;
  }

  toScreenY(y) {
    return (this.y - y) * this.scale + this.height / 2;
  }

  toDataX(px) {
    return (px - this.width / 2) / this.scale + this.x;
  }

  toDataY(py) {
    return this.y - (py - this.height / 2) / this.scale;
  }

  pan(dx, dy) {
    this.x = clamp(this.x - dx / this.scale, -1.5, 1.5);
    this.y = clamp(this.y + dy / this.scale, -1.5, 1.5);
  }

  /** Zoom so that the point below (px, py) stays there. */
  zoomAt(factor, px, py) {
    const x = this.toDataX(px);
    const y = this.toDataY(py);
    this.zoom = clamp(this.zoom * factor, 0.5, MAX_ZOOM);
    this.x += x - this.toDataX(px);
    this.y += y - this.toDataY(py);
  }

  /** The visible part of the data, wider by some pixels. */
  box(margin) {
    return {
      left: this.toDataX(-margin),
      right: this.toDataX(this.width + margin),
      bottom: this.toDataY(this.height + margin),
      top: this.toDataY(-margin),
    };
  }

  sees(x, y, margin) {
    const px = this.toScreenX(x);
    const py = this.toScreenY(y);
    return px >= margin && py >= margin && px <= this.width - margin && py <= this.height - margin;
  }
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}
