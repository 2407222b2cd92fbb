// The canvas: renderer, camera, light, floor and bodies. Draws when something changed and not otherwise. Other rooms give it
// bodies and a look, ask it for rays, and never touch three's scene themselves.

import * as THREE from "three";
import type { Body } from "../model/body";
import { Darts } from "./darts";
import { Ground } from "./ground";
import { Marks } from "./marks";
import { Orbit } from "./orbit";
import { CardPainter, hasGraphicsCard, type Painter } from "./painter";
import { ProcessorPainter } from "./processor";
import { Surface, type Light, type Look } from "./surface";

export interface StageTheme {
  background: string;
  ink: string;
  edge: string;
  sky: string;
  earth: string;
  shadow: number;
}

// Colours are given as they are shown, here and in the shaders.
THREE.ColorManagement.enabled = false;

const REST = 400; // milliseconds without a change
const STREAM = 4; // changes without a rest

export class Stage {
  readonly orbit = new Orbit();
  readonly darts = new Darts();
  readonly marks = new Marks();
  readonly look: Look = {
    coloring: 0,
    range: [0, 1],
    edges: true,
    opened: true,
    held: true,
    whole: false,
    explode: 0,
    clip: new THREE.Vector4(0, 0, 0, 1e30),
    middle: new THREE.Vector3(),
  };
  framesDrawn = 0;
  isSharp = true;
  readonly painter: Painter;
  private readonly scene = new THREE.Scene();
  private readonly ground = new Ground();
  private readonly light: Light = { sky: new THREE.Color(), earth: new THREE.Color(), edge: new THREE.Color() };
  private readonly toLight = new THREE.Vector3();
  private background = new THREE.Color();
  private surfaces: Surface[] = [];
  private bodies: readonly Body[] = [];
  private dimensions: number[] = [];
  private isAsked = false;
  private drawnAt = 0;
  private streak = 0;
  private rest = 0;
  private readonly raycaster = new THREE.Raycaster();

  constructor(readonly canvas: HTMLCanvasElement) {
    this.painter = hasGraphicsCard() ? new CardPainter(canvas) : new ProcessorPainter(canvas);
    this.scene.add(this.ground.group, this.darts.group, this.marks.group);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  setBodies(bodies: readonly Body[], dimensions: number[], box: THREE.Box3): void {
    for (const surface of this.surfaces) {
      this.scene.remove(surface.mesh, surface.held);
      surface.dispose();
    }
    this.ground.clear();
    this.bodies = bodies;
    this.dimensions = dimensions;
    this.surfaces = bodies.map((body, k) => new Surface(body, k, this.light, this.toLight, this.ground.fall, dimensions[k] === 3));
    for (const surface of this.surfaces) {
      this.scene.add(surface.mesh, surface.held);
      this.ground.cast(surface.shadow);
    }
    box.getCenter(this.look.middle);
    this.ground.place(box);
    this.invalidate();
  }

  setTheme(theme: StageTheme): void {
    this.background.set(theme.background);
    this.light.sky.set(theme.sky);
    this.light.earth.set(theme.earth);
    this.light.edge.set(theme.edge);
    this.ground.ink(new THREE.Color(theme.ink), theme.shadow);
    this.darts.ink(new THREE.Color(theme.ink));
    this.marks.ink(new THREE.Color(theme.ink));
    this.invalidate();
  }

  showGround(shown: boolean): void {
    this.ground.group.visible = shown;
    this.invalidate();
  }

  lowerGround(lowest: number): void {
    this.ground.lower(lowest);
  }

  invalidate(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => this.draw());
  }

  // From -1 to 1, as cameras want it.
  normalized(x: number, y: number): THREE.Vector2 {
    const box = this.canvas.getBoundingClientRect();
    return new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
  }

  ray(x: number, y: number): THREE.Ray {
    this.raycaster.setFromCamera(this.normalized(x, y), this.orbit.camera);
    return this.raycaster.ray.clone();
  }

  // A place in space, in pixels of the window.
  project(place: THREE.Vector3): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const p = place.clone().project(this.orbit.camera);
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  }

  // Draws now, so that the canvas can be read before the browser clears it.
  render(isSharp = true): void {
    const { scene, ground, light, toLight, look, surfaces, darts, marks, background } = this;
    const { camera } = this.orbit;
    for (const surface of surfaces) surface.update(look);
    darts.update(this.bodies, this.dimensions[darts.picked?.body ?? 0] ?? 3);
    // The key light comes over the viewer's left shoulder.
    toLight.set(-0.55, 0.75, 0.6).transformDirection(camera.matrixWorld).normalize();
    this.painter.paint({ scene, camera, background, light, toLight, look, surfaces, ground, darts, marks }, isSharp);
    this.isSharp = isSharp;
    this.framesDrawn++;
  }

  // What moves is drawn as fast as can be, and sharp again when it comes to rest.
  private draw(): void {
    this.isAsked = false;
    const now = performance.now();
    this.streak = now - this.drawnAt > REST ? 0 : this.streak + 1;
    this.drawnAt = now;
    this.render(this.streak < STREAM);
    window.clearTimeout(this.rest);
    if (!this.isSharp) this.rest = window.setTimeout(() => this.invalidate(), REST + 1);
  }

  private resize(): void {
    const box = this.canvas.parentElement!.getBoundingClientRect();
    const width = Math.max(1, Math.floor(box.width));
    const height = Math.max(1, Math.floor(box.height));
    this.painter.resize(width, height);
    this.orbit.camera.aspect = width / height;
    this.orbit.apply();
    this.render();
  }
}
