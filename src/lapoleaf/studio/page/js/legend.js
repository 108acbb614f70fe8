// Classes with their keys, colours and counts: a legend that labels, hides and edits.

import { keyCap } from "./card.js";
import { at, count, el, iconButton, paint } from "./dom.js";
import { addClass, editClass } from "./classes.js";

export class Legend {
  constructor(studio, labelling) {
    this.studio = studio;
    this.labelling = labelling;
    at("add-class").addEventListener("click", () => addClass(studio));
    for (const kind of ["state", "hidden"]) studio.on(kind, () => this.draw());
    studio.on("labels", () => this.drawCounts());
    studio.on("hand", () => this.markHand());
  }

  /** Draw the classes if they have changed: a button that is replaced while it is pressed loses the click. */
  draw() {
    const drawn = JSON.stringify([this.studio.classes, [...this.studio.hidden]]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.drawAnswers();
    const focused = document.activeElement?.id;
    at("legend").replaceChildren(...this.studio.classes.map((one) => this.line(one)));
    if (focused) at(focused)?.focus();
    at("no-classes").hidden = this.studio.classes.length > 0;
    at("legend-heads").hidden = this.studio.classes.length === 0;
    this.drawCounts();
  }

  line(one) {
    const isHidden = this.studio.hidden.has(one.id);
    const id = `class-${one.id}`;
    return paint(el("li", { class: isHidden ? "hidden" : null, "data-class": one.id },
      iconButton(isHidden ? "hidden" : "shown", `${isHidden ? "Show" : "Hide"} ${one.name} on the map`,
        () => this.studio.toggleClass(one.id), { "aria-pressed": String(!isHidden), id: `${id}-shown`, class: "icon eye" }),
      keyCap(one),
      el("button", { type: "button", class: "name", id: `${id}-name`, title: `Label ${one.name}`,
        onclick: () => this.labelling.give(one.id) }, one.name),
      el("span", { class: "counts", "data-counts": one.id }),
      iconButton("edit", `Edit ${one.name}`, () => editClass(this.studio, one.id), { id: `${id}-edit` }),
    ), one.colour);
  }

  /** The classes below the card, as answers to press. */
  drawAnswers() {
    at("answers").replaceChildren(...this.studio.classes.map((one) => paint(el("button", {
      type: "button", class: "answer", "data-class": one.id, onclick: () => this.labelling.give(one.id),
    }, keyCap(one), el("span", {}, one.name)), one.colour)),
    el("button", { type: "button", class: this.studio.classes.length ? "answer plain" : "answer main", onclick: () => addClass(this.studio) },
      el("kbd", { class: "cap" }, "+"), el("span", {}, this.studio.classes.length ? "New class" : "Add the first class")));
    this.markHand();
  }

  drawCounts() {
    const { all, given, unlabelled } = this.studio.labels.counts();
    for (const element of at("legend").querySelectorAll("[data-counts]")) {
      const id = Number(element.dataset.counts);
      element.replaceChildren(el("b", { title: "labels you gave" }, count(given[id])),
        el("span", { title: "rows with this label" }, count(all[id])));
      element.setAttribute("aria-label", `${count(given[id])} given, ${count(all[id])} in all`);
    }
    at("n-unlabelled").textContent = count(unlabelled);
    this.markHand();
  }

  markHand() {
    const chosen = this.studio.hand === null ? null : this.studio.labels.classOf(this.studio.hand);
    const isGiven = this.studio.hand !== null && this.studio.labels.isGiven(this.studio.hand);
    for (const button of at("answers").querySelectorAll("[data-class]")) {
      const isIt = Number(button.dataset.class) === chosen;
      button.classList.toggle("is-label", isIt && at("card").dataset.blind !== "true");
      button.setAttribute("aria-pressed", String(isIt && isGiven));
    }
  }
}
