// How far the work is: numbers, and curves over the actions.

import { getJson } from "./api.js";
import { at, count, el, percent, plural, svg } from "./dom.js";

const WIDTH = 300;
const HEIGHT = 120;
// A fit of usual rows is done before this.
const SLOW_MS = 6000;
const LINES = [
  ["share", "share_confident", "sure enough"],
  ["loo", "loo_accuracy", "leave-one-out"],
];

export class Progress {
  constructor(studio) {
    this.studio = studio;
    studio.on("state", (state) => this.draw(state));
    studio.on("progress", (progress) => this.drawModel(progress));
    studio.on("labels", () => this.later());
    at("asked").addEventListener("change", (event) => this.ask(Number(event.target.value) / 100));
  }

  async ask(value) {
    if (!(value > 0 && value < 1)) return;
    try {
      await this.studio.act({ kind: "set_confidence", value });
    } catch (error) {
      this.studio.emit("trouble", error);
    }
  }

  draw(state) {
    const { progress, model, n_given: given, n_rows: rows } = state;
    at("n-given").textContent = count(given);
    at("n-rows").textContent = `of ${plural(rows, "row")}`;
    at("share").textContent = percent(progress?.share_confident);
    at("loo").textContent = percent(progress?.loo_accuracy);
    const check = progress?.check;
    at("checked").textContent = check?.n ? percent(check.right / check.n) : "–";
    at("check-words").textContent = check?.n
      ? `${percent(check.low)} to ${percent(check.high)}, ${plural(check.n, "answer")}`
      : "random check: no answers yet";
    if (document.activeElement !== at("asked") && progress) at("asked").value = Math.round(100 * progress.asked_confidence);
    this.drawModel({ stage: model?.message, share: model?.progress, status: model?.status });
  }

  drawModel({ stage, share, status = "fitting" }) {
    const sentences = {
      none: "Label the first row to begin.",
      "one class": "One class so far: nothing is propagated yet. Give a second class its first label.",
      ready: "",
    };
    // A fit without words takes a moment: what comes and goes at every key is no news.
    this.waitFor(status === "fitting" && typeof share !== "number");
    at("model-words").textContent = sentences[status] ?? (stage || (at("model-slow").hidden ? "" : "Labelling all rows"));
    at("model").hidden = at("model-words").textContent === "";
    at("model").classList.toggle("trouble", status === "failed");
    const isRunning = status === "fitting";
    at("model-bar").hidden = !isRunning;
    if (isRunning && typeof share === "number") at("model-bar").value = share;
    else at("model-bar").removeAttribute("value");
  }

  /** Tell why a fit takes long, once it does. */
  waitFor(isFitting) {
    if (!isFitting) {
      clearTimeout(this.slow);
      this.slow = null;
      at("model-slow").hidden = true;
    }
    this.slow ??= isFitting ? setTimeout(() => {
      at("model-slow").hidden = false;
      at("model").hidden = false;
    }, SLOW_MS) : null;
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.drawCurve(), 400);
  }

  async drawCurve() {
    try {
      at("curve").replaceChildren(curve((await getJson("/api/history")).points));
    } catch (error) {
      this.studio.emit("trouble", error);
    }
  }
}

/** Return the curves as a picture. */
function curve(points) {
  if (points.length < 2) return el("p", { class: "hint" }, "A curve is drawn when the model has answered twice.");
  const [first, last] = [points[0].n_actions, points.at(-1).n_actions];
  const x = (point) => 4 + ((WIDTH - 42) * (point.n_actions - first)) / Math.max(1, last - first);
  const y = (share) => 6 + (HEIGHT - 24) * (1 - share);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": describe(points) });
  for (const share of [0, 0.5, 1]) {
    picture.append(svg("line", { class: "rule", x1: 4, x2: WIDTH - 38, y1: y(share), y2: y(share) }),
      svg("text", { class: "tick", x: WIDTH - 34, y: y(share) + 3.5 }, `${100 * share} %`));
  }
  picture.append(svg("text", { class: "tick", x: 4, y: HEIGHT - 4 }, `action ${count(first)}`),
    svg("text", { class: "tick", x: WIDTH - 38, y: HEIGHT - 4, "text-anchor": "end" }, count(last)));
  picture.append(...checkParts(points.filter((point) => point.check?.n), x, y));
  for (const [kind, key] of LINES) {
    const known = points.filter((point) => typeof point[key] === "number");
    picture.append(svg("polyline", { class: kind, points: line(known, x, (point) => y(point[key])) }));
  }
  return picture;
}

/** The random check: its share, and the interval around it. */
function checkParts(points, x, y) {
  if (!points.length) return [];
  const band = `${line(points, x, (point) => y(point.check.high))} ${line([...points].reverse(), x, (point) => y(point.check.low))}`;
  const middle = line(points, x, (point) => y(point.check.right / point.check.n));
  return [svg("polygon", { class: "band", points: band }), svg("polyline", { class: "check", points: middle })];
}

function line(points, x, y) {
  return points.map((point) => `${x(point).toFixed(1)},${y(point).toFixed(1)}`).join(" ");
}

function describe(points) {
  const parts = LINES.map(([, key, name]) => `${name} ${percent(points.at(-1)[key])}`);
  return `Curves over ${points.length} actions: ${parts.join(", ")}.`;
}
