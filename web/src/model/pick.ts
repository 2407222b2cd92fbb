// Which face a ray meets first. All faces are tried: a hundred thousand take a few milliseconds, and there is no tree to keep
// current while the body moves.

import { Vector3, type Ray } from "three";
import { FACE_WORDS } from "../protocol/frame";
import type { Body, Layer } from "./body";

export interface Hit {
  body: number;
  cell: number;
  point: number; // the corner nearest to the place
  level: number;
  at: Vector3;
  distance: number;
}

export function pickFace(bodies: readonly Body[], ray: Ray): Hit | null {
  let best: Hit | null = null;
  bodies.forEach((body, index) => {
    const hit = pickInLayer(body, body.layers[0], ray, index);
    if (hit && (!best || hit.distance < best.distance)) best = hit;
  });
  return best;
}

function pickInLayer(body: Body, layer: Layer, ray: Ray, index: number): Hit | null {
  const { faces, slots } = layer;
  const p = body.points;
  const { x: ox, y: oy, z: oz } = ray.origin;
  const { x: dx, y: dy, z: dz } = ray.direction;
  let nearest = Infinity;
  let found = -1;
  for (let slot = 0, k = 0; slot < slots; slot++, k += FACE_WORDS) {
    const a = faces[k] * 3;
    const b = faces[k + 1] * 3;
    const c = faces[k + 2] * 3;
    if (a === b && b === c) continue;
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const hx = dy * vz - dz * vy, hy = dz * vx - dx * vz, hz = dx * vy - dy * vx;
    const determinant = ux * hx + uy * hy + uz * hz;
    if (determinant === 0) continue;
    const inverse = 1 / determinant;
    const sx = ox - p[a], sy = oy - p[a + 1], sz = oz - p[a + 2];
    const u = (sx * hx + sy * hy + sz * hz) * inverse;
    if (u < 0 || u > 1) continue;
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) * inverse;
    if (v < 0 || u + v > 1) continue;
    const t = (vx * qx + vy * qy + vz * qz) * inverse;
    if (t > 0 && t < nearest) {
      nearest = t;
      found = slot;
    }
  }
  if (found < 0) return null;

  const at = ray.at(nearest, new Vector3());
  const k = found * FACE_WORDS;
  let point = faces[k];
  let least = Infinity;
  for (let corner = 0; corner < 3; corner++) {
    const q = faces[k + corner] * 3;
    const away = (p[q] - at.x) ** 2 + (p[q + 1] - at.y) ** 2 + (p[q + 2] - at.z) ** 2;
    if (away < least) {
      least = away;
      point = faces[k + corner];
    }
  }
  return { body: index, cell: faces[k + 3], point, level: (faces[k + 4] >> 8) & 255, at, distance: nearest };
}
