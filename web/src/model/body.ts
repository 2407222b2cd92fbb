// A body as the page knows it: what frames said last. Owns the numbers; what they look like is the scene's business.

import { FACE_WORDS } from "../protocol/frame";

export const OPENED = 1;

function grown<T extends Uint32Array | Float32Array>(old: T, length: number): T {
  if (length <= old.length) return old;
  const array = new (old.constructor as new (n: number) => T)(Math.max(length, Math.ceil(old.length * 1.5)));
  array.set(old);
  return array;
}

export class Layer {
  faces: Uint32Array = new Uint32Array(0);
  slots = 0;
  version = 0;

  replace(slots: number, faces: Uint32Array): void {
    this.faces = grown(this.faces, slots * FACE_WORDS);
    this.faces.set(faces);
    this.slots = slots;
    this.version++;
  }

  change(slots: number, rows: Uint32Array): void {
    this.faces = grown(this.faces, slots * FACE_WORDS);
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
  points: Float32Array = new Float32Array(0); // x, y, z
  pointValues: Float32Array = new Float32Array(0); // of a field on points
  middles: Float32Array = new Float32Array(0); // of cells: x, y, z
  cellValues: Float32Array = new Float32Array(0); // of a field on cells
  readonly layers: [Layer, Layer] = [new Layer(), new Layer()];
  held: Uint32Array = new Uint32Array(0);
  version = 0; // of all that moves
  fieldOnCells = false;
  least = 0;
  greatest = 1;

  setPoints(count: number, places: Float32Array): void {
    this.points = grown(this.points, count * 3);
    this.pointValues = grown(this.pointValues, count);
    this.points.set(places);
    this.version++;
  }

  setField(onCells: boolean, least: number, greatest: number, values: Float32Array): void {
    this.fieldOnCells = onCells;
    this.least = least;
    this.greatest = greatest;
    if (onCells) {
      this.cellValues = grown(this.cellValues, values.length);
      this.cellValues.set(values);
    } else {
      this.pointValues = grown(this.pointValues, values.length);
      this.pointValues.set(values);
    }
    this.version++;
  }

  setHeld(points: Uint32Array): void {
    this.held = points.slice();
    this.version++;
  }

  // Where the cells of a layer are: the mean of their faces' corners.
  locateCells(layer: Layer): void {
    const { faces, slots } = layer;
    const { points } = this;
    let most = 0;
    for (let k = 3; k < slots * FACE_WORDS; k += FACE_WORDS) if (faces[k] > most) most = faces[k];
    this.middles = grown(this.middles, (most + 1) * 3).fill(0);
    const { middles } = this;
    const counts = new Uint32Array(most + 1);
    for (let k = 0; k < slots * FACE_WORDS; k += FACE_WORDS) {
      if (faces[k] === faces[k + 1] && faces[k + 1] === faces[k + 2]) continue;
      const cell = faces[k + 3] * 3;
      for (let corner = 0; corner < 3; corner++) {
        const point = faces[k + corner] * 3;
        middles[cell] += points[point];
        middles[cell + 1] += points[point + 1];
        middles[cell + 2] += points[point + 2];
      }
      counts[faces[k + 3]] += 3;
    }
    for (let cell = 0; cell <= most; cell++) {
      if (counts[cell] === 0) continue;
      for (let axis = 0; axis < 3; axis++) middles[3 * cell + axis] /= counts[cell];
    }
  }

  // The box around what is seen; null where there is nothing.
  box(): { least: number[]; most: number[] } | null {
    const least = [Infinity, Infinity, Infinity];
    const most = [-Infinity, -Infinity, -Infinity];
    const { faces, slots } = this.layers[0];
    const { points } = this;
    for (let slot = 0; slot < slots; slot++) {
      if (this.layers[0].isEmpty(slot)) continue;
      for (let corner = 0; corner < 3; corner++) {
        const point = faces[slot * FACE_WORDS + corner] * 3;
        for (let axis = 0; axis < 3; axis++) {
          const x = points[point + axis];
          if (x < least[axis]) least[axis] = x;
          if (x > most[axis]) most[axis] = x;
        }
      }
    }
    return least[0] <= most[0] ? { least, most } : null;
  }
}
