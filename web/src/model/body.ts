// A body as the page knows it: what frames said last, in arrays laid out as textures want them (rows of a fixed width, so that
// an index becomes a texel by shifting). Owns the numbers; what they look like is the scene's business.

import { FACE_WORDS } from "../protocol/frame";

export const FACE_TEXELS = 2048; // texels of one u32
export const POINT_TEXELS = 1024; // texels of four floats

export const OPENED = 1;

function grown<T extends Uint32Array | Float32Array>(old: T, length: number, row: number): T {
  if (length <= old.length) return old;
  const rows = Math.ceil(Math.max(length, old.length * 1.5) / row);
  const array = new (old.constructor as new (n: number) => T)(rows * row);
  array.set(old);
  return array;
}

export class Layer {
  faces: Uint32Array = new Uint32Array(FACE_TEXELS);
  slots = 0;
  version = 0;

  replace(slots: number, faces: Uint32Array): void {
    this.faces = grown(this.faces, slots * FACE_WORDS, FACE_TEXELS);
    this.faces.set(faces);
    this.slots = slots;
    this.version++;
  }

  change(slots: number, rows: Uint32Array): void {
    this.faces = grown(this.faces, slots * FACE_WORDS, FACE_TEXELS);
    if (slots > this.slots) this.faces.fill(0, this.slots * FACE_WORDS, slots * FACE_WORDS);
    for (let k = 0; k < rows.length; k += FACE_WORDS + 1) {
      const slot = rows[k];
      if (slot < slots) this.faces.set(rows.subarray(k + 1, k + 1 + FACE_WORDS), slot * FACE_WORDS);
    }
    this.slots = slots;
    this.version++;
  }

  isEmpty(slot: number): boolean {
    const f = this.faces;
    const k = slot * FACE_WORDS;
    return f[k] === f[k + 1] && f[k + 1] === f[k + 2];
  }

  // How many faces there are, and how many of them a cut laid open.
  count(): { faces: number; opened: number } {
    let faces = 0;
    let opened = 0;
    for (let slot = 0; slot < this.slots; slot++) {
      if (this.isEmpty(slot)) continue;
      faces++;
      if (this.faces[slot * FACE_WORDS + 4] & OPENED) opened++;
    }
    return { faces, opened };
  }
}

export class Body {
  points: Float32Array = new Float32Array(POINT_TEXELS * 4); // x, y, z, value of a field on points
  pointCount = 0;
  pointVersion = 0;
  cells: Float32Array = new Float32Array(POINT_TEXELS * 4); // the centre, value of a field on cells
  cellVersion = 0;
  readonly layers: [Layer, Layer] = [new Layer(), new Layer()];
  held: Uint32Array = new Uint32Array(0);
  heldVersion = 0;
  fieldOnCells = false;
  least = 0;
  greatest = 1;

  setPoints(count: number, places: Float32Array): void {
    this.points = grown(this.points, count * 4, POINT_TEXELS * 4);
    const points = this.points;
    for (let k = 0, from = 0, to = 0; k < count; k++, from += 3, to += 4) {
      points[to] = places[from];
      points[to + 1] = places[from + 1];
      points[to + 2] = places[from + 2];
    }
    this.pointCount = count;
    this.pointVersion++;
  }

  setField(onCells: boolean, least: number, greatest: number, values: Float32Array): void {
    this.fieldOnCells = onCells;
    this.least = least;
    this.greatest = greatest;
    if (onCells) this.reserveCells(values.length);
    const to = onCells ? this.cells : this.points;
    const count = Math.min(values.length, to.length / 4);
    for (let k = 0; k < count; k++) to[4 * k + 3] = values[k];
    if (onCells) this.cellVersion++;
    else this.pointVersion++;
  }

  setHeld(points: Uint32Array): void {
    this.held = points.slice();
    this.heldVersion++;
  }

  // Where the cells of a layer are: the mean of their faces' corners.
  locateCells(layer: Layer): void {
    const { faces, slots } = layer;
    const points = this.points;
    let most = 0;
    for (let k = 3; k < slots * FACE_WORDS; k += FACE_WORDS) if (faces[k] > most) most = faces[k];
    this.reserveCells(most + 1);
    const sums = new Float32Array((most + 1) * 4);
    for (let k = 0; k < slots * FACE_WORDS; k += FACE_WORDS) {
      if (faces[k] === faces[k + 1] && faces[k + 1] === faces[k + 2]) continue;
      const cell = faces[k + 3] * 4;
      for (let corner = 0; corner < 3; corner++) {
        const point = faces[k + corner] * 4;
        sums[cell] += points[point];
        sums[cell + 1] += points[point + 1];
        sums[cell + 2] += points[point + 2];
      }
      sums[cell + 3] += 3;
    }
    const cells = this.cells;
    for (let cell = 0; cell < sums.length; cell += 4) {
      if (sums[cell + 3] === 0) continue;
      cells[cell] = sums[cell] / sums[cell + 3];
      cells[cell + 1] = sums[cell + 1] / sums[cell + 3];
      cells[cell + 2] = sums[cell + 2] / sums[cell + 3];
    }
    this.cellVersion++;
  }

  // The box around what is seen; null where there is nothing.
  box(): { least: number[]; most: number[] } | null {
    const least = [Infinity, Infinity, Infinity];
    const most = [-Infinity, -Infinity, -Infinity];
    const { faces, slots } = this.layers[0];
    for (let slot = 0; slot < slots; slot++) {
      if (this.layers[0].isEmpty(slot)) continue;
      for (let corner = 0; corner < 3; corner++) {
        const point = faces[slot * FACE_WORDS + corner] * 4;
        for (let axis = 0; axis < 3; axis++) {
          const x = this.points[point + axis];
          if (x < least[axis]) least[axis] = x;
          if (x > most[axis]) most[axis] = x;
        }
      }
    }
    return least[0] <= most[0] ? { least, most } : null;
  }

  private reserveCells(count: number): void {
    this.cells = grown(this.cells, count * 4, POINT_TEXELS * 4);
  }
}
