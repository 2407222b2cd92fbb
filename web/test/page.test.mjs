// The page in a real browser, against the real `cleave view`: what a user does with pointer and keys, and what is seen then.
// Tests wait for what must come true and never for a time to pass.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { keepIn, keepPicture } from "./picture.mjs";
import { endAll, run, view } from "./program.mjs";

const scene = new URL("bridge.yaml", import.meta.url).pathname;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const window_ = { width: 1280, height: 800 };

let browser;
let program;
let page;
let scratch;
const complaints = [];

async function open(link, options = {}, first = null) {
  const context = await browser.newContext({ viewport: window_, colorScheme: "light", reducedMotion: "reduce", ...options });
  if (first) await context.addInitScript(first);
  const opened = await context.newPage();
  opened.setDefaultTimeout(20000);
  opened.on("pageerror", (error) => complaints.push(error.message));
  opened.on("console", (message) => {
    // A socket that cannot connect is what the test of reconnecting is about.
    if (message.type() === "error" && !/WebSocket connection/.test(message.text())) complaints.push(message.text());
  });
  await opened.goto(link);
  await opened.waitForFunction(() => window.cleave?.isOpen() && window.cleave.faces().faces > 0 && window.cleave.news());
  return opened;
}

const ask = (words, value) => page.evaluate(words, value);
const until = (words, value) => page.waitForFunction(words, value);

// A key while the picture has the focus.
async function key(name, of = page) {
  await of.locator("main canvas").focus();
  await of.keyboard.press(name);
}

const onScreen = (place) => ask((at) => window.cleave.onScreen(at), place);

// Everything that was asked for is drawn, and drawn sharp.
async function drawn(of = page) {
  await of.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await of.waitForFunction(() => window.cleave.isSharp());
}

async function stroke(from, to, steps = 8) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps });
  await page.mouse.up();
}

async function press(place) {
  const at = await onScreen(place);
  await page.mouse.click(at.x, at.y);
}

async function slide(label, value, of = page) {
  await of.getByLabel(label, { exact: true }).fill(String(value));
}

async function reset() {
  await pause();
  await key("Backspace");
  await until(() => window.cleave.clock().time === 0 && window.cleave.news().bodies[0].components === 1);
}

async function pause() {
  if (!(await ask(() => window.cleave.clock().paused))) await key("Space");
  await until(() => window.cleave.clock().paused);
}

async function go() {
  if (await ask(() => window.cleave.clock().paused)) await key("Space");
  await until(() => !window.cleave.clock().paused);
}

// So many single steps of a world that is paused.
async function steps(count) {
  const first = await ask(() => window.cleave.clock().step);
  for (let step = 1; step <= count; step++) {
    await key(".");
    await until((number) => window.cleave.clock().step === number, first + step);
  }
}

before(async () => {
  keepIn(process.env.PICTURES ?? "build/test/web");
  scratch = mkdtempSync(join(tmpdir(), "cleave-web-"));
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--enable-unsafe-swiftshader"], // WebGL for the test that wants it
  });
  program = await view(scene, "--paused", "--record", join(scratch, "bridge"));
  page = await open(program.link);
});

after(async () => {
  await browser?.close();
  await program?.end();
  endAll();
  if (scratch) rmSync(scratch, { recursive: true });
});

test("the page loads, shows the body, and says what it is", async () => {
  assert.equal(await page.title(), "A bridge of tetrahedra – Cleave");
  const { faces, opened } = await ask(() => window.cleave.faces());
  assert.equal(faces, 2 * 2 * (12 * 3 + 12 * 3 + 3 * 3));
  assert.equal(opened, 0);
  assert.equal(await ask(() => window.cleave.held()), 2 * 4 * 4);
  await page.getByText("540", { exact: true }).waitFor(); // cells
  await drawn();
  await keepPicture(page, "load");
});

test("dragging beside the body turns the view, the wheel comes nearer, 0 shows all of it", async () => {
  const was = await ask(() => window.cleave.camera());
  await stroke({ x: 130, y: 120 }, { x: 330, y: 90 });
  await page.mouse.wheel(0, -400);
  await until((before) => window.cleave.camera().distance < before.distance, was);
  const is = await ask(() => window.cleave.camera());
  assert.ok(Math.abs(is.azimuth - was.azimuth) > 0.5 && is.polar > was.polar);
  await drawn();
  await keepPicture(page, "orbit");
  await key("4");
  await key("0");
  await until((before) => Math.abs(window.cleave.camera().distance / before.distance - 1) < 0.01, was);
});

test("colours have a legend; cells are exploded and clipped", async () => {
  await page.getByLabel("Colour by").selectOption("von_mises");
  await page.getByText("Von Mises stress, Pa").waitFor();
  await steps(16);
  await until(() => document.querySelector(".ends span:last-child").textContent !== "0");
  await drawn();
  await keepPicture(page, "stress");
  await reset();
  await page.getByLabel("Colour by").selectOption("region");
  await slide("Explode", 0.3);
  await until(() => window.cleave.layer() === 1);
  await drawn();
  await keepPicture(page, "explode");
  await slide("Explode", 0);
  await page.getByLabel("Clip", { exact: true }).selectOption("x");
  await drawn();
  await keepPicture(page, "clip");
  await page.getByLabel("Clip", { exact: true }).selectOption("");
  await page.getByLabel("Colour by").selectOption("");
});

// WebGL in software passes for a graphics card when nobody can ask its name.
function pretendCard() {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return getContext.call(this, kind, { ...options, failIfMajorPerformanceCaveat: false });
  };
  const { getExtension } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.getExtension = function (name) {
    return name === "WEBGL_debug_renderer_info" ? null : getExtension.call(this, name);
  };
}

test("processor and graphics card draw the same", async () => {
  assert.equal(await ask(() => window.cleave.painter()), "processor");
  await reset();
  const card = await open(program.link, {}, pretendCard);
  assert.equal(await card.evaluate(() => window.cleave.painter()), "card");
  await drawn(card);
  await keepPicture(card, "load", "card-load");
  await card.getByLabel("Colour by").selectOption("region");
  await slide("Explode", 0.3, card);
  await card.waitForFunction(() => window.cleave.layer() === 1);
  await drawn(card);
  await keepPicture(card, "explode", "card-explode");
  await card.context().close();
});

test("a picked cell shows its darts", async () => {
  await key("i");
  await press([2.1, 0, 0.5]);
  await until(() => window.cleave.darts() === 24);
  await page.getByText(/Cell \d+: 24 darts/).waitFor();
  const at = await onScreen([2.1, 0, 0.5]);
  await page.mouse.move(at.x, at.y);
  for (let k = 0; k < 4; k++) await page.mouse.wheel(0, -300);
  await drawn();
  await keepPicture(page, "darts");
  await key("0");
  await key("Escape");
  assert.equal(await ask(() => window.cleave.darts()), 0);
});

test("a grabbed body follows the pointer", async () => {
  await reset();
  await key("1");
  await key("g");
  const from = await onScreen([2, 0, 0.5]);
  const was = await ask(() => window.cleave.box());
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x, from.y - 160, { steps: 5 });
  await drawn();
  await steps(30); // one by one: the picture is of the same time on every machine
  assert.ok((await ask(() => window.cleave.box())).most[2] > was.most[2] + 0.15);
  await drawn();
  await keepPicture(page, "grab");
  await page.mouse.up();
  await go();
  await until((top) => window.cleave.box().most[2] < top + 0.1, was.most[2]);
});

test("a stroke with the knife parts the body, and both halves move; undo puts it together", async () => {
  await pause();
  await reset();
  const before_ = await ask(() => window.cleave.faces());
  await key("k");
  const above = await onScreen([2, 0.5, 1.5]);
  const below = await onScreen([2, 0.5, -0.5]);
  await stroke(above, below, 20);
  await until(() => window.cleave.news().bodies[0].components === 2);
  await until((count) => window.cleave.faces().faces > count, before_.faces);
  assert.ok((await ask(() => window.cleave.faces())).opened >= 2 * 18);
  await page.getByText(/faces opened; 2 parts/).waitFor();
  await steps(35);
  // The halves hang from their ends: left and right of the cut the body is now lower than it ever was as a bridge.
  const lowest = await ask(() => [window.cleave.lowest(1.6, 1.95), window.cleave.lowest(2.05, 2.4)]);
  assert.ok(lowest[0] < -0.25 && lowest[1] < -0.25, `the halves are at ${lowest}`);
  await key("4");
  await drawn();
  await keepPicture(page, "knife");
  await page.getByRole("button", { name: /^Undo/ }).click();
  await until((count) => window.cleave.news().bodies[0].components === 1 && window.cleave.faces().faces === count, before_.faces);
  assert.equal((await ask(() => window.cleave.faces())).opened, 0);
});

test("pierce, remove, refine, fix and free do what they say", async () => {
  await reset();
  await key("1");
  const cells = () => ask(() => window.cleave.news().bodies[0].cells);
  const first = await cells();
  await key("d");
  await press([2.1, 0, 0.5]);
  await until((count) => window.cleave.news().bodies[0].cells === count - 1, first);
  await key("p");
  await press([3, 0, 0.5]);
  await until((count) => window.cleave.news().bodies[0].cells < count - 1, first);
  const second = await cells();
  await key("f");
  await press([1, 0, 0.5]);
  await until((count) => window.cleave.news().bodies[0].cells > count, second);
  const held = await ask(() => window.cleave.held());
  await key("x");
  await press([1.5, 0, 0.5]);
  await until((count) => window.cleave.held() > count, held);
  await drawn();
  await keepPicture(page, "edits");
  await key("z");
  await press([1.5, 0, 0.5]);
  await until((count) => window.cleave.held() === count, held);
  await page.getByText(/^\d+ points? free\.$/).waitFor();
});

test("sliders and selectors change what runs", async () => {
  await reset();
  await slide("Gravity", 0);
  await until(() => window.cleave.hello().settings.gravity.value === 0);
  await go();
  await until(() => window.cleave.clock().time > 0.1);
  assert.ok((await ask(() => window.cleave.box())).least[2] > -1e-3, "without gravity it stays");
  await page.getByLabel("Model").selectOption("stvk");
  await until(() => window.cleave.hello().bodies[0].model === "stvk");
  await page.getByLabel("Integrator").selectOption("implicit-newton");
  await until(() => window.cleave.hello().bodies[0].integrator === "implicit-newton");
  await page.getByLabel("Speed", { exact: true }).selectOption("0.1");
  await until(() => window.cleave.news().factor > 0 && window.cleave.news().factor < 0.2);
  await pause();
  await reset();
  await key(".");
  await until(() => window.cleave.clock().step === 1);
});

test("two pages see the same body", async () => {
  await reset();
  const other = await open(program.link);
  const context = other.context();
  await key("1", other);
  await key("d", other);
  const faces = await ask(() => window.cleave.faces().faces);
  const at = await other.evaluate(() => window.cleave.onScreen([2.1, 0, 0.5]));
  await other.mouse.click(at.x, at.y);
  await until((count) => window.cleave.faces().faces !== count, faces);
  const here = await ask(() => window.cleave.faces());
  await other.waitForFunction((same) => JSON.stringify(window.cleave.faces()) === JSON.stringify(same), here);
  await slide("Damping", 100);
  await other.waitForFunction(
    () => Number(document.querySelector("[data-setting=damping]").value) === 100 && window.cleave.hello().settings.damping.value > 0,
  );
  await context.close();
});

test("a picture, a film and a replay can be kept", async () => {
  const [download] = await Promise.all([page.waitForEvent("download"), key("s")]);
  assert.match(download.suggestedFilename(), /^a-bridge-of-tetrahedra-.*\.png$/);
  assert.equal(readFileSync(await download.path()).subarray(1, 4).toString(), "PNG");
  await key("m");
  await page.getByText(/^Filming the view/).waitFor();
  await go();
  await until((count) => window.cleave.framesDrawn() > count + 3, await ask(() => window.cleave.framesDrawn()));
  await reset();
  const [film] = await Promise.all([page.waitForEvent("download"), key("m")]);
  assert.match(film.suggestedFilename(), /\.webm$/);
  assert.equal(readFileSync(await film.path()).readUInt32BE(0), 0x1a45dfa3); // as Matroska begins
  await key("r");
  await page.getByText(/^Recording to /).waitFor();
  await until(() => window.cleave.news().recording);
  await key("r");
  await page.getByText(/^Recorded /).waitFor();
});

test("a page that lost the engine says so, and comes back by itself", async () => {
  const { port } = program;
  await program.end();
  await page.getByText(/The connection to the engine was lost/).waitFor();
  await drawn();
  await keepPicture(page, "lost");
  program = await view(scene, "--paused", "--port", String(port));
  await page.getByText(/The connection to the engine was lost/).waitFor({ state: "hidden" });
  await until(() => window.cleave.isOpen() && window.cleave.faces().faces > 0);
});

test("nothing is in the way of those who see or move otherwise", async () => {
  const look = async (of, what) => {
    await of.evaluate(axe);
    const { violations } = await of.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
    const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    const told = grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
    assert.deepEqual(told, [], what);
  };
  await look(page, "light");
  await key("t");
  await look(page, "dark");
  await drawn();
  await keepPicture(page, "dark");
  await key("?");
  await page.getByRole("dialog").waitFor();
  await look(page, "help");
  await page.keyboard.press("Escape");
  await key("t");

  // Without a pointer: from the first control on, Tab reaches tools, the picture and every panel.
  await page.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let k = 0; k < 70; k++) {
    await page.keyboard.press("Tab");
    reached.add(await ask(() => document.activeElement.closest("header, nav, main, .section")?.className ?? ""));
  }
  for (const where of ["bar", "toolbox", "picture", "section"])
    assert.ok(reached.has(where), `Tab does not reach ${where}: ${[...reached]}`);
});

test("it works on a telephone and at 400 %, by touch", async () => {
  const small = await open(program.link, { viewport: { width: 390, height: 780 }, hasTouch: true, colorScheme: "dark" });
  const overflow = () => small.evaluate(() => document.scrollingElement.scrollWidth - window.innerWidth);
  assert.ok((await overflow()) <= 0);
  await drawn(small);
  await keepPicture(small, "telephone");
  const far = await small.evaluate(() => window.cleave.camera());
  const touch = await small.context().newCDPSession(small);
  const fingers = (type, ...points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  await fingers("touchStart", [180, 400], [210, 400]);
  await fingers("touchMove", [130, 400], [260, 400]);
  await fingers("touchEnd");
  await small.waitForFunction((before) => window.cleave.camera().distance < before.distance * 0.7, far);
  await small.setViewportSize({ width: 320, height: 200 });
  assert.ok((await overflow()) <= 0);
  await small.getByRole("button", { name: /^Show or hide the panels/ }).click();
  await small.getByLabel("Gravity", { exact: true }).scrollIntoViewIfNeeded();
  assert.ok((await overflow()) <= 0);
  await small.context().close();
});

test("a liver, a cloth and a beam in one scene: the knife cuts the cloth it meets and leaves the others", async () => {
  const three = await view(new URL("several.yaml", import.meta.url).pathname, "--paused");
  const watched = await open(three.link);
  const words = await watched.evaluate(() => window.cleave.hello().bodies.map((body) => `${body.name} ${body.dimension}`));
  assert.deepEqual(words, ["liver 3", "flag 2", "beam 3"]);
  await key("3", watched); // from above, where the flag lies apart
  await key("k", watched);
  const [from, to] = await watched.evaluate(() => [[0.55, 1.7, 1], [0.55, 3.2, 1]].map((at) => window.cleave.onScreen(at)));
  await watched.mouse.move(from.x, from.y);
  await watched.mouse.down();
  await watched.mouse.move(to.x, to.y, { steps: 12 });
  await watched.mouse.up();
  await watched.waitForFunction(() => window.cleave.news().bodies.map((body) => body.components).join() === "1,2,1");
  assert.deepEqual(await watched.evaluate(() => window.cleave.news().bodies.map((body) => body.cut > 0)), [false, true, false]);
  await watched.getByText(/^Cut: \d+ edges opened; 2 parts\.$/).waitFor();
  for (let step = 1; step <= 15; step++) {
    await key(".", watched);
    await watched.waitForFunction((number) => window.cleave.clock().step === number, step);
  }
  await key("4", watched);
  await drawn(watched);
  await keepPicture(watched, "several");
  await watched.context().close();
  await three.end();
});

test("a step that is rejected is told with its reason", async () => {
  const hard = await view(scene, "--threads", "1");
  const watched = await open(hard.link);
  await watched.getByLabel("Integrator").selectOption("symplectic-euler");
  await slide("Stiffness", 200, watched);
  await watched.locator(".notice", { hasText: "rejected" }).first().waitFor(); // a second one says that it paused
  await watched.context().close();
  await hard.end();
});

test("a finished run is played", async () => {
  const out = join(scratch, "run");
  await run("run", scene, "--out", out);
  const player = await view(out, "--paused");
  const film = await open(player.link);
  const frames = await film.evaluate(() => window.cleave.hello().frames);
  assert.equal(frames, 11);
  assert.ok(await film.getByRole("button", { name: "Knife" }).isDisabled());
  await film.getByLabel("Frame", { exact: true }).fill("10");
  await film.waitForFunction(() => window.cleave.clock().frame === 10);
  assert.ok((await film.evaluate(() => window.cleave.box())).least[2] < -0.02);
  await drawn(film);
  await keepPicture(film, "result");
  await key("Control+z", film); // a finished run cannot be changed: the refusal is told
  await film.getByText("This is a finished run: it can be looked at, not changed.").waitFor();
  await film.getByLabel("Frame", { exact: true }).fill("0");
  await film.waitForFunction(() => window.cleave.clock().frame === 0);
  await key("Space", film);
  await film.waitForFunction(() => window.cleave.clock().frame > 2);
  await film.context().close();
  await player.end();
});

test("the browser had nothing to complain about", () => {
  assert.deepEqual(complaints, []);
});
