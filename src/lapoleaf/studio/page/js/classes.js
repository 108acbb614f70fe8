// Dialogs for classes: add, rename, recolour, merge, delete; each is one action that can be undone.

import { choice, field, form, openDialog } from "./dialogs.js";
import { el, paint, plural, safeColour } from "./dom.js";
import { notify, trouble } from "./notices.js";
import { PALETTE, freeColour } from "./palette.js";

const MAX_LENGTH = 200;

/** Ask for the name and colour of a new class; then(id) is called when it is there. */
export function addClass(studio, { name = "", then = null } = {}) {
  const offered = freeColour(studio.classes);
  openDialog("New class", (close) => form(async (sent) => {
    const text = sent.elements.name.value.trim();
    if (!text) return;
    close();
    // A class that was added a moment ago may have the colour that was offered: the server knows.
    const chosen = colourOf(sent);
    const answer = await studio.act({ kind: "add_class", name: text, ...chosen === offered ? {} : { colour: chosen } });
    const id = answer.class ?? answer.state.classes.find((one) => one.name === text)?.id;
    if (then && id !== undefined) then(id);
  },
  field("Name", nameInput(name)),
  colourField(offered),
  el("footer", {}, el("button", { type: "submit", class: "main" }, "Add class"))));
}

/** Edit a class. */
export function editClass(studio, id) {
  const one = studio.classOf(id);
  if (!one) return;
  const others = studio.classes.filter((other) => other.id !== id);
  openDialog(`Class ${one.name}`, (close) => [
    form(async (sent) => {
      close();
      await saveChanges(studio, one, sent.elements.name.value.trim(), colourOf(sent));
    },
    field("Name", nameInput(one.name)),
    colourField(one.colour),
    el("footer", {}, el("button", { type: "submit", class: "main" }, "Save"))),
    others.length ? mergeForm(studio, one, others, close) : null,
    form(async () => {
      close();
      await studio.act({ kind: "delete_class", class: id });
      notify(`Class ${one.name} deleted. U brings it back.`);
    }, el("p", {}, `Delete the class and ${plural(studio.labels.counts().given[id], "label")} you gave it.`),
    el("footer", {}, el("button", { type: "submit", class: "danger" }, "Delete class"))),
  ], { class: "edit-class" });
}

async function saveChanges(studio, one, name, colour) {
  if (name && name !== one.name) await studio.act({ kind: "rename_class", class: one.id, name });
  if (colour !== one.colour) await studio.act({ kind: "recolour_class", class: one.id, colour });
}

function mergeForm(studio, one, others, close) {
  return form(async (sent) => {
    const into = Number(sent.elements.into.value);
    close();
    await studio.act({ kind: "merge_classes", from: one.id, into });
    notify(`${one.name} is now part of ${studio.classOf(into)?.name ?? "the other class"}.`);
  },
  field("Merge into", choice("into", others.map((other) => [String(other.id), other.name])),
    "All its labels get the other class."),
  el("footer", {}, el("button", { type: "submit" }, "Merge")));
}

function nameInput(value) {
  return el("input", { name: "name", value, required: true, maxlength: MAX_LENGTH, autocomplete: "off", autofocus: true });
}

function colourField(chosen) {
  const colours = PALETTE.includes(chosen) ? PALETTE : [safeColour(chosen), ...PALETTE];
  return el("fieldset", { class: "colours" }, el("legend", {}, "Colour"), colours.map((colour) =>
    paint(el("label", { title: colour }, el("input", { type: "radio", name: "colour", value: colour, checked: colour === chosen,
      "aria-label": colour })), colour)));
}

function colourOf(sent) {
  return sent.elements.colour.value;
}

/** Choose a class by typing its name; what is not there can be added. */
export function pickClass(studio, pick) {
  openDialog("Choose a class", (close) => {
    const list = el("ul", { class: "picks", role: "listbox", "aria-label": "Classes" });
    const input = el("input", { type: "text", autofocus: true, autocomplete: "off", maxlength: MAX_LENGTH,
      "aria-label": "Name of a class", placeholder: "Type a name" });
    const matches = () => studio.classes.filter((one) => one.name.toLowerCase().includes(input.value.trim().toLowerCase()));
    const choose = (id) => { close(); pick(id); };
    const draw = () => {
      const lines = matches().map((one) => el("li", {}, paint(el("button", { type: "button", role: "option",
        onclick: () => choose(one.id) }, el("span", { class: "dot" }), one.name), one.colour)));
      const text = input.value.trim();
      if (text && !studio.classes.some((one) => one.name === text)) {
        lines.push(el("li", {}, el("button", { type: "button", onclick: () => add(text) }, `New class “${text}”`)));
      }
      list.replaceChildren(...lines);
    };
    const add = async (name) => {
      close();
      try {
        const answer = await studio.act({ kind: "add_class", name });
        pick(answer.class ?? answer.state.classes.find((one) => one.name === name)?.id);
      } catch (error) {
        trouble(error);
      }
    };
    input.addEventListener("input", draw);
    draw();
    return form(() => {
      const text = input.value.trim();
      const exact = studio.classes.find((one) => one.name === text) ?? matches()[0];
      if (exact) choose(exact.id);
      else if (text) return add(text);
      return null;
    }, input, list);
  });
}
