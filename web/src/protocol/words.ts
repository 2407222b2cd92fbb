// The words of docs/protocol.md, as types. What a server leaves out is undefined here: a page shows what it is told.

export type Place = [number, number, number];

export interface Setting {
  value: number;
  least: number;
  most: number;
}

export interface BodyWords {
  name: string;
  dimension: number;
  model: string | null; // null: of a result
  integrator: string | null;
}

export interface Hello {
  hello: number;
  kind: "scene" | "result";
  title: string;
  bodies: BodyWords[];
  models: string[];
  integrators: string[];
  fields: string[];
  settings: Record<string, Setting>;
  box: [Place, Place];
  frames: number;
}

export interface BodyCounts {
  vertices: number;
  cells: number;
  components: number;
  cut: number;
}

export interface News {
  time: number;
  step: number;
  paused: boolean;
  factor: number;
  speed?: number; // asked for; the factor is what came of it
  undo?: number; // edits that can be undone
  recording?: boolean;
  stages?: Record<string, number>;
  energy?: Record<string, number>;
  momentum?: number[];
  bodies?: BodyCounts[];
  journal?: string[];
  warnings?: string[];
}

// A row of a picked cell: the point, the links inside the cell by place in the list, the cell across or -1.
export type DartRow = number[];

export interface Answer {
  re: number;
  ok: boolean;
  error?: string;
  facets?: number;
  removed?: number;
  refined?: number;
  coarsened?: number;
  components?: number;
  points?: number;
  kind?: string;
  darts?: DartRow[];
  file?: string;
}

export interface Command {
  do: string;
  [word: string]: unknown;
}
