// The program under test: starts `cleave view`, waits for its link, ends it again.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export const cleave = process.env.CLEAVE ?? "build/test/cleave";
const running = new Set();

// What failed tests leave behind does not outlive them, nor keep them from ending.
export function endAll() {
  for (const child of running) child.kill("SIGKILL");
}
process.on("exit", endAll);

export async function view(what, ...options) {
  const child = spawn(cleave, ["view", what, "--no-open", ...options], { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let complaint = "";
  child.stderr.on("data", (text) => (complaint += text));
  const ended = new Promise((resolve) => child.once("exit", resolve)).finally(() => running.delete(child));
  const link = await Promise.race([
    (async () => {
      for await (const line of createInterface({ input: child.stdout })) {
        const found = line.match(/http:\/\/\S+/);
        if (found) return found[0];
      }
      throw new Error(`cleave view printed no link: ${complaint}`);
    })(),
    ended.then((code) => {
      throw new Error(`cleave view ended with ${code}: ${complaint}`);
    }),
  ]);
  return {
    link,
    pid: child.pid,
    port: Number(new URL(link).port),
    end: async () => {
      child.kill("SIGINT");
      await ended;
    },
  };
}

export async function run(...words) {
  const child = spawn(cleave, words, { stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`cleave ${words.join(" ")} ended with ${code}`);
}
