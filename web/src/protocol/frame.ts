// Frames, taken apart. Nothing is copied: what a sink is given are views of the message, to be read before it returns. A frame
// that says more than it holds is refused as a whole; the page would otherwise draw what was never true.

export interface Clock {
  time: number;
  step: number;
  frame: number;
  paused: boolean;
}

export const FACE_WORDS = 5;

export interface FrameSink {
  clock(clock: Clock): void;
  faces(body: number, layer: number, slots: number, faces: Uint32Array): void;
  facesChanged(body: number, layer: number, slots: number, rows: Uint32Array): void;
  points(body: number, count: number, places: Float32Array): void;
  field(body: number, onCells: boolean, least: number, greatest: number, values: Float32Array): void;
  held(body: number, points: Uint32Array): void;
}

const HEAD_BYTES = 16;

class FrameError extends Error {}

function fits(words: Uint32Array, needed: number, what: string): void {
  if (words.length < needed) throw new FrameError(`a frame's ${what} are cut short: ${words.length} words of ${needed}`);
}

export function decodeFrame(buffer: ArrayBuffer, sink: FrameSink): void {
  const data = new DataView(buffer);
  let at = 0;
  while (at + HEAD_BYTES <= buffer.byteLength) {
    const kind = data.getUint32(at, true);
    const body = data.getUint32(at + 4, true);
    const bytes = data.getUint32(at + 8, true);
    const layer = data.getUint32(at + 12, true);
    at += HEAD_BYTES;
    if (bytes % 4 !== 0 || at + bytes > buffer.byteLength) throw new FrameError("a section is longer than its frame");
    const words = new Uint32Array(buffer, at, bytes / 4);
    const floats = new Float32Array(buffer, at, bytes / 4);
    switch (kind) {
      case 1:
        fits(words, 6, "clock");
        sink.clock({
          time: data.getFloat64(at, true),
          step: words[2] + words[3] * 2 ** 32,
          frame: words[4],
          paused: (words[5] & 1) !== 0,
        });
        break;
      case 2:
        fits(words, 1, "faces");
        fits(words, 1 + words[0] * FACE_WORDS, "faces");
        sink.faces(body, layer, words[0], words.subarray(1, 1 + words[0] * FACE_WORDS));
        break;
      case 3:
        fits(words, 2, "changed faces");
        fits(words, 2 + words[1] * (FACE_WORDS + 1), "changed faces");
        sink.facesChanged(body, layer, words[0], words.subarray(2, 2 + words[1] * (FACE_WORDS + 1)));
        break;
      case 4:
        fits(words, 1, "points");
        fits(words, 1 + words[0] * 3, "points");
        sink.points(body, words[0], floats.subarray(1, 1 + words[0] * 3));
        break;
      case 5:
        fits(words, 4, "field values");
        fits(words, 4 + words[3], "field values");
        sink.field(body, words[0] === 1, floats[1], floats[2], floats.subarray(4, 4 + words[3]));
        break;
      case 6:
        fits(words, 1, "held points");
        fits(words, 1 + words[0], "held points");
        sink.held(body, words.subarray(1, 1 + words[0]));
        break;
      default: // a later version's
    }
    at += bytes;
  }
}
