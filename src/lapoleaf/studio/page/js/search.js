// Search lights rows up; the others stay as they are.

import { getJson } from "./api.js";
import { at, el, paint, plural, rowName } from "./dom.js";
import { announce } from "./notices.js";
import { smallShow } from "./shows.js";

const WAIT_MS = 200;
const N_LISTED = 24;

export class Search {
  constructor(studio, map) {
    this.studio = studio;
    this.map = map;
    this.rows = [];
    const input = at("search");
    input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.run(), WAIT_MS);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.enter(event);
      if (event.key === "ArrowDown") at("found").querySelector("button")?.focus();
    });
    at("found").addEventListener("keydown", (event) => this.walk(event));
  }

  enter(event) {
    event.preventDefault();
    if (this.rows.length) this.open(this.rows[0]);
    else this.run();
  }

  walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...at("found").querySelectorAll("button")];
    const next = buttons.indexOf(document.activeElement) + step;
    (buttons[next] ?? at("search")).focus();
  }

  async run() {
    const text = at("search").value.trim();
    this.stop?.abort();
    if (!text) return this.show([], false);
    this.stop = new AbortController();
    try {
      const { rows, truncated } = await getJson(`/api/search?q=${encodeURIComponent(text)}`, this.stop.signal);
      this.show(rows, truncated);
      await this.list(rows, this.stop.signal);
    } catch (error) {
      this.studio.emit("trouble", error);
    }
    return null;
  }

  show(rows, isCut) {
    this.rows = rows;
    this.map.send({ kind: "lit", rows });
    const text = at("search").value.trim();
    const sentence = `${plural(rows.length, "row")}${isCut ? " and more" : ""} found`;
    at("n-found").textContent = text ? sentence : "";
    at("found-box").hidden = !text;
    at("select-found").hidden = rows.length === 0;
    if (text) announce(`${sentence}.`);
    if (!rows.length) at("found").replaceChildren();
  }

  async list(rows, signal) {
    if (!rows.length) return;
    const shown = await getJson(`/api/show?rows=${rows.slice(0, N_LISTED).join(",")}`, signal);
    at("found").replaceChildren(...shown.rows.map((one) => {
      const labelled = this.studio.classOf(this.studio.labels.classOf(one.row));
      const button = el("button", { type: "button", class: "found-row", onclick: () => this.open(one.row) },
        smallShow(one.row, one.name, one.show),
        el("span", { class: "foot" }, labelled ? el("span", { class: "dot" }) : null,
          el("span", { class: "name" }, rowName(one.row, one.name))));
      if (labelled) paint(button, labelled.colour);
      return el("li", {}, button);
    }));
  }

  open(row) {
    this.hideList();
    this.studio.takeInHand(row);
  }

  /** Select all rows found, to label them by one key. */
  select() {
    this.hideList();
    this.studio.select(this.rows);
  }

  hideList() {
    at("found-box").hidden = true;
    at("search").blur();
    document.activeElement?.blur();
  }

  clear() {
    at("search").value = "";
    this.show([], false);
    at("search").blur();
  }
}
