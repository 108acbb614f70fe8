// The scene in a worker of its own: drawing never waits for the page, nor the page for drawing.

import { Scene } from "./scene.js";

const scene = new Scene((message) => postMessage(message));

addEventListener("message", (event) => scene.take(event.data));
