// Colours of points: colour = class, opacity = confidence.

const LEVELS = 32;
const FAINTEST = 46;
const UNLABELLED = 110;
const DIMMED = 0.22;

/** Return for every class index and level of confidence 0xAABBGGRR; the last class is "no label". */
export function makeTable(palette) {
  const table = new Uint32Array((palette.colours.length + 1) * LEVELS);
  palette.colours.forEach((colour, index) => {
    for (let level = 0; level < LEVELS; level++) {
      const alpha = palette.hidden[index] ? 0 : opacity(level / (LEVELS - 1));
      table[index * LEVELS + level] = ((alpha << 24) | colour) >>> 0;
    }
  });
  const none = ((UNLABELLED << 24) | palette.none) >>> 0;
  table.fill(none, palette.colours.length * LEVELS);
  return table;
}

function opacity(confidence) {
  return Math.round(FAINTEST + (255 - FAINTEST) * confidence ** 1.5);
}

/** Return the colour of every sorted point; rows that are not selected are dimmed, if any is. */
export function makeTints(grid, labels, table, selected) {
  const { rows } = grid;
  const tints = new Uint32Array(rows.length);
  const none = table.length - LEVELS;
  const nClasses = none / LEVELS;
  const { classes, confidence } = labels;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at];
    const index = classes[row];
    tints[at] = index < nClasses ? table[index * LEVELS + (confidence[row] >> 3)] : table[none];
  }
  if (selected) dimOthers(tints, rows, selected);
  return tints;
}

function dimOthers(tints, rows, selected) {
  for (let at = 0; at < rows.length; at++) {
    const tint = tints[at];
    const alpha = tint >>> 24;
    if (alpha === 0) continue;
    const shown = selected[rows[at]] ? 255 : Math.ceil(alpha * DIMMED);
    tints[at] = ((shown << 24) | (tint & 0xffffff)) >>> 0;
  }
}
