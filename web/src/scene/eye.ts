// From space to the pixels of a raster.

import * as THREE from "three";

export class Eye {
  readonly toScreen = new THREE.Matrix4();
  near = 0;
  far = 1;
  scale = 1; // pixels of the raster for one of the screen
  private screen = new Float64Array(0);

  look(camera: THREE.PerspectiveCamera, width: number, height: number, scale: number): void {
    this.near = camera.near;
    this.far = camera.far;
    this.scale = scale;
    this.toScreen
      .makeTranslation(width / 2, height / 2, 0)
      .scale(new THREE.Vector3(width / 2, -height / 2, 1))
      .multiply(camera.projectionMatrix)
      .multiply(camera.matrixWorldInverse);
  }

  // Of places x, y, z: where on the raster, and one over the distance, 0 for what is not in front. Good until the next call.
  project(places: ArrayLike<number>, count: number): Float64Array {
    if (this.screen.length < 3 * count) this.screen = new Float64Array(4.5 * count);
    const { screen, near } = this;
    const [m0, m1, , m3, m4, m5, , m7, m8, m9, , m11, m12, m13, , m15] = this.toScreen.elements;
    for (let k = 0; k < 3 * count; k += 3) {
      const x = places[k], y = places[k + 1], z = places[k + 2];
      const w = m3 * x + m7 * y + m11 * z + m15;
      const depth = w > near ? 1 / w : 0;
      screen[k] = (m0 * x + m4 * y + m8 * z + m12) * depth;
      screen[k + 1] = (m1 * x + m5 * y + m9 * z + m13) * depth;
      screen[k + 2] = depth;
    }
    return screen;
  }
}
