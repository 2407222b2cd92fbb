// Pictures and films of what is on the screen, made here; and the replay file, made by the engine.

import type { Session } from "./model/session";
import type { Stage } from "./scene/stage";

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export class Recorder {
  private film: MediaRecorder | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly session: Session,
    private readonly say: (sentence: string) => void,
    private readonly warn: (sentence: string) => void,
  ) {}

  picture(): void {
    this.stage.render();
    this.stage.canvas.toBlob((blob) => {
      if (blob) save(blob, `${this.name()}.png`);
      else this.warn("The picture could not be encoded.");
    }, "image/png");
  }

  // Begins or ends a film of the canvas; tells whether one is being made.
  filmView(): boolean {
    if (this.film) {
      this.film.stop();
      this.film = null;
      return false;
    }
    if (typeof MediaRecorder === "undefined") {
      this.warn("This browser cannot film. `cleave film RESULT -o film.mp4` makes a film of a finished run.");
      return false;
    }
    const parts: Blob[] = [];
    const film = new MediaRecorder(this.stage.canvas.captureStream(30));
    film.ondataavailable = (event) => parts.push(event.data);
    film.onstop = () => {
      const blob = new Blob(parts, { type: film.mimeType });
      if (blob.size > 0) save(blob, `${this.name()}.webm`);
      else this.warn("The film is empty: nothing moved in the picture.");
    };
    film.start(1000);
    this.film = film;
    this.say("Filming the view; press again to end and save.");
    return true;
  }

  async replay(): Promise<boolean> {
    const on = !this.session.news?.recording;
    const answer = await this.session.ask({ do: "record", on });
    if (!answer.ok) return !on;
    const file = answer.file ?? "a replay file";
    this.say(on ? `Recording to ${file}.` : `Recorded ${file}.`);
    return on;
  }

  private name(): string {
    const title = this.session.hello?.title ?? "cleave";
    const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["cleave"];
    return `${words.slice(0, 6).join("-")}-${this.session.clock.time.toFixed(2)}s`;
  }
}
