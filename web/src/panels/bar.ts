// The bar at the top: what is shown, the time, and what makes time go: run, step, speed, undo, reset; then recording and help.

import type { Session } from "../model/session";
import { button, h, icon, number } from "./dom";

const SPEEDS: [string, number][] = [
  ["as fast as it goes", 0],
  ["real time", 1],
  ["1/2 speed", 0.5],
  ["1/5 speed", 0.2],
  ["1/10 speed", 0.1],
  ["1/50 speed", 0.02],
];

const READ = 150; // milliseconds

export interface BarActions {
  picture: () => void;
  film: () => void;
  record: () => void;
  theme: () => void;
  help: () => void;
  panel: () => void;
}

export class Bar {
  readonly element: HTMLElement;
  readonly filmButton: HTMLButtonElement;
  readonly recordButton: HTMLButtonElement;
  private readonly title = h("h1", {}, "Cleave");
  private readonly clock = h("output", { class: "clock", "aria-label": "Simulated time" });
  private readonly light = h("span", { class: "light", "data-state": "connecting" });
  private readonly run: HTMLButtonElement;
  private readonly stepButton: HTMLButtonElement;
  private readonly undo: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private paused: boolean | null = null;
  private shownAt = 0;

  constructor(
    private readonly session: Session,
    actions: BarActions,
  ) {
    this.run = button("pause", "Pause (Space)", () => this.toggleRun());
    this.stepButton = button("step", "One step (.)", () => this.step());
    this.undo = button("undo", "Undo the last edit (Ctrl+Z)", () => this.undoEdit());
    this.speed = h(
      "select",
      {
        "aria-label": "Speed",
        title: "Simulated time over real time",
        onchange: () => void session.ask({ do: "speed", factor: Number(this.speed.value) }),
      },
      ...SPEEDS.map(([label, factor]) => h("option", { value: factor }, label)),
    );
    this.speed.value = "1";
    this.filmButton = button("film", "Film the view as a video (M)", actions.film);
    this.recordButton = button("record", "Record a replay file (R)", actions.record);
    this.recordButton.classList.add("record");
    for (const b of [this.filmButton, this.recordButton]) b.setAttribute("aria-pressed", "false");
    this.element = h(
      "header",
      { class: "bar" },
      h("div", { class: "name" }, this.light, this.title),
      h(
        "div",
        { class: "transport", role: "group", "aria-label": "Time" },
        this.run,
        this.stepButton,
        this.speed,
        this.clock,
      ),
      h(
        "div",
        { class: "edits", role: "group", "aria-label": "Edits" },
        this.undo,
        button("reset", "Back to the beginning (Backspace)", () => this.reset()),
      ),
      h(
        "div",
        { class: "outputs", role: "group", "aria-label": "Recording" },
        button("camera", "Save a picture (S)", actions.picture),
        this.filmButton,
        this.recordButton,
      ),
      h(
        "div",
        { class: "page", role: "group", "aria-label": "Page" },
        button("theme", "Dark or light (T)", actions.theme),
        button("help", "Keys and gestures (?)", actions.help),
        button("panel", "Show or hide the panels (Tab leaves the picture)", actions.panel),
      ),
    );
    session.on("hello", (hello) => {
      this.title.textContent = hello.title || "Cleave";
      document.title = hello.title ? `${hello.title} – Cleave` : "Cleave";
      this.undo.disabled = this.recordButton.disabled = hello.kind === "result";
    });
    session.on("state", (state) => {
      this.light.dataset.state = state.kind;
      this.light.title = state.kind === "open" ? "Connected to the engine" : "No connection to the engine";
    });
    session.on("news", (news) => {
      if (news.undo !== undefined) this.undo.disabled = news.undo === 0;
      if (news.recording !== undefined) this.recordButton.setAttribute("aria-pressed", String(news.recording));
      if (news.speed !== undefined && document.activeElement !== this.speed) this.showSpeed(news.speed);
    });
    session.on("frame", () => this.show());
  }

  toggleRun(): void {
    void this.session.ask({ do: this.session.clock.paused ? "run" : "pause" });
  }

  step(): void {
    if (this.session.clock.paused) void this.session.ask({ do: "step", count: 1 });
    else void this.session.ask({ do: "pause" });
  }

  undoEdit(): void {
    void this.session.ask({ do: "undo" });
  }

  reset(): void {
    void this.session.ask({ do: "reset" });
  }

  private showSpeed(factor: number): void {
    if (Number(this.speed.value) === factor && this.speed.value !== "") return;
    if (!SPEEDS.some(([, known]) => known === factor) && !this.speed.querySelector(`option[value="${factor}"]`))
      this.speed.append(h("option", { value: factor }, `${number(factor)} × real time`));
    this.speed.value = String(factor);
  }

  private show(): void {
    const { clock } = this.session;
    const now = performance.now();
    // Nobody reads faster, and without a graphics card each change of a text is dear.
    if (clock.paused || clock.paused !== this.paused || now - this.shownAt > READ) {
      this.shownAt = now;
      this.clock.textContent = `${clock.time < 100 ? clock.time.toFixed(clock.paused ? 3 : 2) : number(clock.time)} s`;
    }
    if (clock.paused === this.paused) return;
    this.paused = clock.paused;
    const label = clock.paused ? "Run (Space)" : "Pause (Space)";
    this.run.replaceChildren(icon(clock.paused ? "play" : "pause"));
    this.run.title = label;
    this.run.setAttribute("aria-label", label);
    this.stepButton.disabled = !clock.paused;
  }
}
