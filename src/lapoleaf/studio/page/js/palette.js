// Colours that hold for the colour-blind: Okabe and Ito's, then each the one that differs most from those before.

export const PALETTE = [
  "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#894024",
  "#ade492", "#5b40bf", "#b676ff", "#00edbf", "#bfa452", "#645252", "#a40089", "#c8c8e4",
];

const KEYS = [..."123456789abcdefghijklmopqrstvwxyz"];

/** Return the first colour that no class has. */
export function freeColour(classes) {
  const taken = new Set(classes.map((one) => one.colour?.toLowerCase()));
  return PALETTE.find((colour) => !taken.has(colour)) ?? PALETTE[classes.length % PALETTE.length];
}

/** Return the classes with a colour and a key each: 1 to 9, then letters except N and U. */
export function dressed(classes) {
  const taken = new Set(classes.map((one) => one.key).filter(Boolean));
  const free = KEYS.filter((key) => !taken.has(key));
  return classes.map((one, index) => ({
    ...one,
    colour: one.colour || PALETTE[index % PALETTE.length],
    key: one.key || free.shift() || null,
  }));
}

/** Return #rrggbb as 0xBBGGRR, as pixels have it. */
export function asPixel(colour) {
  const value = Number.parseInt(colour.slice(1), 16);
  return ((value & 255) << 16) | (value & 0xff00) | (value >> 16);
}

/** Return black or white, whichever reads better on a colour. */
export function inkOn(colour) {
  const value = Number.parseInt(colour.slice(1), 16);
  const linear = [16, 8, 0].map((shift) => (((value >> shift) & 255) / 255) ** 2.2);
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.36 ? "#000000" : "#ffffff";
}
