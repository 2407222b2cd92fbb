// Dark and light: as the system says, or as the switch says. Colours of the page are in page.css; those of the scene are here.

import type { Stage, StageTheme } from "./scene/stage";

type Name = "dark" | "light";

const STAGES: Record<Name, StageTheme> = {
  dark: { background: "#171a1f", ink: "#e8ecf1", edge: "#1d2630", sky: "#c4cbd3", earth: "#7c7772", shadow: 0.5 },
  light: { background: "#eef0f2", ink: "#2c3540", edge: "#2b3947", sky: "#ced5dc", earth: "#938c85", shadow: 0.26 },
};

const KEY = "cleave-theme";

export class Theme {
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");
  private chosen: Name | null;

  constructor(private readonly stage: Stage) {
    const kept = window.localStorage.getItem(KEY);
    this.chosen = kept === "dark" || kept === "light" ? kept : null;
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get name(): Name {
    return this.chosen ?? (this.system.matches ? "dark" : "light");
  }

  flip(): void {
    this.chosen = this.name === "dark" ? "light" : "dark";
    window.localStorage.setItem(KEY, this.chosen);
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.name;
    this.stage.setTheme(STAGES[this.name]);
  }
}
