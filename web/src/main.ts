// The page of `cleave view`: puts the rooms together.

import { Box3, Vector3 } from "three";
import "./page.css";
import { exposeHook } from "./hook";
import { listenToKeys } from "./keys";
import { Session } from "./model/session";
import { Bar } from "./panels/bar";
import { h, number } from "./panels/dom";
import { Help } from "./panels/help";
import { Legend } from "./panels/legend";
import { LivePanel } from "./panels/live";
import { Notices } from "./panels/notices";
import { SettingsPanel } from "./panels/settings";
import { Timeline } from "./panels/timeline";
import { Toolbar } from "./panels/toolbar";
import { ViewPanel } from "./panels/view";
import { Recorder } from "./record";
import { Stage } from "./scene/stage";
import { Theme } from "./theme";
import { brushes } from "./tools/brush";
import { Grab } from "./tools/grab";
import { Inspect, LookAround } from "./tools/inspect";
import { Knife } from "./tools/knife";
import { Pointer } from "./tools/pointer";
import type { Hand } from "./tools/tool";

const NARROW = 820;

const scheme = location.protocol === "https:" ? "wss" : "ws";
const session = new Session(`${scheme}://${location.host}/ws${location.search}`);

// The picture.

const canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": "The bodies, drawn in three dimensions" });
const strokeSvg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
const strokeLine = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
strokeSvg.setAttribute("class", "stroke");
strokeSvg.setAttribute("aria-hidden", "true");
strokeSvg.append(strokeLine);
const legend = new Legend();
const dartLegend = h("div", { role: "status" });
const notices = new Notices(session);
const timeline = new Timeline(session);
const hint = h("p", { class: "hint" });
const radius = h("input", { id: "radius", type: "range", min: 1, max: 100, value: 30 });
const radiusText = h("output", { for: "radius" });
const radiusRow = h("div", { class: "radius", hidden: true }, h("label", { for: "radius" }, "Brush radius"), radius, radiusText);
const picture = h(
  "main",
  { class: "picture" },
  canvas,
  strokeSvg,
  notices.element,
  h("div", { class: "legends" }, legend.element, dartLegend),
  h("div", { class: "foot" }, notices.status, radiusRow, hint, timeline.element),
);
document.body.append(picture);
const stage = new Stage(canvas);
const theme = new Theme(stage);

// Tools.

// Around what is there, but for what fell out of the scene.
function sceneBox(): Box3 {
  const box = new Box3();
  for (const body of session.bodies) {
    const bounds = body.box();
    if (bounds) box.union(new Box3(new Vector3(...bounds.least), new Vector3(...bounds.most)));
  }
  if (!session.hello) return box;
  const [least, most] = session.hello.box.map((corner) => new Vector3(...corner));
  const scene = new Box3(least, most);
  box.intersect(scene.clone().expandByScalar(least.distanceTo(most)));
  return box.isEmpty() ? scene : box;
}

function showDarts(): void {
  const { picked } = stage.darts;
  const dimension = session.hello?.bodies[picked?.body ?? 0]?.dimension ?? 3;
  dartLegend.replaceChildren(...(picked ? [Legend.ofDarts(picked.cell, picked.darts.length, dimension)] : []));
  stage.invalidate();
}

let size = 1;
const hand: Hand = {
  stage,
  session,
  radius: () => (Number(radius.value) / 100) ** 2 * size,
  say: (sentence) => notices.say(sentence),
};
const tools = [
  new LookAround(),
  new Grab(hand),
  new Knife(hand, (stroke) => {
    const { left, top } = canvas.getBoundingClientRect();
    strokeLine.setAttribute("points", stroke.map(({ x, y }) => `${x - left},${y - top}`).join(" "));
  }),
  ...brushes(hand),
  new Inspect(hand, showDarts),
];
const toolbar = new Toolbar(tools, (tool) => {
  pointer.letGo();
  hint.textContent = tool.hint;
  radiusRow.hidden = !tool.hasRadius;
  canvas.dataset.tool = tool.name;
  pointer.showRing();
});
const pointer = new Pointer(stage, session, hand, () => toolbar.tool);
function showRadius(): void {
  radiusText.textContent = `${number(hand.radius())} m`;
  radius.setAttribute("aria-valuetext", `${number(hand.radius())} metres`);
  pointer.showRing();
}
radius.addEventListener("input", showRadius);

// Panels.

function fit(): void {
  stage.orbit.fit(sceneBox());
  stage.invalidate();
}
function lookFrom(azimuth: number, polar: number): void {
  stage.orbit.look(azimuth, polar);
  fit();
}
const help = new Help(tools);
const recorder = new Recorder(stage, session, (s) => notices.say(s), (s) => notices.warn(s));
const film = () => bar.filmButton.setAttribute("aria-pressed", String(recorder.filmView()));
const replay = () => void recorder.replay().then((on) => bar.recordButton.setAttribute("aria-pressed", String(on)));
const showPanel = (shown: boolean) => document.body.classList.toggle("no-panel", !shown);
const bar = new Bar(session, {
  picture: () => recorder.picture(),
  film,
  record: replay,
  theme: () => theme.flip(),
  help: () => help.open(),
  panel: () => showPanel(document.body.classList.contains("no-panel")),
});
const view = new ViewPanel(session, stage, legend, fit, lookFrom);
const live = new LivePanel(session);
const panel = h(
  "aside",
  { class: "panel", "aria-label": "Panels", tabindex: 0 },
  view.element,
  new SettingsPanel(session).element,
  live.element,
  live.journalElement,
);
document.body.prepend(bar.element, h("nav", { class: "toolbox", "aria-label": "Tools" }, toolbar.element));
document.body.append(panel, help.element);
showPanel(window.innerWidth > NARROW);
toolbar.choose("look");

// The engine.

let framed = false;
let shownBox = "";
session.on("hello", (hello, fresh) => {
  if (!fresh) return;
  const box = new Box3(new Vector3(...hello.box[0]), new Vector3(...hello.box[1]));
  stage.darts.picked = null;
  showDarts();
  stage.setBodies(session.bodies, hello.bodies.map((body) => body.dimension), box);
  // Who comes back to the same scene looks at it from where they were.
  if (shownBox !== JSON.stringify(hello.box)) framed = false;
  shownBox = JSON.stringify(hello.box);
  size = box.getSize(new Vector3()).length();
  toolbar.allowChanges(hello.kind === "scene");
  if (hello.kind === "scene" && toolbar.tool.name === "look" && !framed) toolbar.choose("grab");
  showRadius();
});
session.on("frame", () => {
  if (!framed) {
    framed = true;
    fit();
  }
  const lowest = Math.min(...session.bodies.map((body) => body.box()?.least[2] ?? Infinity));
  if (Number.isFinite(lowest)) stage.lowerGround(lowest);
  stage.invalidate();
});

listenToKeys(
  {
    ...Object.fromEntries(tools.map((tool) => [tool.key, () => toolbar.choose(tool.name)])),
    " ": () => bar.toggleRun(),
    ".": () => bar.step(),
    ",": () => timeline.move(-1),
    "/": () => timeline.move(1),
    undo: () => bar.undoEdit(),
    Backspace: () => bar.reset(),
    "0": fit,
    "1": () => lookFrom(-Math.PI / 2, Math.PI / 2),
    "2": () => lookFrom(0, Math.PI / 2),
    "3": () => lookFrom(-Math.PI / 2, 0.02),
    "4": () => lookFrom(-1.05, 1.15),
    "[": () => ((radius.value = String(Number(radius.value) - 4)), showRadius()),
    "]": () => ((radius.value = String(Number(radius.value) + 4)), showRadius()),
    s: () => recorder.picture(),
    m: film,
    r: replay,
    t: () => theme.flip(),
    "?": () => help.open(),
    Escape: () => ((stage.darts.picked = null), pointer.letGo(), showDarts()),
  },
  canvas,
  {
    ArrowLeft: () => (stage.orbit.rotate(-20, 0), stage.invalidate()),
    ArrowRight: () => (stage.orbit.rotate(20, 0), stage.invalidate()),
    ArrowUp: () => (stage.orbit.rotate(0, -20), stage.invalidate()),
    ArrowDown: () => (stage.orbit.rotate(0, 20), stage.invalidate()),
    "+": () => (stage.orbit.zoom(0.85, 0, 0), stage.invalidate()),
    "=": () => (stage.orbit.zoom(0.85, 0, 0), stage.invalidate()),
    "-": () => (stage.orbit.zoom(1 / 0.85, 0, 0), stage.invalidate()),
  },
);
exposeHook(session, stage);
session.link.connect();
