// Grab and pull: a spring from a point of the body to the pointer, which moves in the plane that faces the camera.

import { Plane, Vector3 } from "three";
import { places, type Hand, type Pointing, type Tool } from "./tool";

export class Grab implements Tool {
  readonly name = "grab";
  readonly label = "Grab";
  readonly key = "g";
  readonly hint = "Drag the body: a spring pulls it to the pointer. Drag beside it to turn the view.";
  readonly needsScene = true;
  private held: { body: number; point: number; at: Vector3 } | null = null;
  private readonly plane = new Plane();
  private told = false;

  constructor(private readonly hand: Hand) {
    hand.session.on("frame", () => this.show());
  }

  down(pointing: Pointing): boolean {
    const hit = pointing.hit();
    if (!hit) return false;
    const facing = this.hand.stage.orbit.camera.getWorldDirection(new Vector3());
    this.plane.setFromNormalAndCoplanarPoint(facing, hit.at);
    this.held = { body: hit.body, point: hit.point, at: hit.at.clone() };
    this.hand.session.tell({ do: "grab", body: hit.body, point: hit.point, at: places(hit.at) });
    this.show();
    return true;
  }

  move(pointing: Pointing): void {
    if (!this.held || !this.hand.stage.ray(pointing.x, pointing.y).intersectPlane(this.plane, this.held.at)) return;
    this.show();
    if (this.told) return;
    this.told = true;
    requestAnimationFrame(() => {
      this.told = false;
      if (this.held) this.hand.session.tell({ do: "drag", at: places(this.held.at) });
    });
  }

  up(): void {
    if (!this.held) return;
    this.held = null;
    this.hand.session.tell({ do: "drop" });
    this.show();
  }

  cancel(): void {
    this.up();
  }

  private show(): void {
    const { stage, session } = this.hand;
    const points = this.held && session.bodies[this.held.body]?.points;
    const from = this.held && points ? new Vector3().fromArray(points, this.held.point * 3) : null;
    stage.marks.showSpring(from, this.held?.at ?? null);
    stage.invalidate();
  }
}
