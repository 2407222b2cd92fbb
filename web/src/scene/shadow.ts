// The soft shadow that bodies throw straight down, drawn by the processor: how dark each place of the floor is.

import { SHADOW_PIXELS, type Ground } from "./ground";
import { Triangle } from "./raster";
import type { Surface } from "./surface";

const SIDE = SHADOW_PIXELS;
const EVERY = 100; // milliseconds: a soft shadow may lag a little
const WEIGHTS = [-3, -2, -1, 0, 1, 2, 3].map((k) => Math.exp((-k * k) / 4));
const WEIGHT = WEIGHTS.reduce((sum, w) => sum + w, 0);

export class Shadow {
  readonly dark = new Float32Array(SIDE * SIDE);
  private readonly blurred = new Float32Array(SIDE * SIDE);
  private readonly triangle = new Triangle(SIDE, SIDE);
  box = { left: 0, right: 0, top: 0, bottom: 0 };
  version = 0;
  private castAt = 0;

  // On the square that the ground shades; rows go along y. What hangs higher over the floor throws less.
  cast(surfaces: readonly Surface[], { shade, fall }: Ground): void {
    if (performance.now() - this.castAt < EVERY) return;
    this.castAt = performance.now();
    this.version++;
    const half = shade.scale.x;
    const x = shade.matrixWorld.elements[12] - half;
    const y = shade.matrixWorld.elements[13] - half;
    const floor = fall.floor_.value;
    const reach = fall.reach.value;
    const { dark, triangle } = this;
    const scale = SIDE / (2 * half);
    dark.fill(0);
    for (const { corners } of surfaces) {
      const { positions: p, count } = corners;
      for (let k = 0; k < 3 * count; k += 9) {
        const isThere = triangle.set(
          (p[k] - x) * scale, (p[k + 1] - y) * scale, (p[k + 3] - x) * scale, (p[k + 4] - y) * scale, (p[k + 6] - x) * scale, (p[k + 7] - y) * scale,
        );
        if (!isThere) continue;
        const height = ((p[k + 2] + p[k + 5] + p[k + 8]) / 3 - floor) / reach;
        const value = Math.min(1, Math.max(0.15, 1 - 0.6 * height));
        for (let row = triangle.top; row <= triangle.bottom; row++) {
          if (!triangle.row(row)) continue;
          for (let at = row * SIDE + triangle.left; at <= row * SIDE + triangle.right; at++) if (value > dark[at]) dark[at] = value;
        }
      }
    }
    blur(dark, this.blurred, 1, SIDE);
    blur(this.blurred, dark, SIDE, 1);
    this.enclose();
  }

  // What part of the square holds all of it.
  private enclose(): void {
    const box = { left: 1, right: 0, top: 1, bottom: 0 };
    for (let y = 0; y < SIDE; y++)
      for (let x = 0; x < SIDE; x++) {
        if (this.dark[y * SIDE + x] === 0) continue;
        box.left = Math.min(box.left, x / SIDE);
        box.right = Math.max(box.right, (x + 1) / SIDE);
        box.top = Math.min(box.top, y / SIDE);
        box.bottom = Math.max(box.bottom, (y + 1) / SIDE);
      }
    this.box = box;
  }
}

function blur(from: Float32Array, to: Float32Array, stride: number, lines: number): void {
  for (let line = 0; line < SIDE; line++)
    for (let k = 0; k < SIDE; k++) {
      let sum = 0;
      for (let w = -3; w <= 3; w++) sum += WEIGHTS[w + 3] * from[line * lines + Math.min(SIDE - 1, Math.max(0, k + w)) * stride];
      to[line * lines + k * stride] = sum / WEIGHT;
    }
}
