// The faces of a surface in a raster: lit and coloured as in shaders.ts, line by line the same formulas.

import * as THREE from "three";
import { CUT, REGIONS, viridis } from "./colors";
import type { Eye } from "./eye";
import type { Drawing } from "./painter";
import { word, wordOf, type Finish, type Raster, type Triangle } from "./raster";
import type { Surface } from "./surface";

const STEPS = 256;
const RAMP = Float64Array.from({ length: 3 * STEPS }, (_, k) => viridis(Math.floor(k / 3) / (STEPS - 1))[k % 3]);
const RAMP_WORDS = Uint32Array.from({ length: STEPS }, (_, k) => word(RAMP[3 * k], RAMP[3 * k + 1], RAMP[3 * k + 2]));
const LINE_STRENGTH = 0.6;

export function drawFaces(raster: Raster, eye: Eye, surface: Surface, { camera, look, light, toLight }: Drawing): void {
  const { coloring, plain, isClosed } = surface;
  const { positions, shapes, values, count } = surface.corners;
  const { triangle } = raster;
  const { scale } = eye;
  const screen = eye.project(positions, count);
  const { x: ex, y: ey, z: ez } = camera.position;
  const { x: lx, y: ly, z: lz } = toLight;
  const { r: skyR, g: skyG, b: skyB } = light.sky;
  const { r: earthR, g: earthG, b: earthB } = light.earth;
  const cut = new THREE.Color(CUT);
  const regions = REGIONS.map((color) => new THREE.Color(color));
  const edge = wordOf(light.edge);
  const cutEdge = word(cut.r / 2, cut.g / 2, cut.b / 2);
  const least = look.range[0];
  const perValue = 1 / Math.max(look.range[1] - least, 1e-30);
  const finish: Finish = {
    scale,
    line: edge,
    strength: 0,
    lined: 0,
    cut: wordOf(cut),
    opened: 0,
    ramp: coloring === 1 ? RAMP_WORDS : null,
    values: new Float64Array(3),
    light: 1,
  };

  for (let k = 0; k < count; k += 3) {
    const p = 3 * k, q = p + 3, r = p + 6;
    const d0 = screen[p + 2], d1 = screen[q + 2], d2 = screen[r + 2];
    const isCrossing = d0 === 0 || d1 === 0 || d2 === 0;
    if (isCrossing ? d0 + d1 + d2 === 0 : !triangle.set(screen[p], screen[p + 1], screen[q], screen[q + 1], screen[r], screen[r + 1]))
      continue;

    const bits = shapes[4 * k + 3];
    const isOpened = (bits & 1) !== 0 && look.opened;
    let { r: red, g: green, b: blue } = plain;
    if (coloring === 2 || coloring === 3) {
      const at = 3 * (clamp((values[k] - least) * perValue) * (STEPS - 1) + 0.5 | 0);
      red = RAMP[at];
      green = RAMP[at + 1];
      blue = RAMP[at + 2];
    } else if (coloring !== 1 && (isOpened || coloring === 4)) ({ r: red, g: green, b: blue } = isOpened ? cut : regions[(bits >> 7) & 7]);

    const tx = ex - positions[r], ty = ey - positions[r + 1], tz = ez - positions[r + 2];
    let nx = shapes[4 * k], ny = shapes[4 * k + 1], nz = shapes[4 * k + 2];
    const outward = nx * tx + ny * ty + nz * tz;
    const unit = (outward < 0 ? -1 : 1) / Math.sqrt(nx * nx + ny * ny + nz * nz || 1);
    nx *= unit;
    ny *= unit;
    nz *= unit;
    const rim = 1 - (outward * unit) / Math.sqrt(tx * tx + ty * ty + tz * tz);
    const key = 0.28 * Math.max(0, nx * lx + ny * ly + nz * lz) + 0.06 * rim * rim * rim;
    const up = 0.5 + 0.5 * nz;
    const soft = coloring !== 0 ? 0.5 : isOpened ? 0.3 : 0;
    const litR = (earthR + up * (skyR - earthR) + key) * (1 - soft) + soft;
    const litG = (earthG + up * (skyG - earthG) + key) * (1 - soft) + soft;
    const litB = (earthB + up * (skyB - earthB) + key) * (1 - soft) + soft;
    const color = word(red * litR, green * litG, blue * litB);
    if (isCrossing) {
      fillCrossing(raster, eye, positions.subarray(p, p + 9), color);
      continue;
    }

    finish.lined = look.edges ? ((bits >> 2) & 3) | ((bits << 1) & 4) : 0;
    finish.opened = look.opened ? ((bits >> 5) & 3) | ((bits >> 2) & 4) : 0;
    if (finish.lined !== 0) {
      finish.strength = LINE_STRENGTH * clamp((0.45 - scale * density(triangle, finish.lined)) * 3);
      finish.line = isOpened ? cutEdge : edge;
      if (finish.strength === 0) finish.lined = 0;
    }
    const isInside = isClosed && outward < 0; // never seen, but for cells that are turned inside out or from within
    if (isInside || (finish.lined === 0 && finish.opened === 0 && coloring !== 1)) {
      raster.fill(d0, d1, d2, color);
      continue;
    }
    finish.light = litG;
    for (let corner = 0; corner < 3; corner++) finish.values[corner] = clamp((values[k + corner] - least) * perValue);
    raster.fillFinished(d0, d1, d2, color, finish);
  }
}

function clamp(x: number): number {
  return x <= 0 ? 0 : x >= 1 ? 1 : x;
}

// How much of the height over a lined side a pixel is: lines of faces that are few pixels small would be all one sees.
function density({ a, b, area }: Triangle, lined: number): number {
  let most = 0;
  for (let k = 0; k < 3; k++) if (lined & (1 << k)) most = Math.max(most, Math.abs(a[k]) + Math.abs(b[k]));
  return most / area;
}

// A face that reaches behind the eye: what is in front of it, in one colour.
function fillCrossing(raster: Raster, { near, toScreen }: Eye, corners: Float32Array, color: number): void {
  const places = [0, 3, 6].map((k) => new THREE.Vector4(corners[k], corners[k + 1], corners[k + 2], 1).applyMatrix4(toScreen));
  const front = places.flatMap((from, k) => {
    const to = places[(k + 1) % 3];
    const crossed = from.w > near !== to.w > near ? [from.clone().lerp(to, (near - from.w) / (to.w - from.w))] : [];
    return from.w > near ? [from, ...crossed] : crossed;
  });
  for (let k = 2; k < front.length; k++) {
    const [p, q, r] = [front[0], front[k - 1], front[k]];
    if (raster.triangle.set(p.x / p.w, p.y / p.w, q.x / q.w, q.y / q.w, r.x / r.w, r.y / r.w))
      raster.fill(1 / p.w, 1 / q.w, 1 / r.w, color);
  }
}
