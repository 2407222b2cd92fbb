// The frames of a finished run, to play and to wander through.

import type { Session } from "../model/session";
import { Newest } from "../tools/tool";
import { h } from "./dom";

export class Timeline {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly shown = h("output", { for: "frame" });
  private frames = 0;
  private held = false;

  constructor(private readonly session: Session) {
    const newest = new Newest<number>((frame) => session.ask({ do: "seek", frame }));
    this.slider = h("input", { id: "frame", type: "range", min: 0, step: 1, value: 0 });
    this.slider.addEventListener("input", () => {
      this.held = true;
      newest.give(Number(this.slider.value));
    });
    this.slider.addEventListener("change", () => (this.held = false));
    this.element = h("div", { class: "timeline", hidden: true }, h("label", { for: "frame" }, "Frame"), this.slider, this.shown);
    session.on("hello", (hello) => {
      this.frames = hello.frames;
      this.element.hidden = hello.kind !== "result";
      this.slider.max = String(Math.max(hello.frames - 1, 0));
    });
    session.on("frame", () => this.show());
  }

  move(by: number): void {
    if (this.element.hidden) return;
    const frame = Math.min(this.frames - 1, Math.max(0, this.session.clock.frame + by));
    void this.session.ask({ do: "seek", frame });
  }

  private show(): void {
    if (this.element.hidden) return;
    const { frame } = this.session.clock;
    if (!this.held) this.slider.value = String(frame);
    this.shown.textContent = `${frame + 1} of ${this.frames}`;
  }
}
