// The queue: one row after the other, like flashcards.

import { getJson } from "./api.js";
import { at, count, el, plural } from "./dom.js";
import { announce } from "./notices.js";

export const KINDS = [
  ["next", "Label next", "The rows whose labels tell most about the others."],
  ["doubtful", "Doubtful", "Labels you gave that the others contradict. Space keeps a label, a key corrects it."],
  ["unsure", "Least sure", "The rows whose labels are least sure."],
  ["changed", "Changed", "Rows whose labels your last action changed."],
  ["check", "Random check", "Random rows: is the label right? Only these answers estimate the accuracy."],
];

const hintOf = (kind) => KINDS.find(([one]) => one === kind)[2];
const N_ITEMS = 12;
const N_CHECKS = 3;
const MAX_ITEMS = 200;

export class Queue {
  constructor(studio, card) {
    this.studio = studio;
    this.card = card;
    this.kind = "next";
    this.items = [];
    this.current = null;
    this.passed = [];
    // Rows that were answered in this queue: they do not come again, even if they are still in it.
    this.answered = new Set();
    this.turn = 0;
    this.drawTabs();
    studio.on("labels", () => this.labelsChanged());
    studio.on("changed", ({ rows, n }) => this.showChanged(n ?? rows.length));
    studio.on("hand", () => this.drawPlace());
  }

  drawTabs() {
    const tabs = KINDS.map(([kind, name, hint]) => el("button", {
      type: "button", role: "tab", id: `tab-${kind}`, title: hint, "aria-controls": "card",
      onclick: () => this.choose(kind),
    }, name, kind === "changed" ? el("span", { class: "badge", id: "n-changed" }) : null));
    at("tabs").replaceChildren(...tabs);
    at("tabs").addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      this.step(step);
      at(`tab-${this.kind}`).focus();
    });
    this.markTab();
  }

  markTab() {
    for (const [kind] of KINDS) {
      const isChosen = kind === this.kind;
      at(`tab-${kind}`).setAttribute("aria-selected", String(isChosen));
      at(`tab-${kind}`).tabIndex = isChosen ? 0 : -1;
    }
    at("blind").hidden = this.kind !== "check";
  }

  /** Go to the queue before or after. */
  step(step) {
    const place = KINDS.findIndex(([kind]) => kind === this.kind);
    return this.choose(KINDS[(place + step + KINDS.length) % KINDS.length][0]);
  }

  async choose(kind) {
    this.kind = kind;
    this.items = [];
    this.passed = [];
    this.answered.clear();
    this.current = null;
    this.markTab();
    this.card.isBlind = kind === "check" && at("blind-box").checked;
    at("card").dataset.blind = String(this.card.isBlind);
    announce(`Queue: ${KINDS.find(([one]) => one === kind)[1]}.`);
    await this.next();
  }

  /** Go on after an answer to the row in hand. */
  answer() {
    this.answered.add(this.current.row);
    return this.next();
  }

  /** Take the next row in hand. */
  async next() {
    const { kind } = this;
    if (this.current) this.passed.push(this.current);
    // The label of a row to be checked is the one it has now.
    if (this.items.length === 0 || this.kind === "check") await this.refill();
    if (this.items.length === 0 && this.passed.length) await this.begin();
    // Another queue was chosen meanwhile, which takes its own first row.
    if (kind !== this.kind) return;
    this.take(this.items.shift() ?? null);
    if (this.items.length === 0 && this.current && this.kind !== "check") this.refill();
  }

  /** Begin again when all rows were passed over. */
  async begin() {
    this.passed = [];
    this.current = null;
    await this.refill();
  }

  /** Go back to the row before. */
  back() {
    const before = this.passed.pop();
    if (!before) return;
    if (this.current) this.items.unshift(this.current);
    this.take(before);
  }

  /** Return to the row whose answer was taken back, if it is the one before. */
  returnTo(row) {
    this.answered.delete(row);
    // What is shown of a row to be checked is drawn again.
    if (this.kind === "check" || !this.isInHand || this.passed.at(-1)?.row !== row) return;
    this.back();
  }

  take(item) {
    this.current = item;
    at("card").dataset.queue = this.kind;
    this.card.checked = item?.shown === undefined ? null : item;
    at("queue-message").textContent = item ? "" : this.message ?? "Nothing here.";
    this.studio.takeInHand(item?.row ?? null);
    this.prefetch();
  }

  prefetch() {
    for (const item of this.items.slice(0, 2)) this.card.prefetch(item.row);
  }

  /** Ask for rows; those who asked before wait for the newest answer, too. */
  refill() {
    this.filling = this.fill(++this.turn);
    return this.filling;
  }

  /** Get rows; those seen in this queue do not come again before the queue is empty. */
  async fill(turn) {
    // More where rows were passed over; rows with a label do not come again by themselves.
    const nSkipped = this.passed.filter((item) => !this.studio.labels.isGiven(item.row)).length;
    // A doubtful label that was kept is doubtful still.
    const nKept = this.kind === "doubtful" ? this.answered.size : 0;
    const n = Math.min(MAX_ITEMS, (this.kind === "check" ? N_CHECKS : N_ITEMS) + nSkipped + nKept);
    try {
      const answer = await getJson(`/api/queue?kind=${this.kind}&n=${n}`);
      if (turn !== this.turn) return await this.filling;
      this.message = answer.message || (answer.items.length ? "That was all: you have answered every row here." : "Nothing here.");
      at("queue-hint").textContent = answer.items.length ? answer.message || hintOf(this.kind) : "";
      const seen = new Set([...this.answered, ...[this.current, ...this.passed].filter(Boolean).map((item) => item.row)]);
      const items = answer.items.map((item) => (typeof item === "number" ? { row: item } : item));
      this.items = items.filter((item) => !seen.has(item.row));
      this.prefetch();
      this.drawPlace();
    } catch (error) {
      this.studio.emit("trouble", error);
    }
    return null;
  }

  /** After a label, the best rows are others; the row in hand stays. */
  labelsChanged() {
    if (this.kind === "check" || this.kind === "changed") return;
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      await this.refill();
      if (this.studio.hand === null && this.items.length) this.next();
    }, 250);
  }

  showChanged(n) {
    at("n-changed").textContent = n ? count(n) : "";
    at("n-changed").setAttribute("aria-label", plural(n, "row"));
  }

  /** Whether the row in hand came from this queue. */
  get isInHand() {
    return this.current !== null && this.current.row === this.studio.hand;
  }

  drawPlace() {
    at("to-queue").hidden = this.studio.hand === null || this.isInHand;
    at("before").disabled = this.passed.length === 0;
  }
}
