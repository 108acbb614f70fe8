// How sure, in words: the same as on cards, which the server writes.

const WORDS = [
  [0.95, "very sure"],
  [0.8, "sure"],
  [0.6, "rather sure"],
  [0.45, "not sure"],
  [0, "hardly more than a guess"],
];

/** Return a confidence in words. */
export function inWords(confidence) {
  return WORDS.find(([bound]) => confidence >= bound)?.[1] ?? "";
}
