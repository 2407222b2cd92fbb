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
    if (!tool || (tool.changesBody && !this.changeable)) return;
    this.current = tool;
    this.show();
    this.changed(tool);
  }

  // A finished run cannot be changed, only looked at.
  allowChanges(allowed: boolean): void {
    this.changeable = allowed;
    for (const [tool, b] of this.buttons) b.disabled = !allowed && tool.changesBody === true;
    if (!allowed && this.current.changesBody) this.choose("look");
  }

  private show(): void {
    for (const [tool, b] of this.buttons) b.setAttribute("aria-pressed", String(tool === this.current));
  }
}
