// The map as the papers draw it: the darts of a cell as short strokes inside its edges, a dot where each begins, and the links
// between them in colours. Follows the body while it moves.

import * as THREE from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { Body } from "../model/body";
import type { DartRow } from "../protocol/words";
import { LINKS } from "./colors";

const INTO_FACE = 0.16;
const INTO_VOLUME = 0.14;

export interface Picked {
  body: number;
  cell: number;
  darts: DartRow[];
}

// The darts that some of the links lead to, as the number of their orbit.
function orbits(darts: DartRow[], links: number[]): { of: number[]; count: number } {
  const of = darts.map(() => -1);
  let count = 0;
  for (let seed = 0; seed < darts.length; seed++) {
    if (of[seed] >= 0) continue;
    const open = [seed];
    of[seed] = count;
    while (open.length > 0) {
      const dart = open.pop()!;
      for (const link of links) {
        const next = darts[dart][1 + link];
        if (next >= 0 && next < darts.length && of[next] < 0) {
          of[next] = count;
          open.push(next);
        }
      }
    }
    count++;
  }
  return { of, count };
}

function middles(places: THREE.Vector3[], of: number[], count: number): THREE.Vector3[] {
  const sums = Array.from({ length: count }, () => new THREE.Vector3());
  const counts = new Array<number>(count).fill(0);
  places.forEach((place, k) => {
    sums[of[k]].add(place);
    counts[of[k]]++;
  });
  sums.forEach((sum, k) => sum.divideScalar(counts[k]));
  return sums;
}

export class Darts {
  readonly group = new THREE.Group();
  picked: Picked | null = null;
  private readonly lines: LineSegments2;
  private readonly dots: THREE.Points;
  private readonly material: LineMaterial;
  private readonly dartColor = new THREE.Color();

  constructor() {
    this.material = new LineMaterial({ linewidth: 2.5, vertexColors: true, depthTest: false, transparent: true });
    this.lines = new LineSegments2(new LineSegmentsGeometry(), this.material);
    this.dots = new THREE.Points(
      new THREE.BufferGeometry(),
      new THREE.PointsMaterial({ size: 6 * Math.min(window.devicePixelRatio, 2), sizeAttenuation: false, depthTest: false, transparent: true }),
    );
    for (const object of [this.lines, this.dots]) {
      object.frustumCulled = false;
      object.renderOrder = 10;
      this.group.add(object);
    }
    this.group.visible = false;
  }

  ink(color: THREE.Color): void {
    this.dartColor.copy(color);
    (this.dots.material as THREE.PointsMaterial).color.copy(color);
  }

  update(bodies: readonly Body[], dimension: number): void {
    const picked = this.picked;
    this.group.visible = picked !== null && picked.darts.length > 0;
    if (!picked || picked.darts.length === 0) return;
    const { points } = bodies[picked.body];
    const { darts } = picked;
    const last = dimension; // the link that leads out of the cell
    const vertex = darts.map((row) => new THREE.Vector3().fromArray(points, row[0] * 3));
    const edge = darts.map((row, k) => vertex[k].clone().lerp(vertex[row[1]] ?? vertex[k], 0.5));
    const faceOf = orbits(darts, [0, 1]);
    const faces = middles(vertex, faceOf.of, faceOf.count);
    const middle = vertex.reduce((sum, v) => sum.add(v), new THREE.Vector3()).divideScalar(vertex.length);

    const inside = (place: THREE.Vector3, k: number) => {
      place.lerp(faces[faceOf.of[k]], INTO_FACE);
      return dimension === 3 ? place.lerp(middle, INTO_VOLUME) : place;
    };
    const from = darts.map((_, k) => inside(vertex[k].clone().lerp(edge[k], 0.1), k));
    const to = darts.map((_, k) => inside(vertex[k].clone().lerp(edge[k], 0.82), k));

    const positions: number[] = [];
    const colors: number[] = [];
    const stroke = (a: THREE.Vector3, b: THREE.Vector3, color: THREE.Color) => {
      positions.push(...a.toArray(), ...b.toArray());
      colors.push(...color.toArray(), ...color.toArray());
    };
    const tints = LINKS.map((c) => new THREE.Color(c));
    darts.forEach((row, k) => {
      stroke(from[k], to[k], this.dartColor);
      for (let link = 0; link < last; link++) {
        const other = row[1 + link];
        if (other <= k || other >= darts.length) continue;
        if (link === 0) stroke(to[k], to[other], tints[0]);
        else if (link === 1) stroke(from[k], from[other], tints[1]);
        else stroke(from[k].clone().lerp(to[k], 0.5), from[other].clone().lerp(to[other], 0.5), tints[2]);
      }
      if (row[1 + last] >= 0) {
        const start = from[k].clone().lerp(to[k], 0.3);
        const out = dimension === 3 ? faces[faceOf.of[k]].clone().sub(middle) : edge[k].clone().sub(middle);
        stroke(start, start.clone().addScaledVector(out, 0.45), tints[last]);
      }
    });
    this.lines.geometry.dispose();
    this.lines.geometry = new LineSegmentsGeometry().setPositions(positions).setColors(colors);
    this.dots.geometry.setAttribute("position", new THREE.Float32BufferAttribute(from.flatMap((p) => p.toArray()), 3));
  }
}
