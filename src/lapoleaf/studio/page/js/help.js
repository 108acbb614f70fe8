// All keys.

import { openDialog } from "./dialogs.js";
import { el } from "./dom.js";

const KEYS = [
  ["Label", [
    [["1", "–", "9", "A", "–", "Z"], "give the class with this key (N and U are taken)"],
    [["0"], "clear the label"],
    [["Space"], "accept the label shown"],
    [["Enter"], "choose a class by its name, or make a new one"],
    [["+"], "new class"],
  ]],
  ["Move", [
    [["N"], "next row"],
    [["→"], "next row"],
    [["←"], "row before"],
    [[","], "queue before"],
    [["."], "next queue"],
    [["/"], "search"],
    [["Esc"], "drop the selection or the search"],
  ]],
  ["Take back", [
    [["U"], "undo"],
    [["Shift", "U"], "redo"],
  ]],
  ["Map", [
    [["Tab"], "until the map has the focus, then:"],
    [["←", "→", "↑", "↓"], "move"],
    [["+", "−"], "zoom"],
    [["Home"], "show all"],
    [["Enter"], "take the row in the middle"],
    [["Shift", "↑"], "select a box around the middle; Shift ↓ makes it smaller"],
    [["Shift", "drag"], "lasso; Alt and drag: box; Ctrl adds"],
  ]],
];

/** Show the keys. */
export function showHelp() {
  openDialog("Keys", () => [
    el("p", {}, "Label a row, and the labels of all others follow. Every action is saved at once, and every action can be undone."),
    el("div", { class: "keys" }, KEYS.map(([title, lines]) => el("section", {}, el("h3", {}, title),
      el("dl", {}, lines.map(([keys, text]) => el("div", {},
        el("dt", {}, keys.map((key) => (key === "–" ? "–" : el("kbd", {}, key)))), el("dd", {}, text))))))),
    el("p", { class: "hint" }, "Numbers beside a class: labels you gave, and rows with this label. On the map, colour is the label, opacity is how sure it is, rings are labels you gave."),
  ], { class: "help" });
}
