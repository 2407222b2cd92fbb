// The camera, and how it is moved: around a target, z up. Knows no events; whoever has a pointer or keys calls it.

import * as THREE from "three";

const NEARLY_UP = 0.02;

export class Orbit {
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  readonly target = new THREE.Vector3();
  azimuth = -1.05;
  polar = 1.15;
  distance = 5;
  private radius = 1;

  constructor() {
    this.camera.up.set(0, 0, 1);
  }

  // All of a box in the picture, from where the camera looks now.
  fit(box: THREE.Box3): void {
    if (box.isEmpty()) return;
    box.getCenter(this.target);
    this.radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-6);
    this.distance = this.radius * 10;
    this.apply();
    const corner = new THREE.Vector3();
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const wide = tall * this.camera.aspect;
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      corner.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
      corner.applyMatrix4(this.camera.matrixWorldInverse);
      const ahead = this.distance + corner.z; // how much nearer than the target
      distance = Math.max(distance, Math.abs(corner.x) / wide + ahead, Math.abs(corner.y) / tall + ahead);
    }
    this.distance = distance * 1.22;
    this.apply();
  }

  look(azimuth: number, polar: number): void {
    this.azimuth = azimuth;
    this.polar = polar;
    this.apply();
  }

  rotate(dx: number, dy: number): void {
    this.azimuth -= dx * 0.006;
    this.polar = THREE.MathUtils.clamp(this.polar - dy * 0.006, NEARLY_UP, Math.PI - NEARLY_UP);
    this.apply();
  }

  pan(dx: number, dy: number, height: number): void {
    const scale = (2 * this.distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2))) / height;
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
    this.apply();
  }

  // Towards what lies under the pointer, given from -1 to 1.
  zoom(factor: number, x: number, y: number): void {
    const before = this.distance;
    this.distance = THREE.MathUtils.clamp(before * factor, this.radius * 0.02, this.radius * 60);
    const tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) * (before - this.distance);
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, x * tall * this.camera.aspect).addScaledVector(up, y * tall);
    this.apply();
  }

  apply(): void {
    const { camera, target, distance, polar, azimuth } = this;
    camera.position.set(
      target.x + distance * Math.sin(polar) * Math.cos(azimuth),
      target.y + distance * Math.sin(polar) * Math.sin(azimuth),
      target.z + distance * Math.cos(polar),
    );
    camera.lookAt(target);
    camera.near = Math.max(distance - this.radius * 6, distance * 0.02);
    camera.far = distance + this.radius * 40;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }
}
