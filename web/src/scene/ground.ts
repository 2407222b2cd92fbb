// A floor to judge by: a grid that fades away, and the body's soft shadow on it. It carries nothing; where a body hangs lower, the
// floor gives way.

import * as THREE from "three";

const SHADOW_PIXELS = 192;

const PLANE_VERTEX = `
out vec2 on_;
out vec2 shade_;
uniform vec4 area;
void main() {
  vec4 place = modelMatrix * vec4(position, 1.0);
  on_ = place.xy;
  shade_ = (place.xy - area.xy) / area.zw * 0.5 + 0.5;
  gl_Position = projectionMatrix * viewMatrix * place;
}
`;

const PLANE_FRAGMENT = `
in vec2 on_;
in vec2 shade_;
out vec4 color;
uniform vec4 area;
uniform float cell;
uniform vec3 ink;
uniform float strength;
uniform sampler2D shadow;
void main() {
  vec2 at = on_ / cell;
  vec2 change = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / change;
  float line = (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(change.x, change.y)));
  float away = length(on_ - area.xy) / (area.z * 1.7);
  float fade = 1.0 - smoothstep(0.15, 1.0, away);
  bool inside = all(greaterThan(shade_, vec2(0.0))) && all(lessThan(shade_, vec2(1.0)));
  float dark = inside ? texture(shadow, shade_).r : 0.0;
  float alpha = max(line * 0.16 * fade, 0.0);
  color = vec4(mix(ink, vec3(0.0), dark / (dark + alpha + 1e-4)), alpha + dark * strength);
}
`;

const BLUR_VERTEX = `out vec2 uv_; void main() { uv_ = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`;
const BLUR_FRAGMENT = `
in vec2 uv_;
out vec4 color;
uniform sampler2D image;
uniform vec2 stride;
void main() {
  float sum = 0.0, weight = 0.0;
  for (int k = -6; k <= 6; k++) {
    float w = exp(-float(k * k) / 16.0);
    sum += w * texture(image, uv_ + float(k) * stride).r;
    weight += w;
  }
  color = vec4(sum / weight);
}
`;

function target(): THREE.WebGLRenderTarget {
  return new THREE.WebGLRenderTarget(SHADOW_PIXELS, SHADOW_PIXELS, { depthBuffer: false });
}

export class Ground {
  readonly mesh: THREE.Mesh;
  readonly fall = { floor_: { value: 0 }, reach: { value: 1 } };
  private readonly shadows = new THREE.Scene();
  private readonly above = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly first = target();
  private readonly second = target();
  private readonly blurScene = new THREE.Scene();
  private readonly blurUniforms = { image: { value: null as THREE.Texture | null }, stride: { value: new THREE.Vector2() } };
  private readonly uniforms = {
    area: { value: new THREE.Vector4(0, 0, 1, 1) },
    cell: { value: 1 },
    ink: { value: new THREE.Color(0.5, 0.5, 0.5) },
    strength: { value: 0.35 },
    shadow: { value: this.first.texture },
  };
  private floor = 0;

  constructor() {
    this.mesh = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        uniforms: this.uniforms,
        vertexShader: PLANE_VERTEX,
        fragmentShader: PLANE_FRAGMENT,
        transparent: true,
        depthWrite: false,
      }),
    );
    this.mesh.frustumCulled = false;
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
    blur.frustumCulled = false;
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
    this.uniforms.ink.value.copy(color).convertLinearToSRGB();
    this.uniforms.strength.value = strength;
  }

  // Under a box, as the scene begins.
  place(box: THREE.Box3): void {
    const size = box.getSize(new THREE.Vector3());
    const middle = box.getCenter(new THREE.Vector3());
    const radius = size.length() / 2;
    const half = Math.max(size.x, size.y) / 2 + radius * 0.9;
    this.floor = box.min.z - radius * 0.3;
    this.uniforms.area.value.set(middle.x, middle.y, half, half);
    this.uniforms.cell.value = 10 ** Math.floor(Math.log10(radius * 1.2)) * (radius * 1.2 >= 5 * 10 ** Math.floor(Math.log10(radius * 1.2)) ? 0.5 : 0.2);
    this.mesh.scale.set(half * 2, half * 2, 1);
    this.fall.reach.value = radius * 1.5;
    this.above.left = this.above.bottom = -half;
    this.above.right = this.above.top = half;
    this.above.near = -radius * 40;
    this.above.far = radius * 40;
    this.above.position.set(middle.x, middle.y, this.floor);
    this.above.lookAt(middle.x, middle.y, this.floor - 1);
    this.above.updateProjectionMatrix();
    this.above.updateMatrixWorld();
    this.lower(this.floor);
  }

  lower(lowest: number): void {
    this.floor = Math.min(this.floor, lowest);
    this.mesh.position.set(this.uniforms.area.value.x, this.uniforms.area.value.y, this.floor);
    this.fall.floor_.value = this.floor;
  }

  render(renderer: THREE.WebGLRenderer): void {
    if (!this.mesh.visible) return;
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
