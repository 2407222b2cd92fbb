// From pointer events, of mouse, touch and pen alike, to the tool in the hand or to the camera. The first finger or the left
// button belongs to the tool; a second finger takes over for the camera, and the tool lets go.

import type { Session } from "../model/session";
import { pickFace, type Hit } from "../model/pick";
import type { Stage } from "../scene/stage";
import type { Hand, Pointing, Tool } from "./tool";

type Mode = "none" | "tool" | "turn" | "pan" | "pinch";

export class Pointer {
  private mode: Mode = "none";
  private readonly down = new Map<number, { x: number; y: number }>();
  private hover: { x: number; y: number } | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly session: Session,
    private readonly hand: Hand,
    private readonly tool: () => Tool,
  ) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => this.lift(event));
    canvas.addEventListener("pointercancel", (event) => this.lift(event));
    canvas.addEventListener("pointerleave", () => {
      this.hover = null;
      this.showRing();
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const at = stage.normalized(event.clientX, event.clientY);
        stage.orbit.zoom(Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.04 : 0.0012)), at.x, at.y);
        stage.invalidate();
      },
      { passive: false },
    );
    session.on("frame", () => this.showRing());
  }

  // The ring of a brush, where it would touch.
  showRing(): void {
    const shown = this.tool().hasRadius && this.hover && this.mode !== "turn" && this.mode !== "pan";
    const hit = shown ? pickFace(this.session.bodies, this.stage.ray(this.hover!.x, this.hover!.y)) : null;
    this.stage.marks.showRing(hit?.at ?? null, this.hand.radius(), this.stage.orbit.camera.quaternion);
    this.stage.invalidate();
  }

  letGo(): void {
    if (this.mode === "tool") this.tool().cancel?.();
    this.mode = "none";
  }

  private pointing(event: PointerEvent): Pointing {
    const { clientX: x, clientY: y } = event;
    let hit: Hit | null | undefined;
    return { x, y, hit: () => (hit === undefined ? (hit = pickFace(this.session.bodies, this.stage.ray(x, y))) : hit) };
  }

  private press(event: PointerEvent): void {
    this.stage.canvas.focus({ preventScroll: true });
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.down.size === 2) {
      this.letGo();
      this.mode = "pinch";
      return;
    }
    if (this.down.size > 2) return;
    if (event.button === 1 || event.shiftKey) this.mode = "pan";
    else if (event.button === 2) this.mode = "turn";
    else this.mode = this.tool().down(this.pointing(event)) ? "tool" : "turn";
    if (this.mode !== "tool") this.stage.canvas.classList.add("turning");
  }

  private moved(event: PointerEvent): void {
    if (event.pointerType === "mouse" || this.down.size > 0) this.hover = { x: event.clientX, y: event.clientY };
    const before = this.down.get(event.pointerId);
    if (!before) {
      if (this.tool().hasRadius) this.showRing();
      return;
    }
    const now = { x: event.clientX, y: event.clientY };
    const dx = now.x - before.x;
    const dy = now.y - before.y;
    const { orbit } = this.stage;
    if (this.mode === "tool") {
      const passed = event.getCoalescedEvents?.() ?? [];
      for (const step of passed.length > 0 ? passed : [event]) this.tool().move?.(this.pointing(step));
      if (this.tool().hasRadius) this.showRing();
    } else if (this.mode === "turn") {
      orbit.rotate(dx, dy);
    } else if (this.mode === "pan") {
      orbit.pan(dx, dy, this.stage.canvas.clientHeight);
    } else if (this.mode === "pinch") {
      this.pinch(event.pointerId, now);
    }
    this.down.set(event.pointerId, now);
    if (this.mode !== "tool") this.stage.invalidate();
  }

  private pinch(moving: number, now: { x: number; y: number }): void {
    const before = this.down.get(moving)!;
    const other = [...this.down].find(([id]) => id !== moving)?.[1];
    if (!other) return;
    const { orbit } = this.stage;
    const apart = Math.hypot(now.x - other.x, now.y - other.y);
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const middle = this.stage.normalized((now.x + other.x) / 2, (now.y + other.y) / 2);
    if (apart > 0 && was > 0) orbit.zoom(was / apart, middle.x, middle.y);
    orbit.rotate((now.x - before.x) / 2, (now.y - before.y) / 2);
  }

  private lift(event: PointerEvent): void {
    if (!this.down.delete(event.pointerId)) return;
    if (this.mode === "tool") {
      if (event.type === "pointercancel") this.tool().cancel?.();
      else this.tool().up?.();
    }
    if (this.mode !== "pinch" || this.down.size === 0) this.mode = "none";
    this.stage.canvas.classList.remove("turning");
    if (event.pointerType !== "mouse") this.hover = null;
    this.showRing();
  }
}
