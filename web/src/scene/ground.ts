// A floor to judge by: a grid that fades away, and the body's soft shadow on it. It carries nothing; where a body hangs lower, the
// floor gives way. `render` draws the shadow with the graphics card; the other painter makes its own of what is public here.

import * as THREE from "three";

export const SHADOW_PIXELS = 96;
const SHADOW_EVERY = 50; // milliseconds: a soft shadow may lag a little

const SHADE_VERTEX = `out vec2 uv_; void main() { uv_ = uv; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;
const SHADE_FRAGMENT = `
in vec2 uv_;
out vec4 color;
uniform float strength;
uniform sampler2D shadow;
void main() {
  float dark = texture(shadow, uv_).r;
  if (dark < 0.01) discard;
  color = vec4(vec3(0.0), dark * strength);
}
`;

const LINE_VERTEX = `
in float fade;
out float fade_;
void main() { fade_ = fade; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }
`;
const LINE_FRAGMENT = `
in float fade_;
out vec4 color;
uniform vec3 ink;
void main() { color = vec4(ink, fade_ * 0.17); }
`;

const BLUR_VERTEX = `out vec2 uv_; void main() { uv_ = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`;
const BLUR_FRAGMENT = `
in vec2 uv_;
out vec4 color;
uniform sampler2D image;
uniform vec2 stride;
void main() {
  float sum = 0.0, weight = 0.0;
  for (int k = -3; k <= 3; k++) {
    float w = exp(-float(k * k) / 4.0);
    sum += w * texture(image, uv_ + float(k) * stride).r;
    weight += w;
  }
  color = vec4(sum / weight);
}
`;

function target(): THREE.WebGLRenderTarget {
  return new THREE.WebGLRenderTarget(SHADOW_PIXELS, SHADOW_PIXELS, { depthBuffer: false });
}

// A grid of lines around the origin, fainter outwards; lines are divided so that they can fade.
function grid(cells: number): THREE.BufferGeometry {
  const positions: number[] = [];
  const fades: number[] = [];
  const add = (x: number, y: number) => {
    positions.push(x, y, 0);
    fades.push(Math.max(0, 1 - (x * x + y * y) / (cells * cells)) ** 2);
  };
  for (let line = -cells; line <= cells; line++)
    for (let k = -cells; k < cells; k += 2)
      for (const at of [k, k + 2]) add(line, at);
  const half = positions.length;
  for (let k = 0; k < half; k += 3) add(positions[k + 1], positions[k]);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute("fade", new THREE.Float32BufferAttribute(fades, 1));
  return geometry;
}

// The largest of 1, 2, 5 times a power of ten that is no larger.
function round(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * (length >= 5 * power ? 5 : length >= 2 * power ? 2 : 1);
}

export class Ground {
  readonly group = new THREE.Group();
  readonly fall = { floor_: { value: 0 }, reach: { value: 1 } };
  readonly lines: THREE.LineSegments;
  readonly shade: THREE.Mesh;
  private readonly shadows = new THREE.Scene();
  private readonly above = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly first = target();
  private readonly second = target();
  private readonly blurScene = new THREE.Scene();
  private readonly blurUniforms = { image: { value: null as THREE.Texture | null }, stride: { value: new THREE.Vector2() } };
  readonly lineUniforms = { ink: { value: new THREE.Color() } };
  readonly shadeUniforms = { strength: { value: 0.3 }, shadow: { value: this.first.texture } };
  private readonly middle = new THREE.Vector3();
  private floor = 0;
  private deepest = 0; // what falls farther is lost
  private castAt = 0;

  constructor() {
    const material = { glslVersion: THREE.GLSL3, transparent: true, depthWrite: false } as const;
    this.lines = new THREE.LineSegments(
      grid(24),
      new THREE.ShaderMaterial({ ...material, uniforms: this.lineUniforms, vertexShader: LINE_VERTEX, fragmentShader: LINE_FRAGMENT }),
    );
    this.shade = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.ShaderMaterial({ ...material, uniforms: this.shadeUniforms, vertexShader: SHADE_VERTEX, fragmentShader: SHADE_FRAGMENT }),
    );
    this.shade.renderOrder = 1;
    const blur = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        uniforms: this.blurUniforms,
        vertexShader: BLUR_VERTEX,
        fragmentShader: BLUR_FRAGMENT,
        depthTest: false,
        depthWrite: false,
      }),
    );
    for (const object of [this.lines, this.shade, blur]) object.frustumCulled = false;
    this.group.add(this.lines, this.shade);
    this.blurScene.add(blur);
    this.above.up.set(0, 1, 0);
  }

  cast(shadow: THREE.Object3D): void {
    this.shadows.add(shadow);
  }

  clear(): void {
    this.shadows.clear();
  }

  ink(color: THREE.Color, strength: number): void {
    this.lineUniforms.ink.value.copy(color);
    this.shadeUniforms.strength.value = strength;
  }

  // Under a box, as the scene begins.
  place(box: THREE.Box3): void {
    const size = box.getSize(new THREE.Vector3());
    box.getCenter(this.middle);
    const radius = size.length() / 2;
    const half = Math.max(size.x, size.y) / 2 + radius * 0.45;
    this.floor = box.min.z - radius * 0.3;
    this.deepest = this.floor - radius * 2;
    this.lines.scale.setScalar(round(radius / 5));
    this.shade.scale.set(half, half, 1);
    this.fall.reach.value = radius * 1.5;
    this.above.left = this.above.bottom = -half;
    this.above.right = this.above.top = half;
    this.above.near = -radius * 40;
    this.above.far = radius * 40;
    this.above.position.set(this.middle.x, this.middle.y, this.floor);
    this.above.lookAt(this.middle.x, this.middle.y, this.floor - 1);
    this.above.updateProjectionMatrix();
    this.above.updateMatrixWorld();
    this.lower(this.floor);
  }

  lower(lowest: number): void {
    this.floor = Math.max(Math.min(this.floor, lowest), this.deepest);
    this.group.position.set(this.middle.x, this.middle.y, this.floor);
    this.fall.floor_.value = this.floor;
  }

  render(renderer: THREE.WebGLRenderer): void {
    if (!this.group.visible || performance.now() - this.castAt < SHADOW_EVERY) return;
    this.castAt = performance.now();
    renderer.setClearColor(0x000000, 0);
    renderer.setRenderTarget(this.first);
    renderer.clear();
    renderer.render(this.shadows, this.above);
    for (const [from, to, x, y] of [
      [this.first, this.second, 1, 0],
      [this.second, this.first, 0, 1],
    ] as const) {
      this.blurUniforms.image.value = from.texture;
      this.blurUniforms.stride.value.set(x / SHADOW_PIXELS, y / SHADOW_PIXELS);
      renderer.setRenderTarget(to);
      renderer.render(this.blurScene, this.above);
    }
    renderer.setRenderTarget(null);
  }
}
