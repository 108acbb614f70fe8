// Light or dark: as the system has it, or as chosen here.

import { at } from "./dom.js";

const NAME = "lapoleaf-theme";

/** Apply the theme chosen before, and let the button change it; changed() is called after every change. */
export function startTheme(changed) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  apply(localStorage.getItem(NAME));
  at("theme").addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    localStorage.setItem(NAME, next);
    apply(next);
    changed();
  });
  system.addEventListener("change", changed);
}

function apply(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Return the colours of the map in this theme, as resolved from the style sheet. */
export function mapTheme(box) {
  const probe = document.createElement("i");
  box.append(probe);
  const read = (name) => {
    probe.className = `probe ${name}`;
    return getComputedStyle(probe).color;
  };
  const theme = Object.fromEntries(["background", "ink", "accent", "light", "wash", "none"].map((name) => [name, read(name)]));
  probe.remove();
  return theme;
}

/** Return rgb(r, g, b) as 0xBBGGRR. */
export function rgbPixel(text) {
  const [red, green, blue] = text.match(/\d+(\.\d+)?/g).map(Number);
  return (blue << 16) | (green << 8) | red;
}
