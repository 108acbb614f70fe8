// Dialogs: the browser keeps the focus inside and gives it back.

import { el, iconButton } from "./dom.js";
import { trouble } from "./notices.js";

/** Open a dialog; build(close) returns its content. Return the dialog. */
export function openDialog(title, build, attributes = {}) {
  const dialog = el("dialog", { "aria-label": title, ...attributes });
  const close = () => dialog.close();
  dialog.append(
    el("header", {}, el("h2", {}, title), iconButton("close", "Close", close)),
    el("div", { class: "body" }, build(close)),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("[autofocus]")?.focus();
  return dialog;
}

/** Whether a dialog is open: keys are its own then. */
export function isDialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}

/** Return a form that calls submit(form) instead of going anywhere. */
export function form(submit, ...children) {
  return el("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        await submit(event.target);
      } catch (error) {
        trouble(error);
      }
    },
  }, ...children);
}

/** Return a field with its name above. */
export function field(name, control, hint = null) {
  return el("label", { class: "field" }, el("span", {}, name), control, hint ? el("small", {}, hint) : null);
}

/** Return a list to choose one of; choices are [value, text]. */
export function choice(name, choices, chosen = null) {
  return el("select", { name }, choices.map(([value, text]) =>
    el("option", { value, selected: value === chosen }, text)));
}
