// How the bodies are shown: colour, edges, exploded, clipped. Everything here is this page's own; other pages see what they chose.

import type { Session } from "../model/session";
import type { Stage } from "../scene/stage";
import { h, section, toggle } from "./dom";
import type { Legend } from "./legend";

const FIELDS: Record<string, { label: string; unit: string }> = {
  von_mises: { label: "von Mises stress", unit: "Pa" },
  stress: { label: "stress", unit: "Pa" },
  strain: { label: "strain", unit: "" },
  energy: { label: "energy", unit: "J" },
  velocity: { label: "velocity", unit: "m/s" },
  displacement: { label: "displacement", unit: "m" },
  region: { label: "region", unit: "" },
  level: { label: "level of refinement", unit: "" },
};

const AXES = ["x", "y", "z"];

export class ViewPanel {
  readonly element: HTMLElement;
  readonly colorSelect: HTMLSelectElement;
  private readonly explode: HTMLInputElement;
  private readonly clipAxis: HTMLSelectElement;
  private readonly clipAt: HTMLInputElement;
  private readonly clipFlip: HTMLInputElement;
  private range: [number, number] | null = null;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly legend: Legend,
    fit: () => void,
    from: (azimuth: number, polar: number) => void,
  ) {
    const redraw = () => stage.invalidate();
    this.colorSelect = h("select", { id: "color", onchange: () => this.recolor() });
    this.explode = h("input", { id: "explode", type: "range", min: 0, max: 1, step: 0.01, value: 0, oninput: () => this.reshape() });
    this.clipAxis = h(
      "select",
      { id: "clip-axis", onchange: () => this.reshape() },
      h("option", { value: "" }, "off"),
      ...AXES.map((axis) => h("option", { value: axis }, `across ${axis}`)),
    );
    this.clipAt = h("input", {
      id: "clip-at",
      type: "range",
      min: 0,
      max: 1,
      step: 0.005,
      value: 0.5,
      disabled: true,
      "aria-label": "Where the clip plane is",
      oninput: () => this.reshape(),
    });
    const flip = toggle("other side", false, () => this.reshape());
    this.clipFlip = flip.querySelector("input")!;
    this.clipFlip.disabled = true;
    const view = (label: string, azimuth: number, polar: number) =>
      h("button", { type: "button", onclick: () => from(azimuth, polar) }, label);
    this.element = section(
      "View",
      true,
      h("div", { class: "row" }, h("label", { for: "color" }, "Colour by"), this.colorSelect),
      h(
        "div",
        { class: "toggles" },
        toggle("Edges", true, (on) => ((stage.look.edges = on), redraw())),
        toggle("Fixed points", true, (on) => ((stage.look.held = on), redraw())),
        toggle("Cuts in red", true, (on) => ((stage.look.opened = on), redraw())),
        toggle("Floor", true, (on) => stage.showGround(on)),
      ),
      h("div", { class: "row" }, h("label", { for: "explode" }, "Explode"), this.explode),
      h("div", { class: "row" }, h("label", { for: "clip-axis" }, "Clip"), this.clipAxis),
      h("div", { class: "row" }, this.clipAt, flip),
      h(
        "div",
        { class: "views", role: "group", "aria-label": "View from" },
        view("Front", -Math.PI / 2, Math.PI / 2),
        view("Side", 0, Math.PI / 2),
        view("Top", -Math.PI / 2, 0.02),
        view("Oblique", -1.05, 1.15),
        h("button", { type: "button", onclick: fit }, "Fit"),
      ),
    );
    session.on("hello", (_, fresh) => {
      if (fresh) this.offer();
    });
    session.on("frame", () => this.followField());
  }

  private offer(): void {
    const chosen = this.colorSelect.value;
    const fields = [...new Set([...this.session.hello!.fields, "level", "region"])];
    this.colorSelect.replaceChildren(
      h("option", { value: "" }, "nothing"),
      ...fields.map((name) => h("option", { value: name }, FIELDS[name]?.label ?? name.replace(/_/g, " "))),
    );
    this.colorSelect.value = fields.includes(chosen) ? chosen : "";
    this.recolor();
    this.reshape();
  }

  recolor(): void {
    const name = this.colorSelect.value;
    const { look } = this.stage;
    const fromFlags = name === "level" ? 3 : name === "region" ? 4 : 0;
    this.range = null;
    look.coloring = fromFlags || (name ? 1 : 0);
    this.session.want({ field: name && !fromFlags ? name : null });
    this.followField();
    this.stage.invalidate();
  }

  // The colours span what the bodies show. The span opens at once and closes slowly, so that a swinging body does not flicker.
  private followField(): void {
    const { look } = this.stage;
    const name = this.colorSelect.value;
    const { label, unit } = FIELDS[name] ?? { label: name.replace(/_/g, " "), unit: "" };
    if (look.coloring === 1) {
      const least = Math.min(...this.session.bodies.map((body) => body.least));
      const greatest = Math.max(...this.session.bodies.map((body) => body.greatest));
      if (!this.range) this.range = [least, greatest];
      const close = 0.02;
      this.range[0] = Math.min(least, this.range[0] + close * (least - this.range[0]));
      this.range[1] = Math.max(greatest, this.range[1] + close * (greatest - this.range[1]));
      look.range = this.range;
      this.legend.showRange(label, unit, this.range[0], this.range[1]);
    } else if (look.coloring === 3 || look.coloring === 4) {
      const seen = new Set<number>();
      for (const body of this.session.bodies)
        for (let k = 4; k < body.layers[0].slots * 5; k += 5)
          seen.add(look.coloring === 3 ? (body.layers[0].faces[k] >> 8) & 255 : body.layers[0].faces[k] >>> 16);
      const values = [...seen].sort((a, b) => a - b);
      look.range = [0, Math.max(...values, 1)];
      if (look.coloring === 3) this.legend.showLevels(label, values, look.range[1]);
      else this.legend.showRegions(label, values);
    } else {
      this.legend.hide();
    }
  }

  private reshape(): void {
    const { look } = this.stage;
    const axis = AXES.indexOf(this.clipAxis.value);
    const explode = Number(this.explode.value);
    this.clipAt.disabled = this.clipFlip.disabled = axis < 0;
    look.explode = explode;
    look.whole = explode > 0 || axis >= 0;
    const box = this.session.hello?.box;
    if (axis >= 0 && box) {
      const margin = 0.02 * (box[1][axis] - box[0][axis]) + 1e-9;
      const at = box[0][axis] - margin + Number(this.clipAt.value) * (box[1][axis] - box[0][axis] + 2 * margin);
      const sign = this.clipFlip.checked ? -1 : 1;
      look.clip.set(0, 0, 0, sign * at).setComponent(axis, sign);
    } else {
      look.clip.set(0, 0, 0, 1e30);
    }
    this.session.want({ layer: look.whole ? 1 : 0 });
    this.stage.invalidate();
  }
}
