// What must be seen: a lost connection, a step that was rejected, a command that was refused; and, quietly, what a tool did.

import type { Session } from "../model/session";
import { h } from "./dom";

const SHOWN = 7000;

export class Notices {
  readonly element = h("div", { class: "notices" });
  readonly status = h("p", { class: "status", role: "status" });
  private readonly lost = h("div", { class: "notice lost", role: "alert", hidden: true });
  private readonly seen = new Set<string>();
  private readonly warnings = new Map<string, { text: HTMLElement; renew: () => void }>();
  private timer = 0;

  constructor(session: Session) {
    const words = h("span", {});
    this.lost.append(words, h("button", { type: "button", onclick: () => session.link.connect() }, "Try now"));
    this.element.append(this.lost);
    session.on("state", (state) => {
      if (state.kind === "open") this.lost.hidden = true;
      if (state.kind !== "lost") return;
      this.lost.hidden = false;
      words.textContent = `The connection to the engine was lost${state.reason ? `: ${state.reason}` : ""}. Trying again by itself …`;
    });
    session.on("trouble", (sentence) => this.warn(sentence));
    session.on("news", (news) => {
      for (const warning of news.warnings ?? []) {
        if (this.seen.has(warning)) continue;
        this.seen.add(warning);
        this.warn(warning);
      }
    });
    session.on("hello", (_, fresh) => {
      if (fresh) this.seen.clear();
    });
  }

  say(sentence: string): void {
    this.status.textContent = sentence;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.status.textContent = ""), SHOWN);
  }

  warn(words: string): void {
    const sentence = `${words[0].toUpperCase()}${words.slice(1)}${/[.!?…]$/.test(words) ? "" : "."}`;
    // The same in other numbers is news of the same trouble, and takes its place.
    const kind = sentence.replace(/[\d.,+-]+/g, "#");
    const known = this.warnings.get(kind);
    if (known) {
      known.text.textContent = sentence;
      known.renew();
      return;
    }
    const text = h("span", {}, sentence);
    const end = () => {
      notice.remove();
      this.warnings.delete(kind);
    };
    const notice: HTMLElement = h(
      "div",
      { class: "notice warning", role: "alert" },
      text,
      h("button", { type: "button", "aria-label": "Dismiss", onclick: end }, "×"),
    );
    let timer = window.setTimeout(end, SHOWN);
    const renew = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(end, SHOWN);
    };
    this.warnings.set(kind, { text, renew });
    this.element.append(notice);
  }
}
