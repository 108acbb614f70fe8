// The card of the row in hand: all of it, its label, and why it has this label.

import { getJson, thumbnail } from "./api.js";
import { at, count, el, iconOf, paint, percent, plural, rowName } from "./dom.js";
import { inkOn } from "./palette.js";
import { largeShow, smallShow } from "./shows.js";
import { inWords } from "./words.js";

const MAX_CARDS = 60;
// Reasons that were not ready are asked for again after this.
const WAIT_MS = 120;

export class Card {
  constructor(studio, map) {
    this.studio = studio;
    this.map = map;
    this.cards = new Map();
    this.asked = null;
    this.isBlind = false;
    // The row of the random check, and the class that it was drawn with.
    this.checked = null;
    studio.on("hand", (row) => this.open(row));
    studio.on("labels", () => this.labelsChanged());
    studio.on("state", () => this.drawLabel());
    studio.on("selection", () => this.markMoves());
  }

  async open(row) {
    at("card").classList.toggle("empty", row === null);
    this.shown = null;
    if (row === null) {
      delete at("card").dataset.row;
      this.point(-1, []);
      this.markMoves();
      return;
    }
    const known = this.cards.get(row);
    this.point(row, known?.value ? pathsOf(known.value) : []);
    if (known?.value) this.draw(known.value);
    else this.drawNothing(row);
    this.drawLabel();
    await this.refresh(row);
  }

  /** Show that a row is on its way: what is not there to see is not labelled. */
  drawNothing(row) {
    delete at("card").dataset.row;
    // What it is called comes with it.
    at("card-title").textContent = "…";
    at("card-number").textContent = "";
    at("card-show").replaceChildren(el("div", { class: "show large waiting" }));
    at("card-why").replaceChildren();
  }

  /** Get the card of a row before it is asked for. */
  prefetch(row) {
    if (row !== null && row !== undefined && !this.cards.has(row)) this.get(row).catch(() => {});
  }

  labelsChanged() {
    this.drawLabel();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      for (const entry of this.cards.values()) entry.isOld = true;
      if (this.studio.hand !== null) this.refresh(this.studio.hand);
    }, 150);
  }

  async refresh(row) {
    try {
      const card = await this.get(row);
      if (this.studio.hand !== row) return;
      this.draw(card);
      if (card.waiting) setTimeout(() => this.ask(row), WAIT_MS);
    } catch (error) {
      this.studio.emit("trouble", error);
    }
  }

  /** Ask again for a card that had no reasons yet. */
  ask(row) {
    const known = this.cards.get(row);
    if (known?.value?.waiting) known.isOld = true;
    if (this.studio.hand === row) this.refresh(row);
  }

  get(row) {
    const known = this.cards.get(row);
    if (known && !known.isOld) return known.promise;
    if (this.cards.size >= MAX_CARDS) this.cards.delete(this.cards.keys().next().value);
    const entry = { value: known?.value ?? null, isOld: false, promise: getJson(`/api/rows/${row}`) };
    this.cards.set(row, entry);
    entry.promise.then((card) => {
      // Until the new reasons are there, the old ones stay.
      if (card.waiting && known?.value) Object.assign(card, { decided_by: known.value.decided_by, path: known.value.path, others: known.value.others });
      entry.value = card;
      for (const one of [card, ...card.decided_by ?? [], ...card.neighbours ?? []]) warm(one);
    }, () => this.cards.delete(row));
    return entry.promise;
  }

  draw(card) {
    const isSameRow = this.shown?.row === card.row;
    this.shown = card;
    at("card-title").textContent = rowName(card.row, card.name);
    at("card").dataset.kind = card.show.kind;
    at("card").dataset.row = card.row;
    const isNamed = rowName(card.row, card.name) !== rowName(card.row);
    at("card-number").textContent = `${isNamed ? `row ${count(card.row + 1)} ` : ""}of ${plural(this.studio.state?.n_rows, "row")}`;
    if (!isSameRow) {
      at("card-show").replaceChildren(largeShow(card.row, card.name, card.show));
      at("card-scroll").scrollTop = 0;
    }
    this.drawLabel();
    at("card-why").replaceChildren(...this.isBlind ? [] : this.reasons(card));
    this.point(card.row, pathsOf(card));
  }

  /** Show on the map which row is in hand; what is to be guessed is not shown there either. */
  point(row, paths) {
    this.map.veiled = this.isBlind && !this.studio.labels.isGiven(row) ? row : null;
    this.map.send({ kind: "hand", row, paths: this.isBlind ? [] : paths, isVeiled: this.map.veiled !== null });
  }

  /** Show the label from the bytes, which are there before the card is. */
  drawLabel() {
    const { hand, labels, state } = this.studio;
    const box = at("card-label");
    this.markMoves();
    if (hand === null || !state) return box.replaceChildren();
    const one = this.studio.classOf(this.classShown(hand));
    if (this.isBlind && !labels.isGiven(hand)) box.replaceChildren(el("span", { class: "hint" }, "Label hidden. What is it?"));
    else if (!this.studio.classes.length) box.replaceChildren(firstSteps(state.kind));
    else if (!one) box.replaceChildren(el("span", { class: "hint" }, this.whyNoLabel()));
    else if (labels.isGiven(hand)) box.replaceChildren(pill(one), el("span", { class: "words" }, "given by you"), ...this.others(hand, one));
    else {
      const confidence = this.shown?.row === hand ? this.shown.label?.confidence ?? labels.confidenceOf(hand) : labels.confidenceOf(hand);
      const words = this.shown?.row === hand ? this.shown.label?.words ?? inWords(confidence) : inWords(confidence);
      box.replaceChildren(pill(one), el("span", { class: "words" }, `${words}, ${percent(confidence)}`), meter(confidence, one));
    }
  }

  /** Offer only what there is: a label to accept, and one to clear. */
  markMoves() {
    const { hand, labels, selection } = this.studio;
    const isGiven = hand !== null && labels.isGiven(hand);
    const isHidden = this.isBlind && !isGiven;
    const canAccept = hand !== null && !isHidden && this.studio.classOf(this.classShown(hand)) !== null;
    // They can be reached all the same, and tell why there is nothing to do.
    at("accept").setAttribute("aria-disabled", String(!canAccept));
    at("clear").setAttribute("aria-disabled", String(!isGiven && selection.length === 0));
  }

  /** Tell what the other labels predict for a row whose label was given. */
  others(hand, one) {
    const others = this.shown?.row === hand ? this.shown.others : null;
    const other = others && this.studio.classOf(others.id);
    if (!other) return [];
    const sure = percent(others.confidence);
    if (other === one) return [el("span", { class: "words quiet" }, `the other labels agree, ${sure}`)];
    return [el("span", { class: "words contradicted" }, "The other labels say ", pill(other), ` ${sure}`)];
  }

  /** The class of a row; in the random check the one that it was drawn with, until there is an answer. */
  classShown(row) {
    const isChecked = this.checked?.row === row && !this.studio.labels.isGiven(row);
    return isChecked ? this.checked.shown : this.studio.labels.classOf(row);
  }

  whyNoLabel() {
    const { status } = this.studio.state.model ?? {};
    if (status === "fitting") return "No label yet: the model is being fitted.";
    if (status === "failed") return "No label yet: there is no model; see Progress.";
    const howTo = `What is this ${nounOf(this.studio.state.kind)}? Press the key of its class`;
    return status === "one class" ? `${howTo}. Nothing is propagated until two classes have a label.` : `${howTo}, or + for a new one.`;
  }

  reasons(card) {
    const decided = card.decided_by ?? [];
    const path = card.path ?? [];
    const parts = [];
    if (decided.length) {
      // Bars are longest for the row that counts most; the shares are written beside.
      const most = Math.max(...decided.map((one) => one.contribution));
      parts.push(heading(card.others ? "Without your label, decided by" : "Decided by", "The labels you gave that count most for this row, and their shares."));
      parts.push(el("ul", { class: "rows" }, decided.map((one) => this.tile(one, one.class, percent(one.contribution), one.contribution / most))));
    }
    if (path.length > 1) {
      parts.push(heading("Path", "Every row follows a denser row nearby; the label came along these rows."));
      parts.push(this.chain(path, card));
    }
    if (card.waiting && !decided.length) parts.push(el("p", { class: "hint later" }, "Finding the labels that count most for this row…"));
    if (card.neighbours?.length) {
      parts.push(heading("Nearest rows", "Rows most like this one."));
      parts.push(el("ul", { class: "rows" }, card.neighbours.map((one) => this.tile(one, one.class, null, null))));
    }
    return parts;
  }

  tile(one, classId, share, width) {
    const labelled = this.studio.classOf(classId);
    const button = el("button", { type: "button", class: "tile", "aria-label": describe(one, labelled, share),
      onclick: () => this.studio.takeInHand(one.row) },
      smallShow(one.row, one.name, one.show),
      el("span", { class: "foot" }, labelled ? el("span", { class: "dot" }) : null,
        el("span", { class: "name" }, labelled?.name ?? "no label"), share ? el("span", { class: "share" }, share) : null));
    if (labelled) paint(button, labelled.colour);
    if (width !== null) button.style.setProperty("--share", String(Math.max(0, Math.min(1, width))));
    return el("li", {}, button);
  }

  chain(path, card) {
    const shows = new Map([card, ...card.decided_by ?? [], ...card.neighbours ?? []].map((one) => [one.row, one]));
    const links = path.map((row) => {
      const one = shows.get(row);
      const button = el("button", { type: "button", class: "link", "aria-label": rowName(row, one?.name),
        onclick: () => this.studio.takeInHand(row) }, one ? smallShow(row, one.name, one.show) : rowName(row));
      const labelled = this.studio.classOf(this.studio.labels.classOf(row));
      return labelled ? paint(button, labelled.colour) : button;
    });
    this.fillLinks(path, links, shows);
    return el("ol", { class: "chain" }, links.map((link) => el("li", {}, link)));
  }

  /** Show the rows of a path that have not been fetched yet. */
  async fillLinks(path, links, known) {
    const missing = path.filter((row) => !known.has(row)).slice(0, MAX_CARDS);
    if (!missing.length) return;
    try {
      const { rows } = await getJson(`/api/show?rows=${missing.join(",")}`);
      for (const one of rows) links[path.indexOf(one.row)].replaceChildren(smallShow(one.row, one.name, one.show));
    } catch (error) {
      this.studio.emit("trouble", error);
    }
  }
}

/** What one row of this kind of input is called. */
function nounOf(kind) {
  return { images: "picture", texts: "text" }[kind] ?? "row";
}

/** What to do when there is no class yet. */
function firstSteps(kind) {
  const noun = nounOf(kind);
  return el("ol", { class: "steps" },
    el("li", {}, `What is this ${noun}? Press `, el("kbd", {}, "Enter"), " and type the name of its class."),
    el("li", {}, `The next ${noun} comes. Every class has a key: `, el("kbd", {}, "1"), " for the first one, ", el("kbd", {}, "Enter"), " for another."),
    el("li", {}, `From the second class on all other ${noun}s get labels, too: correct those that are wrong.`));
}

function describe(one, labelled, share) {
  return `${rowName(one.row, one.name)}, ${labelled?.name ?? "no label"}${share ? `, share ${share}` : ""}`;
}

function pathsOf(card) {
  const paths = (card.decided_by ?? []).map((one) => one.path).filter((path) => path?.length > 1);
  // As long as nothing has come along a path there is the edge to the leader.
  if (!paths.length && Number.isInteger(card.leader)) paths.push([card.row, card.leader]);
  return [card.path ?? [], ...paths];
}

function warm(one) {
  if (one.show?.kind === "picture") new Image().src = thumbnail(one.row, one.decided_by ? 512 : 160);
}

function heading(text, hint) {
  return el("h3", { title: hint }, text);
}

function meter(confidence, one) {
  const bar = paint(el("span", { class: "meter", "aria-hidden": "true" }), one.colour);
  bar.style.setProperty("--share", String(confidence));
  return bar;
}

/** Return a class as a coloured pill. */
export function pill(one) {
  const element = paint(el("span", { class: "pill" }, one.name), one.colour);
  element.style.setProperty("--ink", inkOn(one.colour));
  return element;
}

/** Return the sign of a class: its colour and key. */
export function keyCap(one) {
  return paint(el("kbd", { class: "cap" }, one.key ? one.key.toUpperCase() : iconOf("dot")), one.colour);
}
