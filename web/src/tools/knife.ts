// The knife: a stroke across the picture. Each place of the pointer is a ray through the body's depth; two rays after one another
// are a blade and where it moved. Segments are sent in order, one after the other, so that what was drawn is what is cut.

import { Box3, Sphere, Vector3, type Ray } from "three";
import { places, type Hand, type Pointing, type Tool } from "./tool";

const SHORTEST = 14; // pixels between two places of the blade

type Segment = [Vector3, Vector3];

export class Knife implements Tool {
  readonly name = "knife";
  readonly label = "Knife";
  readonly key = "k";
  readonly hint = "Drag a stroke across the body. Turn the view with the right button or two fingers.";
  readonly needsScene = true;
  private stroke: { x: number; y: number }[] = [];
  private last: { x: number; y: number; blade: Segment } | null = null;
  private newest: { x: number; y: number } | null = null;
  private chain: Promise<unknown> = Promise.resolve();
  private facets = 0;
  private components: number | undefined;
  private kind = "face"; // what was opened last

  constructor(
    private readonly hand: Hand,
    private readonly draw: (stroke: readonly { x: number; y: number }[]) => void,
  ) {}

  down({ x, y }: Pointing): boolean {
    this.facets = 0;
    this.components = undefined;
    this.stroke = [{ x, y }];
    this.last = { x, y, blade: this.blade(x, y) };
    this.newest = null;
    this.draw(this.stroke);
    return true;
  }

  move({ x, y }: Pointing): void {
    if (!this.last) return;
    this.newest = { x, y };
    if (Math.hypot(x - this.last.x, y - this.last.y) >= SHORTEST) this.advance(x, y);
  }

  up(): void {
    if (this.last && this.newest && Math.hypot(this.newest.x - this.last.x, this.newest.y - this.last.y) > 2)
      this.advance(this.newest.x, this.newest.y);
    this.cancel();
  }

  cancel(): void {
    if (!this.last) return;
    this.last = null;
    this.stroke = [];
    this.draw([]);
    this.chain = this.chain.then(async () => {
      await this.hand.session.ask({ do: "knife-end" });
      const parts = this.components === undefined ? "" : `; ${this.components} ${this.components === 1 ? "part" : "parts"}`;
      const what = this.facets === 1 ? `1 ${this.kind}` : `${this.facets} ${this.kind}s`;
      this.hand.say(this.facets > 0 ? `Cut: ${what} opened${parts}.` : "The knife met nothing to part.");
    });
  }

  private advance(x: number, y: number): void {
    const before = this.last!;
    const blade = this.blade(x, y);
    this.last = { x, y, blade };
    this.newest = null;
    this.stroke.push({ x, y });
    this.draw(this.stroke);
    const words = [
      [places(before.blade[0]), places(before.blade[1])],
      [places(blade[0]), places(blade[1])],
    ];
    for (const body of this.reached(before.blade, blade))
      this.chain = this.chain.then(async () => {
        const answer = await this.hand.session.ask({ do: "knife", body, blade: words });
        if (!answer.facets) return; // what it missed stays as it is
        this.facets += answer.facets;
        this.components = answer.components;
        this.kind = this.hand.session.hello?.bodies[body]?.dimension === 2 ? "edge" : "face";
      });
  }

  // The part of a ray that passes every body, whatever its depth.
  private blade(x: number, y: number): Segment {
    const ray: Ray = this.hand.stage.ray(x, y);
    const sphere = this.box(this.hand.session.bodies.keys()).getBoundingSphere(new Sphere());
    const ahead = sphere.center.clone().sub(ray.origin).dot(ray.direction);
    const reach = sphere.radius * 1.1;
    return [ray.at(Math.max(ahead - reach, 0), new Vector3()), ray.at(ahead + reach, new Vector3())];
  }

  private reached(a: Segment, b: Segment): number[] {
    const swept = new Box3().setFromPoints([...a, ...b]);
    return [...this.hand.session.bodies.keys()].filter((body) => this.box([body]).intersectsBox(swept));
  }

  private box(bodies: Iterable<number>): Box3 {
    const box = new Box3();
    for (const k of bodies) {
      const bounds = this.hand.session.bodies[k].box();
      if (bounds) box.union(new Box3(new Vector3(...bounds.least), new Vector3(...bounds.most)));
    }
    return box;
  }
}
