// Sliders and selectors for what can be changed while the engine runs. They show what the hello says, so that two pages agree.

import type { Session } from "../model/session";
import type { Hello, Setting } from "../protocol/words";
import { Newest } from "../tools/tool";
import { h, number, section } from "./dom";

const WORDS: Record<string, { label: string; unit: string; zero?: string }> = {
  step: { label: "Step", unit: "s" },
  stiffness: { label: "Stiffness", unit: "×" },
  damping: { label: "Damping", unit: "1/s" },
  gravity: { label: "Gravity", unit: "m/s²" },
  tear: { label: "Tear threshold", unit: "", zero: "off" },
  iterations: { label: "Iterations", unit: "", zero: "automatic" },
};

const NOTCHES = 200;

class Slider {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly shown: HTMLOutputElement;
  private readonly newest: Newest<number>;
  private readonly logarithmic: boolean;
  private readonly whole: boolean;
  private readonly words: { unit: string; zero?: string };
  private held = false;

  constructor(
    readonly name: string,
    private setting: Setting,
    session: Session,
  ) {
    const words = WORDS[name] ?? { label: name, unit: "" };
    this.words = words;
    const id = `setting-${name}`;
    this.logarithmic = setting.least > 0 && setting.most / setting.least >= 50;
    this.whole = name === "iterations";
    this.newest = new Newest((value) => session.ask({ do: "set", name, value }));
    this.input = h("input", { id, type: "range", min: 0, max: NOTCHES, step: 1, "data-setting": name });
    this.shown = h("output", { for: id });
    this.input.addEventListener("input", () => {
      this.held = true;
      const value = this.value(Number(this.input.value));
      this.show(value);
      this.newest.give(value);
    });
    this.input.addEventListener("change", () => (this.held = false));
    this.element = h(
      "div",
      { class: "slider" },
      h("label", { for: id }, words.label),
      this.input,
      this.shown,
    );
    this.follow(setting);
  }

  follow(setting: Setting): void {
    this.setting = setting;
    if (this.held) return;
    this.input.value = String(this.notch(setting.value));
    this.show(setting.value);
  }

  private show(value: number): void {
    const { unit, zero } = this.words;
    const text = value === 0 && zero ? zero : `${number(value)} ${unit}`.trim();
    this.shown.textContent = text;
    this.input.setAttribute("aria-valuetext", text);
  }

  private value(notch: number): number {
    const { least, most } = this.setting;
    const t = notch / NOTCHES;
    const value = this.logarithmic ? least * (most / least) ** t : least + t * (most - least);
    return this.whole ? Math.round(value) : Number(value.toPrecision(3));
  }

  private notch(value: number): number {
    const { least, most } = this.setting;
    const t = this.logarithmic ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least);
    return Math.round(NOTCHES * Math.min(1, Math.max(0, t)));
  }
}

export class SettingsPanel {
  readonly element: HTMLElement;
  private readonly sliders = h("div", { class: "sliders" });
  private readonly selectors = h("div", { class: "selectors" });
  private list: Slider[] = [];

  constructor(private readonly session: Session) {
    this.element = section("Simulation", true, this.selectors, this.sliders);
    session.on("hello", (hello) => this.follow(hello));
  }

  private follow(hello: Hello): void {
    this.element.hidden = hello.kind === "result";
    const names = Object.keys(hello.settings ?? {});
    if (names.join() !== this.list.map((slider) => slider.name).join()) {
      this.list = names.map((name) => new Slider(name, hello.settings[name], this.session));
      this.sliders.replaceChildren(...this.list.map((slider) => slider.element));
    }
    for (const slider of this.list) slider.follow(hello.settings[slider.name]);
    this.offer(hello);
  }

  private offer(hello: Hello): void {
    this.selectors.replaceChildren(
      ...hello.bodies.flatMap((body, index) => {
        const of = hello.bodies.length > 1 ? ` of ${body.name}` : "";
        return [
          this.selector(`Model${of}`, `model-${index}`, hello.models, body.model, (name) => ({ do: "model", body: index, name })),
          this.selector(`Integrator${of}`, `integrator-${index}`, hello.integrators, body.integrator, (name) => ({
            do: "integrator",
            body: index,
            name,
          })),
        ];
      }),
    );
  }

  private selector(
    label: string,
    id: string,
    names: string[],
    current: string | null,
    command: (name: string) => { do: string; body: number; name: string },
  ): HTMLElement {
    const offered = current === null || names.includes(current) ? names : [current, ...names];
    const select = h(
      "select",
      {
        id,
        onchange: () =>
          void this.session.ask(command(select.value)).then((answer) => {
            if (!answer.ok) select.value = current ?? "";
          }),
      },
      ...offered.map((name) => h("option", { value: name }, name.replace(/-/g, " "))),
    );
    select.value = current ?? "";
    return h("div", { class: "row" }, h("label", { for: id }, label), select);
  }
}
