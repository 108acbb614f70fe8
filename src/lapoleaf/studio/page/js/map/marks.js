// What is drawn above the points: rings of given labels, rows found, the row in hand with its paths, the lasso.

const MAX_MARKS = 20000;

export class Marks {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.sprites = new Map();
  }

  resize(width, height) {
    this.canvas.width = width;
    this.canvas.height = height;
  }

  draw(scene) {
    const { context } = this;
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (scene.grid) {
      this.drawLit(scene);
      this.drawPaths(scene);
      this.drawGiven(scene);
      this.drawHand(scene);
    }
    this.drawShape(scene);
  }

  drawGiven(scene) {
    const radius = scene.markRadius;
    const width = (scene.isCrowded ? 0.5 : 1) * scene.ratio;
    this.each(scene, scene.given, (x, y, row) => {
      const colour = scene.colourOf(row);
      if (colour) this.stampRing(x, y, radius, colour, scene.theme.ink, width);
    });
  }

  drawLit(scene) {
    const { light, none } = scene.theme;
    this.each(scene, scene.lit, (x, y, row) => {
      this.stampRing(x, y, scene.markRadius, scene.colourOf(row) ?? none, light, 1.4 * scene.ratio);
    });
  }

  drawPaths(scene) {
    const { context } = this;
    context.lineJoin = "round";
    context.lineCap = "round";
    // The path that counts most is drawn last and strongest.
    for (const [index, path] of [...scene.hand.paths.entries()].reverse()) {
      const weight = index === 0 ? 1 : 0.55;
      for (const [width, style] of [[4.5, scene.theme.background], [2, scene.theme.ink]]) {
        context.lineWidth = width * weight * scene.ratio;
        context.strokeStyle = style;
        context.beginPath();
        let begun = false;
        this.each(scene, path, (x, y) => {
          if (begun) context.lineTo(x, y);
          else context.moveTo(x, y);
          begun = true;
        }, Infinity);
        context.stroke();
      }
      this.each(scene, path, (x, y) => {
        context.fillStyle = scene.theme.ink;
        context.beginPath();
        context.arc(x, y, 3 * weight * scene.ratio, 0, 2 * Math.PI);
        context.fill();
      });
    }
  }

  drawHand(scene) {
    const { context } = this;
    const rows = [scene.hand.row, scene.hovered].filter((row) => row >= 0);
    rows.forEach((row, index) => {
      this.each(scene, [row], (x, y) => {
        const radius = scene.markRadius + (index === 0 ? 4 : 2) * scene.ratio;
        if (row === scene.hand.row && scene.hand.isVeiled) {
          context.fillStyle = scene.theme.none;
          context.beginPath();
          context.arc(x, y, radius, 0, 2 * Math.PI);
          context.fill();
        }
        for (const [width, style] of [[5, scene.theme.background], [2.5, scene.theme.accent]]) {
          context.lineWidth = width * scene.ratio;
          context.strokeStyle = style;
          context.beginPath();
          context.arc(x, y, radius, 0, 2 * Math.PI);
          context.stroke();
        }
      });
    });
  }

  drawShape(scene) {
    const { context } = this;
    const { shape } = scene;
    if (shape.length < 4) return;
    context.beginPath();
    for (let i = 0; i < shape.length; i += 2) {
      context.lineTo(shape[i] * scene.ratio, shape[i + 1] * scene.ratio);
    }
    context.closePath();
    context.fillStyle = scene.theme.wash;
    context.fill();
    context.lineWidth = 1.5 * scene.ratio;
    context.strokeStyle = scene.theme.accent;
    context.stroke();
  }

  /** Call visit(x, y, row) with the pixels of every row that has a place and is in view. */
  each(scene, rows, visit, margin = 20) {
    const { grid, camera } = scene;
    let left = MAX_MARKS;
    for (const row of rows) {
      const at = grid.place[row] ?? -1;
      if (at < 0) continue;
      const x = camera.toScreenX(grid.x[at]);
      const y = camera.toScreenY(grid.y[at]);
      if (x < -margin || y < -margin || x > camera.width + margin || y > camera.height + margin) {
        continue;
      }
      visit(x, y, row);
      if (--left === 0) return;
    }
  }

  /** Draw a filled disc with a ring from a picture that is kept: quicker than arcs. */
  stampRing(x, y, radius, fill, ink, ratio) {
    const key = `${fill} ${ink} ${radius} ${ratio}`;
    let sprite = this.sprites.get(key);
    if (!sprite) {
      if (this.sprites.size > 500) this.sprites.clear();
      sprite = ringPicture(radius, fill, ink, ratio);
      this.sprites.set(key, sprite);
    }
    this.context.drawImage(sprite, Math.round(x - sprite.width / 2), Math.round(y - sprite.height / 2));
  }
}

function ringPicture(radius, fill, ink, ratio) {
  const size = 2 * Math.ceil(radius + 2 * ratio);
  const picture = newCanvas(size);
  const context = picture.getContext("2d");
  context.beginPath();
  context.arc(size / 2, size / 2, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  context.lineWidth = 1.6 * ratio;
  context.strokeStyle = ink;
  context.stroke();
  return picture;
}

function newCanvas(size) {
  if (typeof OffscreenCanvas !== "undefined") return new OffscreenCanvas(size, size);
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  return canvas;
}
