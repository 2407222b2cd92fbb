// The tools, of which one is in the hand, and the radius of those that have one.

import type { Tool } from "../tools/tool";
import { h, icon } from "./dom";

export class Toolbar {
  readonly element: HTMLElement;
  private readonly buttons = new Map<Tool, HTMLButtonElement>();
  private current: Tool;
  private changeable = true;

  constructor(
    readonly tools: Tool[],
    private readonly changed: (tool: Tool) => void,
  ) {
    this.current = tools[0];
    this.element = h("div", { class: "tools", role: "toolbar", "aria-label": "Tools", "aria-orientation": "vertical" });
    for (const tool of tools) {
      const b = h(
        "button",
        {
          type: "button",
          title: `${tool.hint} (${tool.key.toUpperCase()})`,
          "aria-keyshortcuts": tool.key,
          "aria-pressed": "false",
          "data-tool": tool.name,
          onclick: () => this.choose(tool.name),
        },
        icon(tool.name),
        h("span", {}, tool.label),
      );
      this.buttons.set(tool, b);
      this.element.append(b);
    }
    this.show();
  }

  get tool(): Tool {
    return this.current;
  }

  choose(name: string): void {
    const tool = this.tools.find((t) => t.name === name);
    if (!tool || (tool.needsScene && !this.changeable)) return;
    this.current = tool;
    this.show();
    this.changed(tool);
  }

  // A finished run has no map behind it, and cannot be changed.
  allowChanges(allowed: boolean): void {
    this.changeable = allowed;
    for (const [tool, b] of this.buttons) b.disabled = !allowed && tool.needsScene === true;
    if (!allowed && this.current.needsScene) this.choose("look");
  }

  private show(): void {
    for (const [tool, b] of this.buttons) b.setAttribute("aria-pressed", String(tool === this.current));
  }
}
