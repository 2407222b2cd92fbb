// The faces of a body as they are drawn: three corners for each that is seen, laid out anew when something changed. Here cells are
// moved apart and clipped; painters know nothing of cells.

import * as THREE from "three";
import type { Body } from "../model/body";
import { FACE_WORDS } from "../protocol/frame";

export interface Shape {
  whole: boolean; // layer 1: every face of every cell
  explode: number;
  clip: THREE.Vector4;
  middle: THREE.Vector3;
}

type Source = "none" | "points" | "cells" | "level";

export class Corners {
  readonly geometry = new THREE.BufferGeometry();
  positions = new Float32Array(0);
  shapes = new Int16Array(0); // as in shaders.ts
  values = new Float32Array(0);
  count = 0;
  private capacity = 0;
  private laidOut = "";

  constructor() {
    this.reserve(64);
    this.geometry.setDrawRange(0, 0);
  }

  // Lays out what is seen; does nothing when that is what it was.
  layOut(body: Body, shape: Shape, source: Source): void {
    const whole = shape.whole && body.layers[1].slots > 0;
    const layer = body.layers[whole ? 1 : 0];
    const what = `${body.version} ${layer.version} ${whole} ${source} ${shape.explode} ${shape.clip.toArray()} ${shape.middle.toArray()}`;
    if (what === this.laidOut) return;
    this.laidOut = what;
    if (whole) body.locateCells(layer);
    this.reserve(layer.slots);

    const { positions, shapes, values } = this;
    const { points, pointValues, cellValues, middles } = body;
    const { faces, slots } = layer;
    const { x: cx, y: cy, z: cz, w: cw } = shape.clip;
    let count = 0;
    for (let slot = 0, k = 0; slot < slots; slot++, k += FACE_WORDS) {
      const a = faces[k] * 3;
      const b = faces[k + 1] * 3;
      const c = faces[k + 2] * 3;
      if (a === b && b === c) continue;
      const cell = faces[k + 3];
      const flags = faces[k + 4];
      let mx = 0, my = 0, mz = 0;
      if (whole) {
        const px = middles[3 * cell], py = middles[3 * cell + 1], pz = middles[3 * cell + 2];
        if (cx * px + cy * py + cz * pz > cw) continue;
        mx = shape.explode * (px - shape.middle.x);
        my = shape.explode * (py - shape.middle.y);
        mz = shape.explode * (pz - shape.middle.z);
      }
      const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
      const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
      let nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      const length = 1000 / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1);
      nx *= length;
      ny *= length;
      nz *= length;
      const bits = (flags & 127) | (((flags >>> 16) & 7) << 7);
      const cellValue = source === "cells" ? cellValues[cell] : source === "level" ? (flags >> 8) & 255 : 0;
      for (let corner = 0; corner < 3; corner++, count++) {
        const point = faces[k + corner];
        positions[3 * count] = points[3 * point] + mx;
        positions[3 * count + 1] = points[3 * point + 1] + my;
        positions[3 * count + 2] = points[3 * point + 2] + mz;
        shapes[4 * count] = nx;
        shapes[4 * count + 1] = ny;
        shapes[4 * count + 2] = nz;
        shapes[4 * count + 3] = bits;
        values[count] = source === "points" ? pointValues[point] : cellValue;
      }
    }
    this.count = count;
    this.geometry.setDrawRange(0, count);
    this.upload("position", count * 3);
    this.upload("shape", count * 4);
    if (source !== "none") this.upload("value", count);
  }

  private upload(name: string, count: number): void {
    const attribute = this.geometry.getAttribute(name) as THREE.BufferAttribute;
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, count);
    attribute.needsUpdate = true;
  }

  private reserve(faces: number): void {
    if (faces <= this.capacity) return;
    this.capacity = Math.max(faces, Math.ceil(this.capacity * 1.5));
    this.positions = new Float32Array(this.capacity * 9);
    this.shapes = new Int16Array(this.capacity * 12);
    this.values = new Float32Array(this.capacity * 3);
    this.geometry.dispose();
    const set = (name: string, array: Float32Array | Int16Array, size: number) =>
      this.geometry.setAttribute(name, new THREE.BufferAttribute(array, size).setUsage(THREE.DynamicDrawUsage));
    set("position", this.positions, 3);
    set("shape", this.shapes, 4);
    (this.geometry.getAttribute("shape") as THREE.BufferAttribute).gpuType = THREE.IntType;
    set("value", this.values, 1);
  }
}
