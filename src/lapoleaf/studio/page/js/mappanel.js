// The map with its tools, its tip and the bar of the selection.

import { getJson } from "./api.js";
import { at, el, paint, percent, plural, rowName } from "./dom.js";
import { MapView } from "./map/view.js";
import { asPixel, inkOn } from "./palette.js";
import { announce } from "./notices.js";
import { smallShow } from "./shows.js";
import { mapTheme, rgbPixel } from "./theme.js";
import { inWords } from "./words.js";

const TIP_MS = 90;

export class MapPanel {
  constructor(studio) {
    this.studio = studio;
    this.view = new MapView(at("map"));
    // The row whose label is hidden until there is an answer.
    this.veiled = null;
    this.listen();
    for (const button of at("map-tools").querySelectorAll("[data-mode]")) {
      button.addEventListener("click", () => this.choose(button.dataset.mode));
    }
    at("zoom-in").addEventListener("click", () => this.view.zoom(1.5));
    at("zoom-out").addEventListener("click", () => this.view.zoom(1 / 1.5));
    at("zoom-fit").addEventListener("click", () => this.send({ kind: "fit" }));
    this.choose("pan");
    this.retheme();
  }

  send(message, transfer) {
    this.view.send(message, transfer);
  }

  listen() {
    const { studio } = this;
    this.view.addEventListener("hovered", (event) => this.tip(event.detail));
    this.view.addEventListener("picked", ({ detail }) => detail.row >= 0 && studio.takeInHand(detail.row));
    this.view.addEventListener("selected", ({ detail }) => {
      this.drawn = detail.rows;
      studio.select(detail.rows);
      announce(`${plural(detail.rows.length, "row")} selected.`);
    });
    studio.on("positions", (positions) => {
      at("map-none").hidden = true;
      this.send({ kind: "positions", positions }, [positions.buffer]);
    });
    studio.on("labels", (labels) => this.sendLabels(labels));
    for (const kind of ["state", "hidden"]) studio.on(kind, () => this.sendPalette());
    studio.on("selection", (rows) => this.drawSelection(rows));
    studio.on("state", (state) => {
      const { status } = state.map ?? {};
      at("map-none").textContent = status === "failed" ? "There is no map of these rows." : "The map is being drawn.";
    });
  }

  choose(mode) {
    this.view.setMode(mode);
    for (const button of at("map-tools").querySelectorAll("[data-mode]")) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    }
  }

  sendLabels(labels) {
    const classes = labels.classes.slice();
    const confidence = labels.confidence.slice();
    const given = labels.givenRows();
    this.send({ kind: "labels", classes, confidence, given, settled: labels.settled },
      [classes.buffer, confidence.buffer, given.buffer]);
  }

  sendPalette() {
    const { classes, hidden } = this.studio;
    const key = JSON.stringify([classes.map((one) => [one.id, one.colour]), [...hidden], this.none]);
    if (key === this.sentPalette) return;
    this.sentPalette = key;
    const size = 1 + Math.max(-1, ...classes.map((one) => one.id));
    const palette = { colours: Array(size).fill(this.none), names: Array(size).fill(null), hidden: Array(size).fill(false), none: this.none };
    for (const one of classes) {
      palette.colours[one.id] = asPixel(one.colour);
      palette.names[one.id] = one.colour;
      palette.hidden[one.id] = hidden.has(one.id);
    }
    this.send({ kind: "palette", palette });
  }

  retheme() {
    const theme = mapTheme(at("map"));
    this.none = rgbPixel(theme.none);
    this.send({ kind: "theme", theme, background: rgbPixel(theme.background) });
    this.sendPalette();
  }

  drawSelection(rows) {
    // What was drawn on the map is selected there already.
    if (rows !== this.drawn) this.view.select(rows);
    at("selection").hidden = rows.length === 0;
    at("n-selected").textContent = plural(rows.length, "row");
    at("selection-answers").replaceChildren(...this.studio.classes.slice(0, 33).map((one) => {
      const button = paint(el("button", { type: "button", class: "pill", onclick: () => this.onlabel(one.id) },
        one.key ? `${one.key.toUpperCase()} ${one.name}` : one.name), one.colour);
      button.style.setProperty("--ink", inkOn(one.colour));
      return button;
    }));
  }

  tip({ row, x, y }) {
    const tip = at("tip");
    clearTimeout(this.timer);
    tip.hidden = row < 0;
    if (row < 0) return;
    const { labels } = this.studio;
    const one = row === this.veiled ? null : this.studio.classOf(labels.classOf(row));
    const sure = labels.isGiven(row) ? "given by you" : `${inWords(labels.confidenceOf(row))}, ${percent(labels.confidenceOf(row))}`;
    const words = el("span", { class: "foot" }, one ? el("span", { class: "dot" }) : null,
      el("span", {}, one ? `${one.name}, ${sure}` : row === this.veiled ? "label hidden" : "no label"));
    if (this.tipRow !== row) tip.replaceChildren(el("b", {}, rowName(row)), words);
    if (one) paint(tip, one.colour);
    tip.style.setProperty("left", `${Math.min(x + 14, this.view.width - 190)}px`);
    tip.style.setProperty("top", `${Math.max(6, Math.min(y + 14, this.view.height - 170))}px`);
    if (this.tipRow === row) return;
    this.tipRow = row;
    this.timer = setTimeout(() => this.fillTip(row, words), TIP_MS);
  }

  async fillTip(row, words) {
    try {
      const [shown] = (await getJson(`/api/show?rows=${row}`)).rows;
      if (this.tipRow === row) at("tip").replaceChildren(smallShow(row, shown.name, shown.show), el("b", {}, rowName(row, shown.name)), words);
    } catch {
      // A tip that does not come is no trouble.
    }
  }
}
