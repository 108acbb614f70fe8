// What a person does with the row in hand or the rows selected.

import { at, plural, rowName } from "./dom.js";
import { announce, notify } from "./notices.js";

export class Labelling {
  constructor(studio, queue) {
    this.studio = studio;
    this.queue = queue;
    this.nAnswered = 0;
  }

  /** Give a class, or null to clear, to the rows selected or else to the row in hand. */
  give(classId) {
    if (this.studio.selection.length) return this.giveSelection(classId);
    const row = this.studio.hand;
    if (!this.isShown(row)) return null;
    if (classId === null && !this.studio.labels.isGiven(row)) return notify("This row has no label of yours to clear.");
    return this.giveRow(row, classId);
  }

  /** Whether a row is there to see: only then is its label a person's. */
  isShown(row) {
    const isShown = row !== null && this.queue.card.shown?.row === row;
    if (!isShown) announce(row === null ? "There is no row in hand." : "The row is being loaded.");
    return isShown;
  }

  giveSelection(classId) {
    const rows = this.studio.selection;
    this.studio.select([]);
    const name = this.studio.classOf(classId)?.name;
    notify(name ? `${plural(rows.length, "row")} labelled ${name}.` : `${plural(rows.length, "label")} cleared.`,
      { button: { text: "Undo", press: () => this.undo() } });
    return this.watch(this.studio.label(rows, classId), `The label of ${plural(rows.length, "row")}`);
  }

  giveRow(row, classId) {
    // An answer that is there already is corrected by a label like any other.
    const isCheck = this.queue.kind === "check" && this.queue.isInHand && classId !== null && !this.studio.labels.isGiven(row);
    const done = isCheck ? this.studio.answerCheck(row, classId, this.queue.current.shown) : this.studio.label([row], classId);
    const name = this.studio.classOf(classId)?.name;
    announce(name ? `${rowName(row)} labelled ${name}.` : `Label of ${rowName(row)} cleared.`);
    at("n-answered").textContent = plural(++this.nAnswered, "answer");
    if (this.queue.isInHand && classId !== null) this.queue.answer();
    return this.watch(done, `The label of ${rowName(row)}`);
  }

  /** Give the row in hand the label that is shown. */
  accept() {
    const row = this.studio.hand;
    if (!this.isShown(row)) return null;
    if (this.queue.card.isBlind && !this.studio.labels.isGiven(row)) return notify("The label is hidden: press the key of a class.");
    const classId = this.queue.card.classShown(row);
    if (this.studio.classOf(classId) === null) return notify("There is no label to accept: press the key of a class.");
    return this.giveRow(row, classId);
  }

  async undo() {
    const answer = await this.step("undo", "Undone");
    if (Number.isInteger(answer?.row)) this.queue.returnTo(answer.row);
  }

  redo() {
    return this.step("redo", "Done again");
  }

  async step(kind, word) {
    const answer = await this.watch(this.studio.step(kind));
    if (answer) notify(answer.text === null ? `There is nothing to ${kind}.` : `${word}: ${answer.text}.`);
    return answer;
  }

  async watch(done, what = "") {
    try {
      return await done;
    } catch (error) {
      this.studio.emit("trouble", what ? new Error(`${error.message} ${what} is not saved.`) : error);
      return null;
    }
  }
}
