// What a tool is: something in the hand. It is told where the pointer went down, moved and was lifted; a tool that does not want a
// press leaves it to the camera.

import type { Vector3 } from "three";
import type { Session } from "../model/session";
import type { Hit } from "../model/pick";
import type { Stage } from "../scene/stage";

export interface Pointing {
  x: number;
  y: number;
  hit: () => Hit | null;
}

export interface Hand {
  stage: Stage;
  session: Session;
  radius: () => number;
  say: (sentence: string) => void;
}

export interface Tool {
  readonly name: string;
  readonly label: string;
  readonly key: string;
  readonly hint: string;
  readonly hasRadius?: boolean;
  readonly needsScene?: boolean;
  down(pointing: Pointing): boolean;
  move?(pointing: Pointing): void;
  up?(): void;
  cancel?(): void;
}

export function places(vector: Vector3): [number, number, number] {
  return [vector.x, vector.y, vector.z];
}

// One question at a time: while the engine works on the last, newer ones replace each other.
export class Newest<T> {
  private busy = false;
  private next: T | null = null;

  constructor(private readonly send: (value: T) => Promise<unknown>) {}

  give(value: T): void {
    if (this.busy) {
      this.next = value;
      return;
    }
    this.busy = true;
    void this.send(value).finally(() => {
      this.busy = false;
      const next = this.next;
      this.next = null;
      if (next !== null) this.give(next);
    });
  }

  forget(): void {
    this.next = null;
  }
}
