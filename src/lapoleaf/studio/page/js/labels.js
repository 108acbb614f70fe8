// Labels of all rows as bytes, with what was given a moment ago and is on its way to the server.

const HEADER = 16;

export class Labels {
  constructor() {
    this.revision = -1;
    this.n = 0;
    this.classes = new Uint8Array(0);
    this.confidence = new Uint8Array(0);
    this.bits = new Uint8Array(0);
    this.pending = [];
    this.settled = -1;
    this.buffer = null;
  }

  /** Take the answer of /api/labels; entries in covered are part of it. */
  read(buffer, covered) {
    this.buffer = buffer;
    this.pending = this.pending.filter((entry) => !covered.has(entry));
    this.show();
  }

  /** Show what the server sent last, and above it what is on its way. */
  show() {
    const { buffer } = this;
    const [revision, n, , isWide] = new Uint32Array(buffer, 0, 4);
    const size = isWide ? 2 : 1;
    const Type = isWide ? Uint16Array : Uint8Array;
    this.revision = revision;
    this.n = n;
    this.classes = new Type(buffer.slice(HEADER, HEADER + n * size));
    this.confidence = new Uint8Array(buffer.slice(HEADER + n * size, HEADER + n * (size + 1)));
    this.bits = new Uint8Array(buffer.slice(HEADER + n * (size + 1)));
    for (const entry of this.pending) this.apply(entry);
  }

  /** Show a label before the server has it; the entry returned is marked when it is saved. */
  give(rows, classId) {
    const entry = { rows, classId, isSaved: false };
    this.pending.push(entry);
    this.apply(entry);
    return entry;
  }

  /** Return the entries that bytes asked for from now on will hold. */
  saved() {
    return new Set(this.pending.filter((entry) => entry.isSaved));
  }

  /** Take an entry back that the server does not have. */
  drop(entry) {
    this.pending = this.pending.filter((other) => other !== entry);
    if (this.buffer) this.show();
  }

  apply({ rows, classId }) {
    for (const row of rows) {
      this.classes[row] = classId ?? this.none;
      this.confidence[row] = classId === null ? 0 : 255;
      if (classId === null) this.bits[row >> 3] &= ~(1 << (row & 7));
      else this.bits[row >> 3] |= 1 << (row & 7);
    }
  }

  /** What stands for "no label". */
  get none() {
    return 256 ** this.classes.BYTES_PER_ELEMENT - 1;
  }

  /** Return the id of a row's class, or null. */
  classOf(row) {
    const id = this.classes[row];
    return id === undefined || id === this.none ? null : id;
  }

  confidenceOf(row) {
    return this.confidence[row] / 255;
  }

  isGiven(row) {
    return (this.bits[row >> 3] & (1 << (row & 7))) !== 0;
  }

  /** Return the rows that a person labelled. */
  givenRows() {
    const rows = [];
    this.bits.forEach((byte, block) => {
      for (let bit = 0; byte >> bit; bit++) if (byte & (1 << bit)) rows.push(8 * block + bit);
    });
    return Uint32Array.from(rows.filter((row) => row < this.n));
  }

  /** Return for every class id the number of rows with its label, and of those a person gave. */
  counts() {
    const all = new Uint32Array(this.none + 1);
    const given = new Uint32Array(this.none + 1);
    for (let row = 0; row < this.n; row++) all[this.classes[row]]++;
    for (const row of this.givenRows()) given[this.classes[row]]++;
    return { all, given, unlabelled: all[this.none] };
  }
}
