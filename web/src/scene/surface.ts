// One body on the graphics card: textures that follow the body's arrays, and the meshes that draw from them.

import * as THREE from "three";
import { FACE_TEXELS, POINT_TEXELS, type Body } from "../model/body";
import { CUT, HELD, REGIONS } from "./colors";
import { FACE_FRAGMENT, FACE_VERTEX, HELD_FRAGMENT, HELD_VERTEX, SHADOW_FRAGMENT, SHADOW_VERTEX } from "./shaders";

export interface Look {
  coloring: number;
  range: [number, number];
  edges: boolean;
  opened: boolean;
  held: boolean;
  whole: boolean; // layer 1: every face of every cell
  explode: number;
  clip: THREE.Vector4;
  middle: THREE.Vector3;
}

export interface Light {
  sky: THREE.Color;
  earth: THREE.Color;
  edge: THREE.Color;
}

class Table {
  texture: THREE.DataTexture;
  private version = -1;

  constructor(
    private readonly width: number,
    private readonly channels: 1 | 4,
  ) {
    this.texture = this.make(channels === 1 ? new Uint32Array(width) : new Float32Array(width * 4));
  }

  follow(array: Uint32Array | Float32Array, version: number): void {
    if (version === this.version) return;
    this.version = version;
    if (this.texture.image.data !== (array as unknown)) {
      this.texture.dispose();
      this.texture = this.make(array);
    }
    this.texture.needsUpdate = true;
  }

  private make(array: Uint32Array | Float32Array): THREE.DataTexture {
    const height = array.length / (this.width * this.channels);
    const data = array as Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>;
    const texture =
      this.channels === 1
        ? new THREE.DataTexture(data, this.width, height, THREE.RedIntegerFormat, THREE.UnsignedIntType)
        : new THREE.DataTexture(data, this.width, height, THREE.RGBAFormat, THREE.FloatType);
    if (this.channels === 1) texture.internalFormat = "R32UI";
    texture.unpackAlignment = 4;
    return texture;
  }
}

function vertices(): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setDrawRange(0, 0);
  return geometry;
}

export class Surface {
  readonly mesh: THREE.Mesh;
  readonly shadow: THREE.Mesh;
  readonly held: THREE.Points;
  private readonly faces = [new Table(FACE_TEXELS, 1), new Table(FACE_TEXELS, 1)];
  private readonly points = new Table(POINT_TEXELS, 4);
  private readonly cells = new Table(POINT_TEXELS, 4);
  private readonly shared: Record<string, THREE.IUniform> = {
    faces: { value: null },
    points: { value: null },
    cells: { value: null },
    explode: { value: 0 },
    middle: { value: new THREE.Vector3() },
    clip: { value: new THREE.Vector4(0, 0, 0, 1) },
    whole: { value: 0 },
  };
  private readonly faceLook: Record<string, THREE.IUniform>;
  private heldVersion = -1;

  constructor(
    private readonly body: Body,
    index: number,
    light: Light,
    toLight: THREE.Vector3,
    fall: { floor_: THREE.IUniform; reach: THREE.IUniform },
  ) {
    this.faceLook = {
      ...this.shared,
      coloring: { value: 0 },
      range: { value: new THREE.Vector2(0, 1) },
      plain: { value: new THREE.Color(REGIONS[index % REGIONS.length]) },
      cut: { value: new THREE.Color(CUT) },
      edge: { value: light.edge },
      edges: { value: 1 },
      opened: { value: 1 },
      regions: { value: REGIONS.map((c) => new THREE.Color(c)) },
      sky: { value: light.sky },
      earth: { value: light.earth },
      toLight: { value: toLight },
    };
    this.mesh = new THREE.Mesh(
      vertices(),
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        uniforms: this.faceLook,
        vertexShader: FACE_VERTEX,
        fragmentShader: FACE_FRAGMENT,
        side: THREE.DoubleSide,
      }),
    );
    this.shadow = new THREE.Mesh(
      vertices(),
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        uniforms: { ...this.shared, ...fall },
        vertexShader: SHADOW_VERTEX,
        fragmentShader: SHADOW_FRAGMENT,
        side: THREE.DoubleSide,
        depthTest: false,
        depthWrite: false,
        blending: THREE.CustomBlending,
        blendEquation: THREE.MaxEquation,
      }),
    );
    this.held = new THREE.Points(
      vertices(),
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        uniforms: {
          ...this.shared,
          size: { value: 7 * Math.min(window.devicePixelRatio, 2) },
          tint: { value: new THREE.Color(HELD) },
        },
        vertexShader: HELD_VERTEX,
        fragmentShader: HELD_FRAGMENT,
        transparent: true,
      }),
    );
    for (const object of [this.mesh, this.shadow, this.held]) object.frustumCulled = false;
  }

  update(look: Look): void {
    const { body, shared, faceLook } = this;
    const whole = look.whole && body.layers[1].slots > 0;
    const layer = whole ? 1 : 0;
    this.faces[layer].follow(body.layers[layer].faces, body.layers[layer].version);
    if (whole) body.locateCells(body.layers[1]);
    this.points.follow(body.points, body.pointVersion);
    this.cells.follow(body.cells, body.cellVersion);
    shared.faces.value = this.faces[layer].texture;
    shared.points.value = this.points.texture;
    shared.cells.value = this.cells.texture;
    shared.whole.value = whole ? 1 : 0;
    shared.explode.value = look.explode;
    shared.middle.value.copy(look.middle);
    shared.clip.value.copy(look.clip);
    this.mesh.geometry.setDrawRange(0, body.layers[layer].slots * 3);
    this.shadow.geometry.setDrawRange(0, body.layers[layer].slots * 3);

    faceLook.coloring.value = look.coloring === 1 && body.fieldOnCells ? 2 : look.coloring;
    faceLook.range.value.set(look.range[0], look.range[1]);
    faceLook.edges.value = look.edges ? 1 : 0;
    faceLook.opened.value = look.opened ? 1 : 0;

    this.held.visible = look.held && look.explode === 0 && body.held.length > 0;
    if (this.heldVersion !== body.heldVersion) {
      this.heldVersion = body.heldVersion;
      const attribute = new THREE.BufferAttribute(body.held, 1);
      attribute.gpuType = THREE.IntType;
      this.held.geometry.setAttribute("held", attribute);
      this.held.geometry.setDrawRange(0, body.held.length);
    }
  }

  dispose(): void {
    for (const table of [...this.faces, this.points, this.cells]) table.texture.dispose();
    for (const object of [this.mesh, this.shadow, this.held]) {
      object.geometry.dispose();
      (object.material as THREE.Material).dispose();
    }
  }
}
