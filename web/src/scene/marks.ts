// What a tool shows of itself in space: the spring of a grab, the sphere of a brush.

import * as THREE from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

const RING_SIDES = 64;

export class Marks {
  readonly group = new THREE.Group();
  private readonly springMaterial = new LineMaterial({ linewidth: 2.5, depthTest: false, transparent: true });
  private readonly ringMaterial = new LineMaterial({ linewidth: 1.75, depthTest: false, transparent: true, opacity: 0.85 });
  private readonly spring = new LineSegments2(new LineSegmentsGeometry(), this.springMaterial);
  private readonly ring: LineSegments2;

  constructor() {
    const circle: number[] = [];
    for (let k = 0; k < RING_SIDES; k++)
      for (const at of [k, k + 1])
        circle.push(Math.cos((2 * Math.PI * at) / RING_SIDES), Math.sin((2 * Math.PI * at) / RING_SIDES), 0);
    this.ring = new LineSegments2(new LineSegmentsGeometry().setPositions(circle), this.ringMaterial);
    for (const object of [this.spring, this.ring]) {
      object.visible = false;
      object.frustumCulled = false;
      object.renderOrder = 11;
      this.group.add(object);
    }
  }

  ink(color: THREE.Color): void {
    this.springMaterial.color.copy(color);
    this.ringMaterial.color.copy(color);
  }

  showSpring(from: THREE.Vector3 | null, to: THREE.Vector3 | null): void {
    this.spring.visible = from !== null && to !== null;
    if (from && to) this.spring.geometry.setPositions([...from.toArray(), ...to.toArray()]);
  }

  showRing(at: THREE.Vector3 | null, radius: number, facing: THREE.Quaternion): void {
    this.ring.visible = at !== null;
    if (!at) return;
    this.ring.position.copy(at);
    this.ring.quaternion.copy(facing);
    this.ring.scale.setScalar(radius);
  }
}
