// Tools that touch a place: pierce, remove, refine, coarsen, fix and free. Those with a radius show it as a ring under the pointer.

import { Vector3 } from "three";
import type { Hit } from "../model/pick";
import type { Answer, Command } from "../protocol/words";
import { Newest, places, type Hand, type Pointing, type Tool } from "./tool";

interface BrushWords {
  name: string;
  label: string;
  key: string;
  hint: string;
  hasRadius: boolean;
  isDragged: boolean;
  command: (hit: Hit, radius: number, hand: Hand, pointing: Pointing) => Command;
  outcome: (answer: Answer) => string;
}

function counted(count: number | undefined, one: string, many: string): string {
  return `${count ?? 0} ${count === 1 ? one : many}`;
}

const NOTHING_UNDER_IT = "No cell under the ring could be changed; a larger ring reaches more.";

const BRUSHES: BrushWords[] = [
  {
    name: "pierce",
    label: "Pierce",
    key: "p",
    hint: "Press on the body: a needle of the brush's radius goes straight through.",
    hasRadius: true,
    isDragged: false,
    command: (hit, radius, hand, pointing) => {
      const { direction } = hand.stage.ray(pointing.x, pointing.y);
      const reach = hand.stage.orbit.distance;
      return {
        do: "pierce",
        body: hit.body,
        from: places(hit.at.clone().addScaledVector(direction, -radius)),
        to: places(hit.at.clone().addScaledVector(direction, reach)),
        radius,
      };
    },
    outcome: (answer) => `Pierced: ${counted(answer.removed, "cell", "cells")} removed.`,
  },
  {
    name: "remove",
    label: "Remove",
    key: "d",
    hint: "Press on a cell to take it away; drag to take away more.",
    hasRadius: false,
    isDragged: true,
    command: (hit) => ({ do: "remove", body: hit.body, cell: hit.cell }),
    outcome: (answer) => `${counted(answer.removed, "cell", "cells")} removed.`,
  },
  {
    name: "refine",
    label: "Refine",
    key: "f",
    hint: "Brush over the body: cells under the ring become finer.",
    hasRadius: true,
    isDragged: true,
    command: (hit, radius) => ({ do: "refine", body: hit.body, at: places(hit.at), radius, level: hit.level + 1 }),
    outcome: (answer) =>
      answer.refined === 0 ? NOTHING_UNDER_IT : `${counted(answer.refined, "cell", "cells")} refined.`,
  },
  {
    name: "coarsen",
    label: "Coarsen",
    key: "c",
    hint: "Brush over the body: refined cells under the ring become coarse again.",
    hasRadius: true,
    isDragged: true,
    command: (hit, radius) => ({
      do: "coarsen",
      body: hit.body,
      at: places(hit.at),
      radius,
      level: Math.max(hit.level - 1, 0),
    }),
    outcome: (answer) =>
      answer.coarsened === 0 ? NOTHING_UNDER_IT : `${counted(answer.coarsened, "cell", "cells")} made coarse again.`,
  },
  {
    name: "fix",
    label: "Fix",
    key: "x",
    hint: "Brush over the body: points under the ring stay where they are.",
    hasRadius: true,
    isDragged: true,
    command: (hit, radius) => ({ do: "fix", body: hit.body, at: places(hit.at), radius }),
    outcome: (answer) => `${counted(answer.points, "point", "points")} fixed.`,
  },
  {
    name: "free",
    label: "Free",
    key: "z",
    hint: "Brush over the body: fixed points under the ring may move again.",
    hasRadius: true,
    isDragged: true,
    command: (hit, radius) => ({ do: "free", body: hit.body, at: places(hit.at), radius }),
    outcome: (answer) => `${counted(answer.points, "point", "points")} free.`,
  },
];

class Brush implements Tool {
  readonly name: string;
  readonly label: string;
  readonly key: string;
  readonly hint: string;
  readonly hasRadius: boolean;
  readonly needsScene = true;
  private pressed = false;
  private lastAt = new Vector3();
  private lastCell = -1;
  private level = 0; // where the stroke began: a stroke changes cells by one level, however often it passes
  private readonly newest = new Newest<Command>(async (command) => {
    const answer = await this.hand.session.ask(command);
    if (answer.ok) this.hand.say(this.words.outcome(answer));
  });

  constructor(
    private readonly hand: Hand,
    private readonly words: BrushWords,
  ) {
    this.name = words.name;
    this.label = words.label;
    this.key = words.key;
    this.hint = words.hint;
    this.hasRadius = words.hasRadius;
  }

  down(pointing: Pointing): boolean {
    const hit = pointing.hit();
    if (!hit) return false;
    this.pressed = true;
    this.level = hit.level;
    this.apply(hit, pointing);
    return true;
  }

  move(pointing: Pointing): void {
    if (!this.pressed || !this.words.isDragged) return;
    const hit = pointing.hit();
    if (!hit) return;
    const same = this.hasRadius ? hit.at.distanceTo(this.lastAt) < this.hand.radius() * 0.4 : hit.cell === this.lastCell;
    if (!same) this.apply(hit, pointing);
  }

  up(): void {
    this.pressed = false;
  }

  cancel(): void {
    this.pressed = false;
    this.newest.forget();
  }

  private apply(hit: Hit, pointing: Pointing): void {
    this.lastAt.copy(hit.at);
    this.lastCell = hit.cell;
    this.newest.give(this.words.command({ ...hit, level: this.level }, this.hand.radius(), this.hand, pointing));
  }
}

export function brushes(hand: Hand): Tool[] {
  return BRUSHES.map((words) => new Brush(hand, words));
}
