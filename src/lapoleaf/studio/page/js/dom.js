// Elements without markup: whatever a cell, a file name or a class is called, it is only ever text.

/** Return an element; attributes may be properties of ARIA, listeners (onclick) or a class. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return an element of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Return the element with this id. */
export function at(id) {
  return document.getElementById(id);
}

/** Give an element a colour for its style sheet, if it is one. */
export function paint(element, colour) {
  element.style.setProperty("--class", safeColour(colour));
  return element;
}

/** Return a colour of the form #rrggbb; grey for anything else. */
export function safeColour(colour) {
  return /^#[0-9a-f]{6}$/i.test(colour ?? "") ? colour.toLowerCase() : "#888888";
}

/** Return a button with an icon of the page's sprite and a name that is read aloud. */
export function iconButton(icon, name, onclick, attributes = {}) {
  return el("button", { type: "button", class: "icon", "aria-label": name, title: name, onclick, ...attributes },
    iconOf(icon));
}

/** Return an icon of the page's sprite. */
export function iconOf(name) {
  return svg("svg", { class: "glyph", "aria-hidden": "true", viewBox: "0 0 24 24" },
    svg("use", { href: `/page/icons.svg#${name}` }));
}

/** Return a number for people: 12,345. */
export function count(number) {
  return Number(number ?? 0).toLocaleString("en");
}

/** Return what a row is called; rows are numbered from 1 for people. */
export function rowName(row, name = null) {
  return name === null || name === undefined || name === String(row + 1) ? `Row ${count(row + 1)}` : name;
}

/** Return "1 row" or "2 rows". */
export function plural(number, word, words = `${word}s`) {
  return `${count(number)} ${Number(number) === 1 ? word : words}`;
}

/** Return a share as whole percent, and never 100 % for less than all. */
export function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const value = share < 1 ? Math.min(99, Math.round(100 * share)) : 100;
  return `${value} %`;
}
