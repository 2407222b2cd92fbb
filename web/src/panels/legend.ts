// What the colours mean.

import { LINKS, REGIONS, viridisCss } from "../scene/colors";
import { h, number } from "./dom";

export class Legend {
  readonly element = h("figure", { class: "legend", hidden: true });
  private shown = "";

  hide(): void {
    this.element.hidden = true;
    this.shown = "";
  }

  showRange(label: string, unit: string, least: number, greatest: number): void {
    const text = `${label}|${number(least)}|${number(greatest)}`;
    if (text === this.shown) return;
    this.shown = text;
    const bar = h("div", { class: "ramp" });
    bar.style.background = `linear-gradient(to right, ${Array.from({ length: 17 }, (_, k) => viridisCss(k / 16)).join(", ")})`;
    const ends = h("div", { class: "ends" });
    for (const t of [0, 0.5, 1]) ends.append(h("span", {}, number(least + t * (greatest - least))));
    this.fill(unit ? `${label}, ${unit}` : label, bar, ends);
  }

  showLevels(label: string, levels: number[], most: number): void {
    this.swatches(label, levels, (level) => viridisCss(Math.min(level / Math.max(most, 1), 1)));
  }

  showRegions(label: string, regions: number[]): void {
    this.swatches(label, regions, (region) => REGIONS[region & 7]);
  }

  // A picked cell, and what its strokes mean.
  static ofDarts(cell: number, darts: number, dimension: number): HTMLElement {
    const row = h("div", { class: "swatches" });
    for (let link = 0; link <= dimension; link++) {
      const swatch = h("span", { class: "swatch" });
      swatch.style.background = LINKS[link];
      row.append(h("span", { class: "entry" }, swatch, `α${"₀₁₂₃"[link]}`));
    }
    return h("figure", { class: "legend" }, h("figcaption", {}, `Cell ${cell}: ${darts} darts`), row);
  }

  private swatches(label: string, values: number[], color: (value: number) => string): void {
    const text = `${label}|${values.join()}`;
    if (text === this.shown) return;
    this.shown = text;
    const row = h("div", { class: "swatches" });
    for (const value of values) {
      const swatch = h("span", { class: "swatch" });
      swatch.style.background = color(value);
      row.append(h("span", { class: "entry" }, swatch, String(value)));
    }
    this.fill(label, row);
  }

  private fill(label: string, ...children: Node[]): void {
    this.element.replaceChildren(h("figcaption", {}, label), ...children);
    this.element.hidden = false;
  }
}
