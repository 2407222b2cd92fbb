// The sheet of keys and gestures.

import type { Tool } from "../tools/tool";
import { h } from "./dom";

export class Help {
  readonly element: HTMLDialogElement;

  constructor(tools: readonly Tool[]) {
    const list = (rows: [string, string][]) =>
      h("dl", {}, ...rows.map(([keys, what]) => h("div", {}, h("dt", {}, ...keys.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, what))));
    const column = (title: string, rows: [string, string][]) => h("section", {}, h("h3", {}, title), list(rows));
    const close = h("button", { type: "button", class: "close", onclick: () => this.element.close() }, "Close");
    this.element = h(
      "dialog",
      { class: "help", "aria-labelledby": "help-title" },
      h("div", { class: "head" }, h("h2", { id: "help-title" }, "Keys and gestures"), close),
      h(
        "div",
        { class: "columns", tabindex: 0, role: "region", "aria-label": "List of keys and gestures" },
        column("Tools", tools.map((tool): [string, string] => [tool.key.toUpperCase(), tool.label])),
        column("Time", [
          ["Space", "run or pause"],
          [".", "one step, while paused"],
          ["Ctrl Z", "undo the last edit"],
          ["Backspace", "back to the beginning"],
          [", /", "a frame back or on, of a result"],
        ]),
        column("View", [
          ["← → ↑ ↓", "turn, when the picture has the focus"],
          ["+ −", "nearer, farther"],
          ["0", "all of it in the picture"],
          ["1 2 3 4", "front, side, top, oblique"],
          ["[ ]", "smaller or larger brush"],
        ]),
        column("Page", [
          ["S", "save a picture"],
          ["M", "film the view"],
          ["R", "record a replay file"],
          ["T", "dark or light"],
          ["?", "this sheet"],
        ]),
        column("Mouse and pen", [
          ["left", "the tool; beside the body, turn"],
          ["right", "turn"],
          ["middle", "move the view; also Shift and drag"],
          ["wheel", "nearer, farther, towards the pointer"],
        ]),
        column("Touch", [
          ["one", "finger: the tool; beside the body, turn"],
          ["two", "fingers: turn, and pinch to come nearer"],
        ]),
      ),
    );
  }

  open(): void {
    if (!this.element.open) this.element.showModal();
  }
}
