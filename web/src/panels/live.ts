// What the engine is doing: how long each stage takes, how fast time goes, energies and momentum, counts, the journal.

import type { Session } from "../model/session";
import type { BodyCounts, News } from "../protocol/words";
import { h, number, section } from "./dom";
import { Plot } from "./plot";

const ENERGIES = [
  { name: "kinetic", color: "#3f7fd8" },
  { name: "elastic", color: "#2f9e6e" },
  { name: "potential", color: "#b07a00" },
  { name: "sum", color: "#8a8f98" },
];
const MOMENTA = [
  { name: "x", color: "#d0564a" },
  { name: "y", color: "#2f9e6e" },
  { name: "z", color: "#3f7fd8" },
];

const COUNTS: [string, (body: BodyCounts) => number][] = [
  ["vertices", (body) => body.vertices],
  ["cells", (body) => body.cells],
  ["parts", (body) => body.components],
  ["laid open", (body) => body.cut],
];

const SHOWN_EVERY = 450; // milliseconds: numbers that change faster cannot be read

function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export class LivePanel {
  readonly element: HTMLElement;
  readonly journalElement: HTMLElement;
  private readonly factor = h("output", { class: "big" }, "–");
  private readonly pace = h("span", { class: "note" }, "times real time");
  private readonly stages = h("table", { class: "stages" });
  private readonly counts = h("table", { class: "counts" });
  private readonly energies = new Plot("Energy", "J", ENERGIES);
  private readonly momenta = new Plot("Momentum", "kg m/s", MOMENTA);
  private readonly journal = h("ol", { class: "journal", tabindex: 0, "aria-label": "Last entries of the journal" });
  private journalText = "";
  private stageNames = "";
  private stageRows: { bar: HTMLElement; text: HTMLElement }[] = [];
  private countCells: HTMLElement[] = [];
  private shownAt = 0;

  constructor(private readonly session: Session) {
    this.element = section(
      "Live",
      true,
      h("p", { class: "factor" }, this.factor, this.pace),
      this.counts,
      this.stages,
      this.energies.element,
      this.momenta.element,
    );
    this.journalElement = section("Journal", true, this.journal);
    session.on("news", (news) => this.show(news));
    session.on("hello", (hello, fresh) => {
      this.journalElement.hidden = hello.kind === "result";
      if (!fresh) return;
      this.energies.clear();
      this.momenta.clear();
    });
  }

  private show(news: News): void {
    this.showCounts(news);
    const now = performance.now();
    if (!news.paused && now - this.shownAt < SHOWN_EVERY) return;
    this.shownAt = now;
    say(this.factor, news.paused ? "paused" : number(news.factor));
    this.pace.hidden = news.paused;
    this.showStages(news.stages ?? {});
    if (news.energy) {
      const [kinetic, elastic, potential] = ["kinetic", "elastic", "potential"].map((name) => news.energy![name] ?? 0);
      this.energies.add(news.time, [kinetic, elastic, potential, kinetic + elastic + potential]);
    }
    if (news.momentum) this.momenta.add(news.time, [0, 1, 2].map((k) => news.momentum![k] ?? 0));
    this.energies.element.hidden = !news.energy;
    this.momenta.element.hidden = !news.momentum;
    const entries = news.journal ?? [];
    const text = entries.join("\n");
    if (text !== this.journalText || entries.length === 0) {
      this.journalText = text;
      this.journal.replaceChildren(
        ...(entries.length > 0 ? [...entries].reverse() : ["Nothing was cut, removed or refined yet."]).map((e) => h("li", {}, e)),
      );
    }
  }

  private showStages(stages: Record<string, number>): void {
    const names = Object.keys(stages);
    this.stages.hidden = names.length === 0;
    if (names.join() !== this.stageNames) {
      this.stageNames = names.join();
      this.stageRows = names.map(() => ({ bar: h("div", { class: "length" }), text: h("td", {}) }));
      const rows = names.map((name, k) =>
        h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "track" }, this.stageRows[k].bar), this.stageRows[k].text),
      );
      this.stages.replaceChildren(h("caption", {}, "Time a step, ms"), h("tbody", {}, ...rows));
    }
    const longest = Math.max(...Object.values(stages), 1e-9);
    names.forEach((name, k) => {
      this.stageRows[k].bar.style.width = `${Math.round((100 * stages[name]) / longest)}%`;
      say(this.stageRows[k].text, (1000 * stages[name]).toFixed(2));
    });
  }

  private showCounts(news: News): void {
    const bodies = news.bodies ?? [];
    this.counts.hidden = bodies.length === 0;
    if (this.countCells.length !== COUNTS.length * bodies.length) {
      this.countCells = COUNTS.flatMap(() => bodies.map(() => h("td", {})));
      const names = this.session.hello?.bodies.map((body) => body.name) ?? [];
      const head = h("tr", {}, h("td", {}), ...bodies.map((_, n) => h("th", { scope: "col" }, names[n] ?? String(n))));
      const rows = COUNTS.map(([label], k) =>
        h("tr", {}, h("th", { scope: "row" }, label), ...this.countCells.slice(k * bodies.length, (k + 1) * bodies.length)),
      );
      this.counts.replaceChildren(
        h("caption", {}, "Counts"),
        ...(bodies.length > 1 ? [h("thead", {}, head)] : []),
        h("tbody", {}, ...rows),
      );
    }
    COUNTS.forEach(([, of], k) =>
      bodies.forEach((body, n) => say(this.countCells[k * bodies.length + n], (of(body) ?? 0).toLocaleString("en"))),
    );
  }
}
