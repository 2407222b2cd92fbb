// One body in the scene: its faces, its shadow, its fixed points.

import * as THREE from "three";
import type { Body } from "../model/body";
import { CUT, HELD, REGIONS } from "./colors";
import { Corners, type Shape } from "./corners";
import { FACE_FRAGMENT, FACE_VERTEX, HELD_FRAGMENT, HELD_VERTEX, SHADOW_FRAGMENT, SHADOW_VERTEX } from "./shaders";

export interface Look extends Shape {
  coloring: number; // as in shaders.ts, where a field is 1
  range: [number, number];
  edges: boolean;
  opened: boolean;
  held: boolean;
}

export interface Light {
  sky: THREE.Color;
  earth: THREE.Color;
  edge: THREE.Color;
}

export class Surface {
  readonly mesh: THREE.Mesh;
  readonly shadow: THREE.Mesh;
  readonly held: THREE.Points;
  readonly corners = new Corners();
  readonly plain: THREE.Color;
  coloring = 0;
  private readonly uniforms: Record<string, THREE.IUniform>;

  constructor(
    private readonly body: Body,
    index: number,
    light: Light,
    toLight: THREE.Vector3,
    fall: { floor_: THREE.IUniform; reach: THREE.IUniform },
    readonly isClosed: boolean, // its faces have an inside and an outside
  ) {
    this.plain = new THREE.Color(REGIONS[index % REGIONS.length]);
    this.uniforms = {
      coloring: { value: 0 },
      range: { value: new THREE.Vector2(0, 1) },
      plain: { value: this.plain },
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
      this.corners.geometry,
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        uniforms: this.uniforms,
        vertexShader: FACE_VERTEX,
        fragmentShader: FACE_FRAGMENT,
        side: THREE.DoubleSide,
      }),
    );
    this.shadow = new THREE.Mesh(
      this.corners.geometry,
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        uniforms: { ...fall },
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
      new THREE.BufferGeometry(),
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        uniforms: {
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
    const { body, uniforms } = this;
    const coloring = look.coloring === 1 && body.fieldOnCells ? 2 : look.coloring;
    this.corners.layOut(body, look, coloring === 1 ? "points" : coloring === 2 ? "cells" : coloring === 3 ? "level" : "none");
    this.coloring = coloring;
    uniforms.coloring.value = coloring;
    uniforms.range.value.set(look.range[0], look.range[1]);
    uniforms.edges.value = look.edges ? 1 : 0;
    uniforms.opened.value = look.opened ? 1 : 0;
    this.held.visible = look.held && look.explode === 0 && body.held.length > 0;
    if (this.held.visible) this.placeHeld();
  }

  dispose(): void {
    for (const object of [this.mesh, this.shadow, this.held]) {
      object.geometry.dispose();
      (object.material as THREE.Material).dispose();
    }
  }

  private placeHeld(): void {
    const { held, points } = this.body;
    let attribute = this.held.geometry.getAttribute("position") as THREE.BufferAttribute | undefined;
    if (!attribute || attribute.count !== held.length) {
      this.held.geometry.dispose();
      attribute = new THREE.BufferAttribute(new Float32Array(held.length * 3), 3);
      this.held.geometry.setAttribute("position", attribute);
    }
    held.forEach((point, k) => attribute.setXYZ(k, points[3 * point], points[3 * point + 1], points[3 * point + 2]));
    attribute.needsUpdate = true;
  }
}
