// The page is put together here.

import { Card } from "./card.js";
import { addClass, pickClass } from "./classes.js";
import { openDialog } from "./dialogs.js";
import { at, count, el, plural } from "./dom.js";
import { showHelp } from "./help.js";
import { listenToKeys } from "./keys.js";
import { Labelling } from "./labelling.js";
import { Legend } from "./legend.js";
import { MapPanel } from "./mappanel.js";
import { trouble } from "./notices.js";
import { Progress } from "./progress.js";
import { Queue } from "./queue.js";
import { Search } from "./search.js";
import { Studio } from "./studio.js";
import { startTheme } from "./theme.js";
import { exportLabels, importLabels } from "./transfer.js";

const studio = new Studio();
const map = new MapPanel(studio);
const card = new Card(studio, map);
const queue = new Queue(studio, card);
const labelling = new Labelling(studio, queue);
const search = new Search(studio, map);
new Legend(studio, labelling);
new Progress(studio);
map.onlabel = (id) => labelling.give(id);

startTheme(() => map.retheme());

const commands = {
  accept: () => labelling.accept(),
  label: (id) => labelling.give(id),
  pick: () => pickClass(studio, (id) => labelling.give(id)),
  add: () => addClass(studio),
  next: () => queue.next(),
  back: () => queue.back(),
  queue: (step) => queue.step(step),
  undo: () => labelling.undo(),
  redo: () => labelling.redo(),
  search: () => at("search").select(),
  help: showHelp,
  escape: () => {
    if (at("search").value) search.clear();
    else if (studio.selection.length) studio.select([]);
    document.activeElement?.blur();
  },
};

function listenToButtons() {
  const presses = {
    undo: commands.undo,
    redo: commands.redo,
    help: showHelp,
    export: () => exportLabels(studio),
    import: () => importLabels(studio),
    next: commands.next,
    before: commands.back,
    accept: commands.accept,
    clear: () => labelling.give(null),
    "to-queue": () => queue.take(queue.current),
    "select-found": () => search.select(),
    "clear-selection": () => studio.select([]),
  };
  for (const [id, press] of Object.entries(presses)) at(id).addEventListener("click", press);
  at("blind-box").addEventListener("change", () => queue.choose("check"));
  at("lost").addEventListener("click", showLost);
}

function showLost() {
  const { lost, n_lost: n } = studio.state;
  openDialog("Labels without a row", () => [
    el("p", { class: "hint" }, "Their rows are not in the input any more. The labels are kept, and come back with the rows."),
    el("dl", { class: "lost" }, lost.map((one) => el("div", {}, el("dt", { dir: "auto" }, one.key), el("dd", {}, one.class)))),
    n > lost.length ? el("p", { class: "hint" }, `and ${count(n - lost.length)} more`) : null,
  ].filter(Boolean));
}

function drawHead(state) {
  document.title = `${state.name} · lapoleaf studio`;
  at("project").textContent = state.name;
  at("undo").disabled = !state.can_undo;
  at("redo").disabled = !state.can_redo;
  at("undo").title = state.undo_text ? `Undo: ${state.undo_text} (U)` : "Undo (U)";
  at("redo").title = state.redo_text ? `Redo: ${state.redo_text} (Shift-U)` : "Redo (Shift-U)";
  const nLost = state.n_lost;
  at("lost").hidden = nLost === 0;
  at("lost").textContent = `${plural(nLost, "label")} without a row`;
}

studio.on("state", drawHead);
studio.on("trouble", trouble);
let wasLost = false;

function drawSaved() {
  const n = studio.nUnsaved;
  at("saved").textContent = n ? `saving ${count(n)}…` : wasLost ? "not connected" : "saved";
  at("saved").classList.toggle("busy", n > 0 || wasLost);
}

studio.on("unsaved", drawSaved);
const OFFLINE = {
  lost: "The connection to the server is lost. Nothing that was saved is lost; the page tries again.",
  refused: "This page is not connected any more; nothing that was saved is lost. If the studio was started again, open the address that it has printed.",
};
studio.on("connection", (how) => {
  const isThere = how === "there";
  at("offline").hidden = isThere;
  if (!isThere) at("offline").textContent = OFFLINE[how];
  if (isThere && wasLost) studio.load().catch(trouble);
  wasLost = !isThere;
  drawSaved();
});
addEventListener("beforeunload", (event) => {
  if (studio.nUnsaved) event.preventDefault();
});

listenToButtons();
listenToKeys(studio, commands);
try {
  await studio.load();
  studio.listen();
  await queue.choose("next");
  document.documentElement.dataset.ready = "true";
} catch (error) {
  trouble(error);
  at("queue-message").replaceChildren(el("span", {}, error.message));
}
