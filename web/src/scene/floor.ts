// The ground drawn by the processor. Seen from above it is behind everything: what was drawn once is kept, its lines until the
// camera moves, its shadow for a while. Seen from below it lies over everything.

import { Vector3 } from "three";
import type { Eye } from "./eye";
import type { Drawing } from "./painter";
import { wordOf, type Raster } from "./raster";
import { Shadow } from "./shadow";

const INK = 0.17;
const PATCHES = 6; // of the shadow, each way: one that reaches behind the eye is left out

class Kept {
  private colors = new Uint32Array(0);
  private of = "";

  // Begins with what was kept, or else draws it.
  begin(raster: Raster, of: string, draw: () => void): void {
    if (of === this.of && this.colors.length === raster.colors.length) {
      raster.restore(this.colors);
      return;
    }
    draw();
    this.of = of;
    if (this.colors.length === raster.colors.length) this.colors.set(raster.colors);
    else this.colors = raster.colors.slice();
  }
}

export class Floor {
  private readonly shadow = new Shadow();
  private readonly lined = new Kept();
  private readonly shaded = new Kept();

  // Before the bodies are drawn.
  begin(raster: Raster, eye: Eye, drawing: Drawing): void {
    const { ground, background } = drawing;
    const { position, visible } = ground.group;
    if (!visible || !this.isBelow(drawing)) {
      raster.clear(wordOf(background));
      return;
    }
    this.shadow.cast(drawing.surfaces, ground);
    const look = [background.getHex(), ground.lineUniforms.ink.value.getHex(), ground.lines.scale.x];
    const place = [...eye.toScreen.elements, ...position.toArray(), ...look].join();
    this.shaded.begin(raster, `${place} ${this.shadow.version} ${ground.shadeUniforms.strength.value}`, () => {
      this.lined.begin(raster, place, () => {
        raster.clear(wordOf(background));
        this.drawLines(raster, eye, drawing);
      });
      this.drawShadow(raster, eye, drawing);
    });
  }

  // After them.
  end(raster: Raster, eye: Eye, drawing: Drawing): void {
    if (!drawing.ground.group.visible || this.isBelow(drawing)) return;
    this.shadow.cast(drawing.surfaces, drawing.ground);
    this.drawLines(raster, eye, drawing);
    this.drawShadow(raster, eye, drawing);
  }

  private isBelow({ camera, ground }: Drawing): boolean {
    return ground.group.position.z < camera.position.z;
  }

  private drawLines(raster: Raster, eye: Eye, { ground }: Drawing): void {
    const { geometry, matrixWorld } = ground.lines;
    const ink = wordOf(ground.lineUniforms.ink.value);
    const fades = geometry.getAttribute("fade").array;
    const ends = eye.project(geometry.getAttribute("position").clone().applyMatrix4(matrixWorld).array, fades.length);
    for (let k = 0, p = 0; k < fades.length; k += 2, p += 6) {
      if (ends[p + 2] === 0 || ends[p + 5] === 0 || fades[k] + fades[k + 1] < 0.01) continue;
      const from = INK * fades[k], to = INK * fades[k + 1];
      raster.line(ends[p], ends[p + 1], ends[p + 2], ends[p + 3], ends[p + 4], ends[p + 5], ink, from, to, eye.scale);
    }
  }

  private drawShadow(raster: Raster, eye: Eye, { ground }: Drawing): void {
    const { dark, box } = this.shadow;
    const { matrixWorld } = ground.shade;
    const strength = ground.shadeUniforms.strength.value;
    const us: number[] = [];
    const vs: number[] = [];
    const places: number[] = [];
    const place = new Vector3();
    for (let row = 0; row <= PATCHES; row++)
      for (let column = 0; column <= PATCHES; column++) {
        const u = box.left + ((box.right - box.left) * column) / PATCHES;
        const v = box.top + ((box.bottom - box.top) * row) / PATCHES;
        us.push(u);
        vs.push(v);
        places.push(...place.set(2 * u - 1, 2 * v - 1, 0).applyMatrix4(matrixWorld).toArray());
      }
    const at = eye.project(places, us.length);
    const draw = (...corners: number[]) => {
      const [p, q, r] = corners.map((k) => 3 * k);
      if (at[p + 2] === 0 || at[q + 2] === 0 || at[r + 2] === 0) return;
      if (!raster.triangle.set(at[p], at[p + 1], at[q], at[q + 1], at[r], at[r + 1])) return;
      raster.darken([at[p + 2], at[q + 2], at[r + 2]], corners.map((k) => us[k]), corners.map((k) => vs[k]), dark, strength);
    };
    for (let row = 0; row < PATCHES; row++)
      for (let column = 0; column < PATCHES; column++) {
        const k = row * (PATCHES + 1) + column;
        draw(k, k + 1, k + PATCHES + 2);
        draw(k, k + PATCHES + 2, k + PATCHES + 1);
      }
  }
}
