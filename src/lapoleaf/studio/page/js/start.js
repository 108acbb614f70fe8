// The start page: recent projects, a path, a dropped file.

import { getJson, postFile, postJson } from "./api.js";
import { at, el, plural } from "./dom.js";
import { notify, trouble } from "./notices.js";
import { startTheme } from "./theme.js";

async function open(path) {
  setBusy(true);
  try {
    await postJson("/api/open", { path, label: at("label").value.trim(), id: at("id").value.trim() });
    location.assign("/");
  } catch (error) {
    setBusy(false);
    trouble(error);
  }
}

async function upload(file) {
  setBusy(true);
  try {
    const { path } = await postFile(`/api/upload?name=${encodeURIComponent(file.name)}`, file);
    await open(path);
  } catch (error) {
    setBusy(false);
    trouble(error);
  }
}

function setBusy(isBusy) {
  document.body.classList.toggle("busy", isBusy);
  at("open").disabled = isBusy;
  if (isBusy) notify("Opening…");
}

function listenToDrops() {
  const zone = at("drop");
  for (const kind of ["dragover", "dragenter"]) {
    addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  addEventListener("dragleave", () => zone.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const [file] = event.dataTransfer.files;
    const isFolder = event.dataTransfer.items[0]?.webkitGetAsEntry?.()?.isDirectory;
    if (isFolder) notify(`${file.name} is a folder: write its path above, so that nothing has to be copied.`, { isTrouble: true });
    else if (file) upload(file);
  });
  at("file").addEventListener("change", (event) => event.target.files[0] && upload(event.target.files[0]));
}

async function listRecent() {
  const { projects } = await getJson("/api/recent");
  at("recent-box").hidden = projects.length === 0;
  at("recent").replaceChildren(...projects.map((one) => el("li", {}, el("button", { type: "button", onclick: () => open(one.path) },
    el("b", {}, one.name ?? one.path), el("span", {}, one.path),
    el("small", {}, [plural(one.n_given, "label"), when(one.time)].filter(Boolean).join(", "))))));
}

/** Return a moment as people write it. */
function when(seconds) {
  if (!Number.isFinite(seconds)) return null;
  return new Date(1000 * seconds).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

startTheme(() => {});
listenToDrops();
at("path-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const path = at("path").value.trim();
  if (path) open(path);
});
listRecent().catch(trouble);
document.documentElement.dataset.ready = "true";
