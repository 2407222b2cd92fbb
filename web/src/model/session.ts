// What the page knows of the engine: the hello, the bodies, the clock, the news; and whom to tell when that changed.

import { Link, type LinkState } from "../protocol/link";
import { decodeFrame, type Clock } from "../protocol/frame";
import type { Answer, Command, Hello, News } from "../protocol/words";
import { Body } from "./body";

export interface SessionEvents {
  hello: (hello: Hello, fresh: boolean) => void;
  frame: () => void;
  news: (news: News) => void;
  state: (state: LinkState) => void;
  trouble: (sentence: string) => void;
}

export interface Wanted {
  rate: number;
  layer: number;
  field: string | null;
}

type Listeners = { [K in keyof SessionEvents]: SessionEvents[K][] };

export class Session {
  hello: Hello | null = null;
  bodies: Body[] = [];
  clock: Clock = { time: 0, step: 0, frame: 0, paused: false };
  news: News | null = null;
  framesReceived = 0;
  readonly link: Link;
  private fresh = true;
  private wanted: Wanted = { rate: 60, layer: 0, field: null };
  private readonly listeners: Listeners = { hello: [], frame: [], news: [], state: [], trouble: [] };

  constructor(address: string) {
    this.link = new Link(address, {
      hello: (hello) => this.greeted(hello),
      frame: (buffer) => this.received(buffer),
      news: (news) => {
        this.news = news;
        this.emit("news", news);
      },
      state: (state) => {
        if (state.kind !== "open") this.fresh = true;
        this.emit("state", state);
      },
    });
  }

  on<K extends keyof SessionEvents>(event: K, listener: SessionEvents[K]): void {
    this.listeners[event].push(listener);
  }

  tell(command: Command): void {
    this.link.tell(command);
  }

  // A refusal is shown; who asked may still look at the answer.
  async ask(command: Command): Promise<Answer> {
    const answer = await this.link.ask(command);
    if (!answer.ok) this.emit("trouble", answer.error ?? "The engine refused, and did not say why.");
    return answer;
  }

  // What this page wants to be sent.
  want(wanted: Partial<Wanted>): void {
    const next = { ...this.wanted, ...wanted };
    const changed = next.rate !== this.wanted.rate || next.layer !== this.wanted.layer || next.field !== this.wanted.field;
    this.wanted = next;
    if (changed) this.tell({ do: "look", ...next });
  }

  private greeted(hello: Hello): void {
    const fresh = this.fresh;
    this.fresh = false;
    this.hello = hello;
    if (fresh) {
      this.bodies = hello.bodies.map(() => new Body());
      this.tell({ do: "look", ...this.wanted });
    }
    this.emit("hello", hello, fresh);
  }

  private received(buffer: ArrayBuffer): void {
    const { bodies } = this;
    try {
      decodeFrame(buffer, {
        clock: (clock) => (this.clock = clock),
        faces: (body, layer, slots, faces) => bodies[body]?.layers[layer]?.replace(slots, faces),
        facesChanged: (body, layer, slots, rows) => bodies[body]?.layers[layer]?.change(slots, rows),
        points: (body, count, places) => bodies[body]?.setPoints(count, places),
        field: (body, onCells, least, greatest, values) => bodies[body]?.setField(onCells, least, greatest, values),
        held: (body, points) => bodies[body]?.setHeld(points),
      });
    } catch (error) {
      this.emit("trouble", `A frame could not be read: ${(error as Error).message}.`);
      this.link.interrupt();
      return;
    }
    this.framesReceived++;
    this.emit("frame");
  }

  private emit<K extends keyof SessionEvents>(event: K, ...values: Parameters<SessionEvents[K]>): void {
    for (const listener of this.listeners[event]) (listener as (...v: Parameters<SessionEvents[K]>) => void)(...values);
  }
}
