// The keyboard. Letters belong to the classes, except N and U.

import { isDialogOpen } from "./dialogs.js";

const FIELDS = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";
const PRESSED_BY_SPACE = "button, a, summary, input, select, textarea";

/** Listen to keys; commands has a function for each. */
export function listenToKeys(studio, commands) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isDialogOpen()) return;
    if (event.key === "Escape") return commands.escape(event);
    const target = targetOf(event);
    if (target.matches(FIELDS)) return;
    const command = commandOf(event, target, studio, commands);
    if (!command) return;
    event.preventDefault();
    if (!event.repeat || command.repeats) command.run();
  });
  // A button that was clicked must not be pressed again by the next Space.
  document.addEventListener("click", (event) => {
    if (event.detail > 0 && event.target.closest?.("button") && !isDialogOpen()) {
      document.activeElement?.blur();
    }
  });
}

/** Return where a key was pressed: a dialog that has just been closed keeps the focus until the next frame. */
function targetOf(event) {
  const isGone = !event.target.matches || event.target.closest("dialog:not([open])");
  return isGone ? document.body : event.target;
}

/** Return what a key stands for; where it has no Latin letter, or the sign of a digit, that of its place. */
function keyOf(event) {
  const key = event.key.toLowerCase();
  const [, letter] = /^Key([A-Z])$/.exec(event.code) ?? [];
  if (letter && /^[^\0-\x7f]$/u.test(key)) return letter.toLowerCase();
  const [, digit] = /^Digit(\d)$/.exec(event.code) ?? [];
  return digit && !event.shiftKey && !"+/?,.".includes(key) ? digit : key;
}

function commandOf(event, target, studio, commands) {
  const key = keyOf(event);
  const once = (run) => ({ run, repeats: false });
  const again = (run) => ({ run, repeats: true });
  const isOnButton = target.matches(PRESSED_BY_SPACE);
  if (key === " ") return isOnButton ? null : once(commands.accept);
  if (key === "enter") return isOnButton ? null : once(commands.pick);
  if (key === "?") return once(commands.help);
  if (key === "/") return once(commands.search);
  if (key === "+") return once(commands.add);
  if (key === ",") return once(() => commands.queue(-1));
  if (key === ".") return once(() => commands.queue(1));
  if (key === "arrowright") return again(commands.next);
  if (key === "arrowleft") return again(commands.back);
  if (key === "u") return again(event.shiftKey ? commands.redo : commands.undo);
  // Some keyboards have digits with Shift only.
  if (event.shiftKey && !/^\d$/.test(key)) return null;
  if (key === "n") return again(commands.next);
  if (key === "0") return once(() => commands.label(null));
  const one = studio.classes.find((other) => other.key?.toLowerCase() === key);
  return one ? once(() => commands.label(one.id)) : null;
}
