// Look, which leaves every press to the camera; and inspect, which shows the darts of a cell.

import type { Hand, Pointing, Tool } from "./tool";

export class LookAround implements Tool {
  readonly name = "look";
  readonly label = "Look";
  readonly key = "v";
  readonly hint = "Drag to turn, wheel or pinch to come nearer, Shift or the middle button to move.";

  down(): boolean {
    return false;
  }
}

export class Inspect implements Tool {
  readonly name = "inspect";
  readonly label = "Inspect";
  readonly key = "i";
  readonly hint = "Press on a cell to see its darts and how they are linked.";
  readonly needsScene = true;

  constructor(
    private readonly hand: Hand,
    private readonly shown: () => void,
  ) {}

  down(pointing: Pointing): boolean {
    const hit = pointing.hit();
    const { stage, session } = this.hand;
    if (!hit) {
      stage.darts.picked = null;
      this.shown();
      return false;
    }
    void session.ask({ do: "pick", body: hit.body, cell: hit.cell }).then((answer) => {
      if (!answer.ok || !answer.darts) return;
      stage.darts.picked = { body: hit.body, cell: hit.cell, darts: answer.darts };
      this.shown();
    });
    return true;
  }
}
