// How sure, in words.

const WORDS = [
  [0.97, "almost certain"],
  [0.85, "quite sure"],
  [0.65, "fairly sure"],
  [0.45, "unsure"],
  [0, "hardly more than a guess"],
];

/** Return a confidence in words. */
export function inWords(confidence) {
  return WORDS.find(([bound]) => confidence >= bound)?.[1] ?? "";
}
