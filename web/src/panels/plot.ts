// A small chart of something over time, and the same in words for those who do not see it.

import { h, number } from "./dom";

const KEPT = 480;

export interface Curve {
  name: string;
  color: string;
}

export class Plot {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { role: "img", width: 300, height: 84 });
  private readonly key = h("dl", { class: "key" });
  private readonly values: HTMLElement[] = [];
  private times: number[] = [];
  private rows: number[][] = [];
  private said = 0;
  private isSeen = false;

  constructor(
    private readonly title: string,
    private readonly unit: string,
    private readonly curves: Curve[],
  ) {
    for (const curve of curves) {
      const value = h("dd", {}, "–");
      const swatch = h("span", { class: "swatch" });
      swatch.style.background = curve.color;
      this.values.push(value);
      this.key.append(h("div", {}, h("dt", {}, swatch, curve.name), value));
    }
    this.element = h("figure", { class: "plot" }, h("figcaption", {}, `${title}, ${unit}`), this.canvas, this.key);
    this.say();
    new IntersectionObserver(([entry]) => {
      this.isSeen = entry.isIntersecting;
      if (this.isSeen && this.times.length > 0) this.draw();
    }).observe(this.canvas);
  }

  add(time: number, values: number[]): void {
    if (this.times.length > 0 && time < this.times[this.times.length - 1]) this.clear();
    if (this.times.length > 0 && time === this.times[this.times.length - 1]) return;
    this.times.push(time);
    this.rows.push(values);
    if (this.times.length > KEPT) {
      this.times.shift();
      this.rows.shift();
    }
    values.forEach((value, k) => {
      const text = number(value);
      if (this.values[k].textContent !== text) this.values[k].textContent = text;
    });
    if (this.isSeen) this.draw();
    if (performance.now() - this.said > 2000) this.say();
  }

  clear(): void {
    this.times = [];
    this.rows = [];
  }

  private say(): void {
    this.said = performance.now();
    const last = this.rows[this.rows.length - 1];
    const now = last ? this.curves.map((curve, k) => `${curve.name} ${number(last[k])}`).join(", ") : "nothing yet";
    this.canvas.setAttribute("aria-label", `${this.title} over time, in ${this.unit}. Now: ${now}.`);
  }

  private draw(): void {
    const ratio = Math.min(window.devicePixelRatio, 2);
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0) return;
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const paper = this.canvas.getContext("2d")!;
    const style = getComputedStyle(this.element);
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    paper.clearRect(0, 0, width, height);

    let least = 0;
    let most = 0;
    for (const row of this.rows)
      for (const value of row) {
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    if (most === least) most = least + 1;
    const from = this.times[0];
    const to = Math.max(this.times[this.times.length - 1], from + 1e-9);
    const x = (time: number) => 1 + ((time - from) / (to - from)) * (width - 2);
    const y = (value: number) => height - 14 - ((value - least) / (most - least)) * (height - 28);

    paper.strokeStyle = style.getPropertyValue("--rule");
    paper.lineWidth = 1;
    paper.beginPath();
    paper.moveTo(0, Math.round(y(0)) + 0.5);
    paper.lineTo(width, Math.round(y(0)) + 0.5);
    paper.stroke();
    this.curves.forEach((curve, k) => {
      paper.strokeStyle = curve.color;
      paper.lineWidth = 1.5;
      paper.lineJoin = "round";
      paper.beginPath();
      this.rows.forEach((row, n) => (n === 0 ? paper.moveTo(x(this.times[n]), y(row[k])) : paper.lineTo(x(this.times[n]), y(row[k]))));
      paper.stroke();
    });
    paper.fillStyle = style.getPropertyValue("--quiet");
    paper.font = "10px system-ui, sans-serif";
    paper.fillText(number(most), 2, 10);
    paper.fillText(`${number(from)} s`, 2, height - 3);
    const end = `${number(to)} s`;
    paper.fillText(end, width - paper.measureText(end).width - 2, height - 3);
  }
}
