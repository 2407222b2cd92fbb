// The connection to the engine. It connects again by itself, a little later each time, and says so; what was asked when the
// connection broke is answered with an error. There is no state to resume: a server that is found again tells everything.

import type { Answer, Command, Hello, News } from "./words";

export type LinkState = { kind: "connecting" } | { kind: "open" } | { kind: "lost"; retryAt: number; reason: string };

export interface LinkListener {
  hello(hello: Hello): void;
  frame(buffer: ArrayBuffer): void;
  news(news: News): void;
  state(state: LinkState): void;
}

const FIRST_WAIT = 300;
const LONGEST_WAIT = 5000;

export class Link {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private timer = 0;
  private sequence = 0;
  private readonly asked = new Map<number, (answer: Answer) => void>();

  constructor(
    private readonly address: string,
    private readonly listener: LinkListener,
  ) {}

  connect(): void {
    window.clearTimeout(this.timer);
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    this.listener.state({ kind: "connecting" });
    const socket = new WebSocket(this.address, "cleave-1");
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.lost(event.reason);
    };
  }

  // Ends the connection as a broken cable would; it comes back by itself.
  interrupt(): void {
    this.socket?.close();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  // For what needs no answer. Says nothing when there is nobody to tell: the notice of the lost connection is there already.
  tell(command: Command): void {
    if (this.isOpen) this.socket!.send(JSON.stringify(command));
  }

  ask(command: Command): Promise<Answer> {
    const seq = ++this.sequence;
    if (!this.isOpen) return Promise.resolve({ re: seq, ok: false, error: "There is no connection to the engine." });
    return new Promise((resolve) => {
      this.asked.set(seq, resolve);
      this.socket!.send(JSON.stringify({ ...command, seq }));
    });
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      this.listener.frame(data);
      return;
    }
    const message = JSON.parse(data);
    if ("hello" in message) {
      this.wait = FIRST_WAIT;
      this.listener.state({ kind: "open" });
      this.listener.hello(message as Hello);
    } else if ("news" in message) {
      this.listener.news(message.news as News);
    } else if ("re" in message) {
      const answer = message as Answer;
      this.asked.get(answer.re)?.(answer);
      this.asked.delete(answer.re);
    }
  }

  private lost(reason: string): void {
    this.socket = null;
    for (const [seq, resolve] of this.asked) resolve({ re: seq, ok: false, error: "The connection was lost." });
    this.asked.clear();
    this.listener.state({ kind: "lost", retryAt: performance.now() + this.wait, reason });
    this.timer = window.setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }
}
