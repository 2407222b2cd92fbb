// Pictures of the page: kept as they are, and compared, small, with what they were. Small means 64 by 40 pixels: edges and letters
// are gone, what is where and in which colour is not. With REFERENCES=write they become the new references, and some of them the
// pictures of docs/viewer.md.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import assert from "node:assert/strict";

const references = new URL("references/", import.meta.url).pathname;
const documents = new URL("../../docs/pictures/", import.meta.url).pathname;
const documented = ["knife", "stress", "darts", "telephone"];
const WIDTH = 64;
const HEIGHT = 40;
const MEAN = 6; // of 255, over all pixels and colours
const LARGE = 40; // and at most one pixel in 25 may differ by more than this

let directory = "";

export function keepIn(path) {
  directory = path;
  mkdirSync(directory, { recursive: true });
}

// Runs in the page, which can read and scale pictures.
async function shrink(address, width, height) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const paper = canvas.getContext("2d", { willReadFrequently: true });
  paper.imageSmoothingQuality = "high";
  paper.drawImage(image, 0, 0, width, height);
  return { small: canvas.toDataURL("image/png"), pixels: [...paper.getImageData(0, 0, width, height).data] };
}

const address = (png) => `data:image/png;base64,${png.toString("base64")}`;

// Compares with the reference `name`.
export async function keepPicture(page, name, as = name) {
  const png = await page.screenshot({ path: `${directory}/${as}.png` });
  const scale = (bytes) => page.evaluate(`(${shrink})(${JSON.stringify(address(bytes))}, ${WIDTH}, ${HEIGHT})`);
  const now = await scale(png);
  const file = `${references}${name}.png`;
  const small = Buffer.from(now.small.split(",")[1], "base64");
  writeFileSync(`${directory}/${as}.small.png`, small);
  if (process.env.REFERENCES === "write" && as === name) {
    mkdirSync(references, { recursive: true });
    writeFileSync(file, small);
    if (documented.includes(name)) await page.screenshot({ path: `${documents}viewer_${name}.jpg`, quality: 82 });
    return;
  }
  assert.ok(existsSync(file), `there is no reference for '${name}'; make test-web REFERENCES=write makes one`);
  const then = await scale(readFileSync(file));
  let sum = 0;
  let large = 0;
  for (let k = 0; k < now.pixels.length; k += 4) {
    const away = [0, 1, 2].map((c) => Math.abs(now.pixels[k + c] - then.pixels[k + c]));
    sum += away[0] + away[1] + away[2];
    if (Math.max(...away) > LARGE) large++;
  }
  const mean = sum / (WIDTH * HEIGHT * 3);
  const where = `compare ${directory}/${as}.png with ${file}`;
  assert.ok(mean <= MEAN, `the picture '${name}' is another: ${mean.toFixed(1)} of 255 on average; ${where}`);
  assert.ok(large <= (WIDTH * HEIGHT) / 25, `the picture '${name}' is another at ${large} places; ${where}`);
}
