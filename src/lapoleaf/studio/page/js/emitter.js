// Listeners by the name of the event.

export class Emitter {
  constructor() {
    this.listeners = new Map();
  }

  on(kind, listener) {
    if (!this.listeners.has(kind)) this.listeners.set(kind, []);
    this.listeners.get(kind).push(listener);
  }

  emit(kind, detail) {
    for (const listener of this.listeners.get(kind) ?? []) listener(detail);
  }
}
