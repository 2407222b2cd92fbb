// How many frames a second the page draws of 100,000 tetrahedra that move: the engine on one core, on one thread, everything
// of the browser on another, without a graphics card. Prints RATIO view_frames: frames drawn over the 30 that are wanted.
//
//   CLEAVE=program taskset -c 1 node web/test/frames.bench.mjs    the engine takes core 0

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { view } from "./program.mjs";

const wanted = 30;
const seconds = 10;
const scene = `cleave: 1
title: A hundred thousand tetrahedra
mesh: {grid: tet6, cells: [65, 16, 16], size: [4, 1, 1]}
material: {young: 100 MPa, poisson: 0.3, density: 1000}
model: fem-corotational
fix: [{box: [[0, 0, 0], [0, 1, 1]]}]
solver: {method: symplectic-euler, step: auto}
until: 100
`;

const scratch = mkdtempSync(join(tmpdir(), "cleave-frames-"));
const file = join(scratch, "block.yaml");
writeFileSync(file, scene);
const program = await view(file, "--threads", "1", "--speed", "0");
execFileSync("taskset", ["-acp", "0", String(program.pid)]);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(program.link);
  await page.waitForFunction(() => window.cleave?.framesDrawn() > 20, null, { timeout: 60000 });
  const count = () => page.evaluate(() => [performance.now(), window.cleave.framesReceived(), window.cleave.framesDrawn(), window.cleave.clock().step]);
  const before = await count();
  await page.waitForTimeout(seconds * 1000);
  const after = await count();
  const [time, received, drawn, steps] = after.map((value, k) => value - before[k]);
  const each = (value) => ((value * 1000) / time).toFixed(1);
  console.log(`100,000 tetrahedra: ${each(steps)} steps, ${each(received)} frames received, ${each(drawn)} drawn a second`);
  console.log(`RATIO view_frames ${((drawn * 1000) / time / wanted).toFixed(2)}`);
} finally {
  await browser.close();
  await program.end();
  rmSync(scratch, { recursive: true });
}
