// Points in square cells: what is near, what is inside, and an order that is kind to the cache.

const POINTS_PER_CELL = 8;
const MAX_SIDE = 512;

/** Return the points sorted by cell; rows without a place (NaN) are left out. */
export function buildGrid(positions) {
  const n = positions.length / 2;
  const side = Math.max(1, Math.min(MAX_SIDE, Math.ceil(Math.sqrt(n / POINTS_PER_CELL))));
  const cells = new Int32Array(n);
  const starts = new Uint32Array(side * side + 1);
  for (let row = 0; row < n; row++) {
    const cell = cellOf(positions[2 * row], positions[2 * row + 1], side);
    cells[row] = cell;
    if (cell >= 0) starts[cell + 1]++;
  }
  for (let cell = 0; cell < side * side; cell++) starts[cell + 1] += starts[cell];
  const placed = starts[side * side];
  const next = starts.slice();
  const rows = new Uint32Array(placed);
  const place = new Int32Array(n).fill(-1);
  const x = new Float32Array(placed);
  const y = new Float32Array(placed);
  for (let row = 0; row < n; row++) {
    if (cells[row] < 0) continue;
    const at = next[cells[row]]++;
    rows[at] = row;
    place[row] = at;
    x[at] = positions[2 * row];
    y[at] = positions[2 * row + 1];
  }
  return { n, side, starts, rows, place, x, y };
}

function cellOf(x, y, side) {
  if (!(Number.isFinite(x) && Number.isFinite(y))) return -1;
  return column(y, side) * side + column(x, side);
}

function column(value, side) {
  return Math.max(0, Math.min(side - 1, Math.floor(((value + 1) / 2) * side)));
}

/** Call visit(first, last) for every run of sorted points whose cells meet the box. */
export function runsInBox(grid, box, visit) {
  const left = column(box.left, grid.side);
  const right = column(box.right, grid.side);
  const bottom = column(box.bottom, grid.side);
  const top = column(box.top, grid.side);
  for (let line = bottom; line <= top; line++) {
    const base = line * grid.side;
    visit(grid.starts[base + left], grid.starts[base + right + 1]);
  }
}

/** Return the row nearest to (x, y) within reach, or -1. */
export function nearestRow(grid, x, y, reach, isShown) {
  const box = { left: x - reach, right: x + reach, bottom: y - reach, top: y + reach };
  let best = reach * reach;
  let found = -1;
  runsInBox(grid, box, (first, last) => {
    for (let at = first; at < last; at++) {
      const dx = grid.x[at] - x;
      const dy = grid.y[at] - y;
      const squared = dx * dx + dy * dy;
      if (squared <= best && isShown(at)) {
        best = squared;
        found = at;
      }
    }
  });
  return found < 0 ? -1 : grid.rows[found];
}

/** Return the rows inside a polygon [x0, y0, x1, y1, ...] by the even-odd rule. */
export function rowsInside(grid, polygon, isShown) {
  const box = boxOf(polygon);
  const found = [];
  runsInBox(grid, box, (first, last) => {
    for (let at = first; at < last; at++) {
      const x = grid.x[at];
      const y = grid.y[at];
      if (x < box.left || x > box.right || y < box.bottom || y > box.top) continue;
      if (isShown(at) && isInside(polygon, x, y)) found.push(grid.rows[at]);
    }
  });
  return Uint32Array.from(found).sort();
}

function boxOf(polygon) {
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (let i = 0; i < polygon.length; i += 2) {
    box.left = Math.min(box.left, polygon[i]);
    box.right = Math.max(box.right, polygon[i]);
    box.bottom = Math.min(box.bottom, polygon[i + 1]);
    box.top = Math.max(box.top, polygon[i + 1]);
  }
  return box;
}

function isInside(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const yi = polygon[i + 1];
    const yj = polygon[j + 1];
    if (yi > y !== yj > y && x < ((polygon[j] - polygon[i]) * (y - yi)) / (yj - yi) + polygon[i]) {
      inside = !inside;
    }
  }
  return inside;
}
