// Points through WebGL2, where the machine has a graphics card: the same interface as canvas.js.

const VERTEX = `#version 300 es
in vec2 place;
in vec4 tint;
uniform vec2 centre;
uniform vec2 scale;
uniform float size;
out vec4 colour;
void main() {
  colour = tint;
  gl_PointSize = size;
  gl_Position = vec4((place - centre) * scale, 0.0, 1.0);
  if (tint.a == 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour;
uniform float size;
out vec4 result;
void main() {
  float distance = length(gl_PointCoord - 0.5) * size;
  float cover = clamp(size * 0.5 - distance, 0.0, 1.0);
  result = vec4(colour.rgb, colour.a * cover);
}`;

export class WebglPoints {
  /** Return a back end, or null where WebGL2 is missing or, unless wanted, computed by the processor. */
  static create(canvas, evenIfSlow) {
    if (!evenIfSlow && isComputedByProcessor()) return null;
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false });
    return gl ? new WebglPoints(canvas, gl) : null;
  }

  constructor(canvas, gl) {
    this.name = "webgl";
    this.canvas = canvas;
    this.gl = gl;
    this.count = 0;
    this.program = link(gl);
    this.uniforms = Object.fromEntries(
      ["centre", "scale", "size"].map((name) => [name, gl.getUniformLocation(this.program, name)]),
    );
    this.places = gl.createBuffer();
    this.tints = gl.createBuffer();
    this.bind("place", this.places, 2, gl.FLOAT, false);
    this.bind("tint", this.tints, 4, gl.UNSIGNED_BYTE, true);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  bind(name, buffer, size, type, normalised) {
    const { gl } = this;
    const location = gl.getAttribLocation(this.program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, normalised, 0, 0);
  }

  resize(width, height) {
    this.canvas.width = width;
    this.canvas.height = height;
    this.gl.viewport(0, 0, width, height);
  }

  setGrid(grid) {
    const { gl } = this;
    const places = new Float32Array(2 * grid.x.length);
    for (let at = 0; at < grid.x.length; at++) {
      places[2 * at] = grid.x[at];
      places[2 * at + 1] = grid.y[at];
    }
    this.count = grid.x.length;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
    this.setTints(new Uint32Array(this.count));
  }

  setTints(tints) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.tints);
    gl.bufferData(gl.ARRAY_BUFFER, tints, gl.DYNAMIC_DRAW);
  }

  draw(camera, radius, background) {
    const { gl, uniforms } = this;
    const part = (shift) => ((background >> shift) & 255) / 255;
    gl.clearColor(part(0), part(8), part(16), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.uniform2f(uniforms.centre, camera.x, camera.y);
    gl.uniform2f(
      uniforms.scale,
      (2 * camera.scale) / camera.width,
      (2 * camera.scale) / camera.height,
    );
    gl.uniform1f(uniforms.size, 2 * radius + 1);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }
}

function link(gl) {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return program;
}

/** Whether WebGL2 is missing or slow: asked of another canvas, since a canvas keeps its first kind of context. */
function isComputedByProcessor() {
  if (typeof OffscreenCanvas === "undefined") return true;
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return true;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(renderer);
}
