// Who puts a scene on the canvas: the graphics card where there is one, else the processor. Both draw the same scene, and tests
// hold them to the same pictures.

import * as THREE from "three";
import type { Darts } from "./darts";
import type { Ground } from "./ground";
import type { Marks } from "./marks";
import type { Light, Look, Surface } from "./surface";

export interface Drawing {
  scene: THREE.Scene;
  camera: THREE.PerspectiveCamera;
  background: THREE.Color;
  light: Light;
  toLight: THREE.Vector3;
  look: Look;
  surfaces: readonly Surface[];
  ground: Ground;
  darts: Darts;
  marks: Marks;
}

export interface Painter {
  readonly name: "card" | "processor";
  resize(width: number, height: number): void;
  // As well as it can be done, or as fast.
  paint(drawing: Drawing, isSharp: boolean): void;
}

// What calls itself a graphics card and is none costs a core, and more time than drawing here.
export function hasGraphicsCard(): boolean {
  const context = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!context) return false;
  const names = context.getExtension("WEBGL_debug_renderer_info");
  const name = names ? String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class CardPainter implements Painter {
  readonly name = "card";
  private readonly renderer: THREE.WebGLRenderer;

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.autoClear = false;
  }

  resize(width: number, height: number): void {
    this.renderer.setSize(width, height, false);
  }

  paint({ scene, camera, background, ground }: Drawing): void {
    ground.render(this.renderer);
    this.renderer.setClearColor(background, 1);
    this.renderer.clear();
    this.renderer.render(scene, camera);
  }
}
