// What to show of a row: its picture, its text or its cells; large on the card, small in lists.

import { thumbnail } from "./api.js";
import { openDialog } from "./dialogs.js";
import { count, el, rowName, svg } from "./dom.js";

const MANY_NUMBERS = 16;
const MOST_CELLS = 4;
const LONG = 14;
const VERY_LONG = 60;

/** Return all of a row. */
export function largeShow(row, name, show) {
  const parts = [];
  if (show.kind === "picture") parts.push(el("button", { type: "button", class: "enlarge", "aria-label": `${rowName(row, name)}: enlarge`, title: "Enlarge",
    onclick: () => enlarge(row, name) }, picture(row, name, 512, "large")));
  if (show.kind === "text") parts.push(el("p", { class: "text", dir: "auto" }, show.text));
  const cells = show.cells ?? [];
  const isCut = show.n_cells > cells.length;
  if (isManyNumbers(cells)) parts.push(shades(cells, "large"), el("details", { class: "numbers" },
    el("summary", {}, `${isCut ? "First" : "All"} ${cells.length} values`), cellTable(cells)));
  else if (cells.length) parts.push(cellTable(cells));
  if (isCut) parts.push(el("p", { class: "cut hint" }, `The first ${count(cells.length)} of ${count(show.n_cells)} columns.`));
  return el("div", { class: `show large ${show.kind}` }, parts);
}

/** Return a row in little room. */
export function smallShow(row, name, show) {
  if (!show) return el("span", { class: "show small" }, rowName(row, name));
  if (show.kind === "picture") return el("span", { class: "show small picture" }, picture(row, name, 160, "small"));
  if (show.kind === "text") return el("span", { class: "show small text", dir: "auto" }, cut(show.text, 160));
  const cells = show.cells ?? [];
  if (isManyNumbers(cells)) return el("span", { class: "show small shades" }, shades(cells, "small"));
  return el("span", { class: "show small cells" }, telling(cells).map(([column, value]) => isLong(value)
    ? el("span", { class: "cell long", dir: "auto", title: column }, cut(value, 120))
    : el("span", { class: "cell" }, el("i", {}, cut(column, 24)), el("b", { dir: "auto" }, cut(value, 40) || "–"))));
}

/** Return the cells for which there is room: the first text, which tells most, and the first others. */
function telling(cells) {
  const text = cells.find(([, value]) => isLong(value));
  return [...text ? [text] : [], ...cells.filter((cell) => cell !== text)].slice(0, MOST_CELLS);
}

/** Whether a cell is a text, which needs lines of its own. */
function isLong(value) {
  return String(value ?? "").length > LONG && /\p{L}{2}/u.test(value);
}

/** Show a picture as large as the page. */
function enlarge(row, name) {
  openDialog(rowName(row, name), () => picture(row, name, 1024, "large"), { class: "picture" });
}

function picture(row, name, size, kind) {
  const image = el("img", {
    src: thumbnail(row, size),
    alt: rowName(row, name),
    decoding: "async",
    loading: kind === "large" ? "eager" : "lazy",
    draggable: "false",
  });
  const giveUp = () => image.replaceWith(el("span", { class: "broken" }, `${rowName(row, name)}: this picture cannot be read.`));
  image.addEventListener("error", giveUp);
  // The server has one pixel to show of a picture that is broken.
  image.addEventListener("load", () => {
    if (image.naturalWidth <= 1) giveUp();
    image.classList.toggle("tiny", image.naturalWidth <= 64);
  });
  return image;
}

function cellTable(cells) {
  return el("dl", { class: "cells" }, cells.map(([column, value]) =>
    el("div", { class: String(value ?? "").length > VERY_LONG ? "long" : null }, el("dt", {}, column), el("dd", { dir: "auto" }, value === "" || value === null ? "–" : String(value)))));
}

function isManyNumbers(cells) {
  return cells.length >= MANY_NUMBERS && cells.every(([, value]) => Number.isFinite(Number.parseFloat(value)));
}

/** Return many numbers as squares of grey, line by line: pixels of digits are read at a glance. */
function shades(cells, kind) {
  const values = cells.map(([, value]) => Number.parseFloat(value));
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const side = Math.ceil(Math.sqrt(values.length));
  return svg("svg", { class: `shades ${kind}`, viewBox: `0 0 ${side} ${Math.ceil(values.length / side)}`,
    role: "img", "aria-label": `${values.length} values as shades`, "shape-rendering": "crispEdges" },
    values.map((value, index) => svg("rect", {
      x: index % side, y: Math.floor(index / side), width: 1, height: 1,
      "fill-opacity": ((value - low) / span).toFixed(2),
    })));
}

function cut(text, length) {
  const whole = String(text ?? "");
  return whole.length > length ? `${whole.slice(0, length - 1)}…` : whole;
}
