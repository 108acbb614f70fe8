// State of the page: state and labels of the server, the row in hand, the rows selected; and the actions.

import { getBytes, getJson, ofSession, postFile, postJson } from "./api.js";
import { Emitter } from "./emitter.js";
import { Labels } from "./labels.js";
import { dressed } from "./palette.js";

// Labels are fetched once the model has answered; without an answer after this many milliseconds.
const MOST_WAIT = 1000;

export class Studio extends Emitter {
  constructor() {
    super();
    this.state = null;
    this.classes = [];
    this.labels = new Labels();
    this.hand = null;
    this.selection = [];
    this.hidden = new Set();
    this.nUnsaved = 0;
    this.posts = Promise.resolve();
    this.fetching = null;
    this.wantsLabels = false;
    this.settled = -1;
    this.waiting = null;
    this.mapRevision = 0;
    this.isLeaving = false;
  }

  /** Ask for everything, at the start and after the connection was lost. */
  async load() {
    this.takeState(await getJson("/api/state"), true);
    this.mapRevision = 0;
    await Promise.all([this.fetchLabels(), this.fetchPositions(this.state.map.revision)]);
  }

  /** Listen to what the server pushes. */
  listen() {
    const source = new EventSource("/api/events");
    const on = (kind, take) => source.addEventListener(kind, (event) => take(JSON.parse(event.data)));
    on("state", (state) => this.takeState(state));
    on("labels", ({ revision, settled }) => {
      if (settled) this.settled = revision;
      this.fetchSoon(settled ? 0 : MOST_WAIT);
    });
    on("map", ({ revision }) => this.fetchPositions(revision).catch((error) => this.emit("trouble", error)));
    on("changed", (changed) => this.emit("changed", changed));
    on("progress", (progress) => this.emit("progress", progress));
    source.addEventListener("open", () => this.emit("connection", "there"));
    // A browser that was refused does not try again.
    source.addEventListener("error", () => this.emit("connection", source.readyState === EventSource.CLOSED ? "refused" : "lost"));
  }

  takeState(state, isFresh = false) {
    // Rows are known by their numbers: those of another project must not be mixed with these.
    if (this.state && state.session !== this.state.session) {
      this.isLeaving = true;
      location.reload();
      return;
    }
    // Answers to requests and events overtake each other.
    if (!isFresh && this.state && state.number < this.state.number) return;
    ofSession(state.session);
    this.state = state;
    this.classes = dressed(state.classes);
    this.byId = new Map(this.classes.map((one) => [one.id, one]));
    this.emit("state", state);
  }

  classOf(id) {
    return this.byId?.get(id) ?? null;
  }

  /** Get the label bytes, at once or after a wait: what this page did is shown already. */
  fetchSoon(wait) {
    const fetch = () => {
      clearTimeout(this.waiting);
      this.waiting = null;
      this.fetchLabels().catch((error) => this.emit("trouble", error));
    };
    if (wait) this.waiting ??= setTimeout(fetch, wait);
    else fetch();
  }

  /** Get the label bytes; while some are on their way, once more after them. */
  fetchLabels() {
    if (this.isLeaving) return Promise.resolve();
    this.wantsLabels = true;
    this.fetching ??= this.fetchWanted().finally(() => {
      this.fetching = null;
    });
    return this.fetching;
  }

  async fetchWanted() {
    while (this.wantsLabels) {
      this.wantsLabels = false;
      const covered = this.labels.saved();
      const bytes = await getBytes("/api/labels");
      if (bytes === null) continue;
      this.labels.read(bytes, covered);
      // Which labels the model has answered: those of the last event with new labels.
      if (this.labels.revision === this.settled) this.labels.settled = this.settled;
      this.emit("labels", this.labels);
    }
  }

  /** Get the positions of a revision, unless they are here already. */
  async fetchPositions(revision) {
    if (this.isLeaving || revision <= this.mapRevision) return;
    this.mapRevision = revision;
    const bytes = await getBytes("/api/map/positions");
    if (bytes) this.emit("positions", new Float32Array(bytes));
  }

  /** Label rows: shown at once, saved in order behind the actions before. */
  label(rows, classId) {
    return this.give(rows, classId, { kind: "label", rows: [...rows], class: classId });
  }

  /** Answer a row of the random check, which was shown with a class. */
  answerCheck(row, classId, shown) {
    return this.give([row], classId, { kind: "answer_check", row, class: classId, shown });
  }

  async give(rows, classId, action) {
    const entry = this.labels.give(rows, classId);
    this.emit("labels", this.labels);
    try {
      const answer = await this.send(() => postJson("/api/actions", action));
      entry.isSaved = true;
      return answer;
    } catch (error) {
      this.labels.drop(entry);
      this.emit("labels", this.labels);
      throw error;
    }
  }

  /** Do an action that is no label; labels are asked for after it. */
  async act(action) {
    const answer = await this.send(() => postJson("/api/actions", action));
    this.fetchLabels();
    return answer;
  }

  /** Undo or redo, if there is something to; return what was done, or null, and the row. */
  async step(kind) {
    let text = null;
    const answer = await this.send(async () => {
      if (!this.state[`can_${kind}`]) return {};
      text = this.state[`${kind}_text`] ?? "";
      return postJson("/api/actions", { kind });
    });
    if (text !== null) this.fetchLabels();
    return { text, row: answer.row };
  }

  /** Take the labels of a file; one action. */
  async importFile(file, format, label) {
    const query = new URLSearchParams({ format, ...label ? { label } : {} });
    const answer = await this.send(() => postFile(`/api/import?${query}`, file));
    this.fetchLabels();
    return answer;
  }

  /** Post in the order of the keys; the page does not wait for it. */
  send(post) {
    this.countUnsaved(1);
    const done = this.posts.then(post).then((answer) => {
      if (answer.state) this.takeState(answer.state);
      return answer;
    });
    this.posts = done.catch(() => {});
    return done.finally(() => this.countUnsaved(-1));
  }

  countUnsaved(change) {
    this.nUnsaved += change;
    this.emit("unsaved", this.nUnsaved);
  }

  select(rows) {
    this.selection = rows;
    this.emit("selection", rows);
  }

  takeInHand(row) {
    this.hand = row;
    this.emit("hand", row);
  }

  toggleClass(id) {
    if (!this.hidden.delete(id)) this.hidden.add(id);
    this.emit("hidden", this.hidden);
  }
}
