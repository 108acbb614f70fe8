// Short messages, shown and read aloud.

import { at, el } from "./dom.js";

const SHOWN_MS = 5000;

/** Read a sentence aloud without showing it. */
export function announce(sentence) {
  at("live").textContent = sentence;
}

/** Show a sentence for some seconds, with an optional button. */
export function notify(sentence, { isTrouble = false, button = null } = {}) {
  const note = el("div", { class: isTrouble ? "note trouble" : "note", role: isTrouble ? "alert" : null },
    el("span", {}, sentence));
  if (button) note.append(el("button", { type: "button", onclick: () => { note.remove(); button.press(); } }, button.text));
  // What is there already is not shown twice: it would push others out.
  for (const other of [...at("notes").children]) if (other.textContent === note.textContent) other.remove();
  at("notes").append(note);
  while (at("notes").children.length > 3) at("notes").firstChild.remove();
  if (!isTrouble) announce(sentence);
  setTimeout(() => note.remove(), isTrouble ? 2 * SHOWN_MS : SHOWN_MS);
}

/** Show what went wrong. */
export function trouble(error) {
  if (error?.name === "AbortError") return;
  notify(error?.message ?? String(error), { isTrouble: true });
}
