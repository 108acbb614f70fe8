// Export and import.

import { choice, field, form, openDialog } from "./dialogs.js";
import { address, postJson } from "./api.js";
import { el, plural } from "./dom.js";
import { notify } from "./notices.js";

const FORMATS = [
  ["csv", "CSV"],
  ["parquet", "Parquet"],
  ["jsonl", "JSON lines"],
  ["label-studio", "Label Studio JSON"],
  ["pictures", "Folders of pictures, one a class (copies)"],
  ["model", "Model with its rows"],
];
const ON_DISK = new Set(["pictures", "model"]);
const IMPORTED = [...FORMATS.slice(0, 4), ["project", "Project of the studio"]];
const ENDINGS = [["csv", "csv"], ["parquet", "parquet"], ["jsonl", "jsonl"], ["json", "label-studio"], ["lapoleaf", "project"]];

/** Ask what to export, and do it. */
export function exportLabels(studio) {
  const formats = FORMATS.filter(([value]) => value !== "pictures" || studio.state.kind === "images");
  openDialog("Export", (close) => form(async (sent) => {
    const { format, labels, escape } = sent.elements;
    const query = new URLSearchParams({ format: format.value, labels: labels.value, escape: escape.checked ? "1" : "0" });
    close();
    if (ON_DISK.has(format.value)) {
      notify("Writing…");
      const answer = await postJson(`/api/export?${query}`, {});
      notify(`Written to ${answer.path}`);
    } else el("a", { href: address(`/api/export?${query}`), download: "" }).click();
  },
  field("Format", choice("format", formats)),
  field("Labels", choice("labels", [["all", "Yours and the model's, marked"], ["given", "Only those you gave"]])),
  el("label", { class: "check" }, el("input", { type: "checkbox", name: "escape" }),
    el("span", {}, "Escape cells that begin like formulas (for spreadsheets)")),
  el("footer", {}, el("button", { type: "submit", class: "main" }, "Export"))));
}

/** Ask for a file with labels, and take them. */
export function importLabels(studio) {
  openDialog("Import labels", (close) => {
    const format = choice("format", IMPORTED);
    const file = el("input", { type: "file", name: "file", required: true, accept: ".csv,.parquet,.jsonl,.json,.lapoleaf" });
    file.addEventListener("change", () => {
      const ending = file.files[0]?.name.split(".").at(-1).toLowerCase();
      const known = ENDINGS.find(([one]) => one === ending);
      if (known) format.value = known[1];
    });
    return form(async (sent) => {
      const chosen = sent.elements.file.files[0];
      const label = sent.elements.label.value.trim();
      close();
      const taken = await studio.importFile(chosen, format.value, label);
      notify(`${plural(taken.n_taken, "label")} taken, ${taken.n_replaced} of them in place of yours; ${plural(taken.n_lost, "label")} without a row.`);
    },
    field("File", file, "Such as one that was exported here."),
    field("Format", format),
    field("Column of labels", el("input", { name: "label", autocomplete: "off", spellcheck: "false", placeholder: "label" }),
      "If the file is of another program, and its labels are in a column of another name."),
    el("footer", {}, el("button", { type: "submit", class: "main" }, "Import")));
  });
}
