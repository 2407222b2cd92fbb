// The scene drawn by the processor, for machines without a graphics card and browsers without WebGL: faces, floor and fixed
// points into a raster, with depths; what is drawn over everything, by the canvas itself. Looks as the shaders make it look.

import * as THREE from "three";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { HELD } from "./colors";
import { Eye } from "./eye";
import { drawFaces } from "./faces";
import { Floor } from "./floor";
import type { Drawing, Painter } from "./painter";
import { Raster, wordOf } from "./raster";
import type { Surface } from "./surface";

const FINE = 2; // pixels of the raster for one of the screen, each way, where it is to look well
const DOT = 3.5;

export class ProcessorPainter implements Painter {
  readonly name = "processor";
  private readonly paper: CanvasRenderingContext2D;
  private image: ImageData;
  private fast: Raster;
  private fine: Raster | null = null;
  private readonly eye = new Eye();
  private readonly floor = new Floor();
  private readonly held = wordOf(new THREE.Color(HELD));

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.paper = canvas.getContext("2d", { alpha: false })!;
    this.image = this.paper.createImageData(1, 1);
    this.fast = new Raster(1, 1, this.image.data.buffer);
  }

  resize(width: number, height: number): void {
    this.canvas.width = width;
    this.canvas.height = height;
    this.image = this.paper.createImageData(width, height);
    this.fast = new Raster(width, height, this.image.data.buffer);
    this.fine = null;
  }

  paint(drawing: Drawing, isSharp: boolean): void {
    const { camera, scene, surfaces } = drawing;
    const { eye, floor } = this;
    const { width, height } = this.image;
    if (isSharp) this.fine ??= new Raster(width * FINE, height * FINE);
    const raster = isSharp ? this.fine! : this.fast;
    scene.updateMatrixWorld();
    eye.look(camera, raster.width, raster.height, isSharp ? FINE : 1);
    floor.begin(raster, eye, drawing);
    for (const surface of surfaces) drawFaces(raster, eye, surface, drawing);
    floor.end(raster, eye, drawing);
    for (const surface of surfaces) if (surface.held.visible) this.drawHeld(raster, surface);
    if (isSharp) average(raster, this.fast);
    this.paper.putImageData(this.image, 0, 0);
    for (const group of [drawing.darts.group, drawing.marks.group]) this.drawOver(group);
  }

  private drawHeld(raster: Raster, surface: Surface): void {
    const { near, far, scale } = this.eye;
    const places = surface.held.geometry.getAttribute("position").array;
    const screen = this.eye.project(places, places.length / 3);
    const nearer = (0.0004 * (far - near)) / (2 * far * near); // as in shaders.ts
    for (let k = 0; k < places.length; k += 3)
      if (screen[k + 2] > 0) raster.dot(screen[k], screen[k + 1], screen[k + 2] + nearer, DOT * scale, this.held);
  }

  // Lines and dots that nothing hides.
  private drawOver(group: THREE.Group): void {
    if (!group.visible) return;
    const { paper } = this;
    const { toScreen, scale } = this.eye;
    const at = new THREE.Vector4();
    const onScreen = (array: ArrayLike<number>, k: number, object: THREE.Object3D): [number, number] | null => {
      at.set(array[k], array[k + 1], array[k + 2], 1).applyMatrix4(object.matrixWorld).applyMatrix4(toScreen);
      return at.w > 0 ? [at.x / at.w / scale, at.y / at.w / scale] : null;
    };
    group.traverseVisible((object) => {
      if (object instanceof LineSegments2) {
        const { linewidth, color, opacity, vertexColors } = object.material;
        const ends = (object.geometry.getAttribute("instanceStart") as THREE.InterleavedBufferAttribute).data.array;
        const tints = vertexColors ? (object.geometry.getAttribute("instanceColorStart") as THREE.InterleavedBufferAttribute).data.array : null;
        paper.globalAlpha = opacity;
        paper.lineWidth = linewidth;
        for (let k = 0; k < ends.length; k += 6) {
          const from = onScreen(ends, k, object);
          const to = onScreen(ends, k + 3, object);
          if (!from || !to) continue;
          paper.strokeStyle = (tints ? new THREE.Color().fromArray(tints, k) : color).getStyle();
          paper.beginPath();
          paper.moveTo(...from);
          paper.lineTo(...to);
          paper.stroke();
        }
        paper.globalAlpha = 1;
      } else if (object instanceof THREE.Points) {
        const { color, size } = object.material as THREE.PointsMaterial;
        const places = object.geometry.getAttribute("position").array;
        paper.fillStyle = color.getStyle();
        for (let k = 0; k < places.length; k += 3) {
          const place = onScreen(places, k, object);
          if (place) paper.fillRect(place[0] - size / 2, place[1] - size / 2, size, size);
        }
      }
    });
  }
}

// The mean of the pixels that make up each of the smaller raster.
function average(from: Raster, to: Raster): void {
  const source = from.colors;
  for (let y = 0, k = 0; y < to.height; y++)
    for (let x = 0, p = y * FINE * from.width; x < to.width; x++, k++, p += FINE) {
      const a = source[p], b = source[p + 1], c = source[p + from.width], d = source[p + from.width + 1];
      const rb = (((a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff)) >> 2) & 0xff00ff;
      const g = (((a & 0xff00) + (b & 0xff00) + (c & 0xff00) + (d & 0xff00)) >> 2) & 0xff00;
      to.colors[k] = 0xff000000 | rb | g;
    }
}
