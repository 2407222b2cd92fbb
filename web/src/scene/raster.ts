// A picture made by the processor: colours and depths, and the few shapes that our scenes are made of. Depth is one over the
// distance from the eye, which is even across the screen: nothing is 0, nearer is more. Colours are words as canvases have
// them: red in the lowest byte.

export const OPAQUE = 0xff000000;

export function word(r: number, g: number, b: number): number {
  const byte = (x: number) => (x <= 0 ? 0 : x >= 1 ? 255 : (x * 255 + 0.5) | 0);
  return OPAQUE | (byte(b) << 16) | (byte(g) << 8) | byte(r);
}

export function wordOf({ r, g, b }: { r: number; g: number; b: number }): number {
  return word(r, g, b);
}

// What lies `part` of the way from one colour to another.
export function blend(from: number, to: number, part: number): number {
  const w = (part * 256) | 0;
  const rb = from & 0xff00ff;
  const g = from & 0xff00;
  return (
    OPAQUE |
    ((rb + ((((to & 0xff00ff) - rb) * w) >> 8)) & 0xff00ff) |
    ((g + ((((to & 0xff00) - g) * w) >> 8)) & 0xff00)
  );
}

// A triangle over the middles of pixels, row by row. `a x + b y + c` of a corner grows from 0 at the opposite side to `area` at
// the corner; inside, all three are positive.
export class Triangle {
  readonly a = new Float64Array(3);
  readonly b = new Float64Array(3);
  readonly c = new Float64Array(3);
  private readonly cross = new Float64Array(3); // what a side's x changes by
  area = 0;
  top = 0;
  bottom = 0;
  left = 0;
  right = 0;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {}

  // False where no pixel can be inside.
  set(x0: number, y0: number, x1: number, y1: number, x2: number, y2: number): boolean {
    const area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    this.top = Math.max(0, Math.ceil(Math.min(y0, y1, y2) - 0.5));
    this.bottom = Math.min(this.height - 1, Math.floor(Math.max(y0, y1, y2) - 0.5));
    if (this.top > this.bottom || area === 0 || Math.max(x0, x1, x2) < 0 || Math.min(x0, x1, x2) > this.width) return false;
    const turn = area < 0 ? -1 : 1;
    const { a, b, c } = this;
    a[0] = turn * (y1 - y2);
    a[1] = turn * (y2 - y0);
    a[2] = turn * (y0 - y1);
    b[0] = turn * (x2 - x1);
    b[1] = turn * (x0 - x2);
    b[2] = turn * (x1 - x0);
    c[0] = turn * (x1 * y2 - x2 * y1);
    c[1] = turn * (x2 * y0 - x0 * y2);
    c[2] = turn * (x0 * y1 - x1 * y0);
    this.area = turn * area;
    for (let k = 0; k < 3; k++) this.cross[k] = -1 / a[k];
    return true;
  }

  // The pixels of a row, from `left` to `right`; false where there are none. Neighbours overlap by less than can be seen, so
  // that nothing shines through between them.
  row(y: number): boolean {
    const { a, b, c, cross } = this;
    const at = y + 0.5;
    let left = 0.5;
    let right = this.width - 0.5;
    for (let k = 0; k < 3; k++) {
      const slope = a[k];
      const rest = b[k] * at + c[k];
      if (slope > 0) {
        const x = rest * cross[k];
        if (x > left) left = x;
      } else if (slope < 0) {
        const x = rest * cross[k];
        if (x < right) right = x;
      } else if (rest < 0) return false;
    }
    this.left = Math.ceil(left - 0.5001);
    this.right = Math.floor(right - 0.4999);
    return this.left <= this.right;
  }
}

// How a face is drawn where it is more than one colour: lines along some of its sides, a ramp of colours across it. Lines fade
// within a pixel or two of the screen, which are `scale` of the raster's each.
export interface Finish {
  scale: number;
  line: number; // the colour of lines along the sides in `lined`
  strength: number; // of these lines
  lined: number; // a bit for each side, by the opposite corner
  cut: number; // the colour of lines along the sides in `opened`
  opened: number;
  ramp: Uint32Array | null; // 256 colours, or null for one
  values: Float64Array; // where in the ramp the corners are, from 0 to 1
  light: number; // what colours of the ramp are multiplied by
}

function smooth(from: number, to: number, x: number): number {
  const t = x <= from ? 0 : x >= to ? 1 : (x - from) / (to - from);
  return t * t * (3 - 2 * t);
}

// Of a line, by 32nds of a pixel from its middle.
const LINE_REACH = 1.25;
const LINE = Float64Array.from({ length: 32 * LINE_REACH }, (_, k) => 1 - smooth(0.35, LINE_REACH, (k + 0.5) / 32));
const CUT_REACH = 2.2;
const FAR = 1e9;

export class Raster {
  readonly colors: Uint32Array;
  readonly depths: Float32Array;
  readonly triangle: Triangle;

  constructor(
    readonly width: number,
    readonly height: number,
    buffer: ArrayBufferLike = new ArrayBuffer(width * height * 4),
  ) {
    this.colors = new Uint32Array(buffer);
    this.depths = new Float32Array(width * height);
    this.triangle = new Triangle(width, height);
  }

  clear(color: number): void {
    this.colors.fill(color);
    this.depths.fill(0);
  }

  // Begins with a picture of what is infinitely far.
  restore(colors: Uint32Array): void {
    this.colors.set(colors);
    this.depths.fill(0);
  }

  // `triangle` in one colour; the three depths are those of its corners.
  fill(d0: number, d1: number, d2: number, color: number): void {
    const { triangle, colors, depths, width } = this;
    const { a, b, c, area } = triangle;
    const step = (d0 * a[0] + d1 * a[1] + d2 * a[2]) / area;
    const down = (d0 * b[0] + d1 * b[1] + d2 * b[2]) / area;
    const start = (d0 * c[0] + d1 * c[1] + d2 * c[2]) / area + 0.5 * (step + down);
    for (let y = triangle.top; y <= triangle.bottom; y++) {
      if (!triangle.row(y)) continue;
      let depth = start + down * y + step * triangle.left;
      const last = y * width + triangle.right;
      for (let k = y * width + triangle.left; k <= last; k++, depth += step)
        if (depth > depths[k]) {
          depths[k] = depth;
          colors[k] = color;
        }
    }
  }

  // The same with a finish.
  fillFinished(d0: number, d1: number, d2: number, color: number, finish: Finish): void {
    const { triangle, colors, depths, width } = this;
    const { a, b, c, area } = triangle;
    const { scale, line, strength, lined, cut, opened, ramp, values, light } = finish;
    const step = (d0 * a[0] + d1 * a[1] + d2 * a[2]) / area;
    const down = (d0 * b[0] + d1 * b[1] + d2 * b[2]) / area;
    const start = (d0 * c[0] + d1 * c[1] + d2 * c[2]) / area + 0.5 * (step + down);
    // Values over distances are even across the screen, too.
    const v0 = d0 * values[0], v1 = d1 * values[1], v2 = d2 * values[2];
    const valueStep = (v0 * a[0] + v1 * a[1] + v2 * a[2]) / area;
    const valueDown = (v0 * b[0] + v1 * b[1] + v2 * b[2]) / area;
    const valueStart = (v0 * c[0] + v1 * c[1] + v2 * c[2]) / area + 0.5 * (valueStep + valueDown);
    const near0 = 1 / (scale * (Math.abs(a[0]) + Math.abs(b[0])));
    const near1 = 1 / (scale * (Math.abs(a[1]) + Math.abs(b[1])));
    const near2 = 1 / (scale * (Math.abs(a[2]) + Math.abs(b[2])));
    const step0 = a[0] * near0, step1 = a[1] * near1, step2 = a[2] * near2;
    const line0 = lined & 1 ? 0 : FAR, line1 = lined & 2 ? 0 : FAR, line2 = lined & 4 ? 0 : FAR;
    for (let y = triangle.top; y <= triangle.bottom; y++) {
      if (!triangle.row(y)) continue;
      const { left, right } = triangle;
      let depth = start + down * y + step * left;
      let value = valueStart + valueDown * y + valueStep * left;
      let e0 = (a[0] * (left + 0.5) + b[0] * (y + 0.5) + c[0]) * near0 + line0;
      let e1 = (a[1] * (left + 0.5) + b[1] * (y + 0.5) + c[1]) * near1 + line1;
      let e2 = (a[2] * (left + 0.5) + b[2] * (y + 0.5) + c[2]) * near2 + line2;
      const last = y * width + right;
      for (let k = y * width + left; k <= last; k++) {
        if (depth > depths[k]) {
          depths[k] = depth;
          let shown = color;
          if (ramp !== null) shown = shade(ramp[Math.min(255, Math.max(0, ((value / depth) * 255 + 0.5) | 0))], light);
          let near = e0 < e1 ? e0 : e1;
          if (e2 < near) near = e2;
          if (near < LINE_REACH) shown = blend(shown, line, strength * LINE[near > 0 ? (near * 32) | 0 : 0]);
          if (opened !== 0) {
            near = Math.min(
              opened & 1 ? e0 - line0 : FAR,
              opened & 2 ? e1 - line1 : FAR,
              opened & 4 ? e2 - line2 : FAR,
            );
            if (near < CUT_REACH) shown = blend(cut, shown, smooth(1.2, CUT_REACH, near));
          }
          colors[k] = shown;
        }
        depth += step;
        value += valueStep;
        e0 += step0;
        e1 += step1;
        e2 += step2;
      }
    }
  }

  // A round dot with a light rim.
  dot(x: number, y: number, depth: number, radius: number, color: number): void {
    const { colors, depths, width, height } = this;
    const rim = blend(color, 0xffffffff, 0.75);
    const last = Math.min(width - 1, Math.floor(x + radius - 0.5));
    for (let row = Math.max(0, Math.ceil(y - radius - 0.5)); row <= Math.min(height - 1, Math.floor(y + radius - 0.5)); row++)
      for (let column = Math.max(0, Math.ceil(x - radius - 0.5)); column <= last; column++) {
        const k = row * width + column;
        const away = Math.hypot(column + 0.5 - x, row + 0.5 - y) / radius;
        if (depth < depths[k] || away >= 1) continue;
        colors[k] = blend(colors[k], away > 0.62 ? rim : color, 1 - smooth(0.8, 1, away));
      }
  }

  // A straight line behind what is nearer; `from` and `to` are how much of its colour is there.
  line(x0: number, y0: number, d0: number, x1: number, y1: number, d1: number, color: number, from: number, to: number, thick: number): void {
    const { colors, depths, width, height } = this;
    const isFlat = Math.abs(x1 - x0) >= Math.abs(y1 - y0);
    const u0 = isFlat ? x0 : y0, v0 = isFlat ? y0 : x0;
    const u1 = isFlat ? x1 : y1, v1 = isFlat ? y1 : x1;
    const along = isFlat ? width : height, across = isFlat ? height : width;
    const stride = isFlat ? 1 : width, strideAcross = isFlat ? width : 1;
    if (Math.max(v0, v1) < -thick || Math.min(v0, v1) > across + thick) return;
    const least = Math.max(0, Math.ceil(Math.min(u0, u1) - 0.5));
    const most = Math.min(along, Math.ceil(Math.max(u0, u1) - 0.5));
    for (let u = least; u < most; u++) {
      const part = (u + 0.5 - u0) / (u1 - u0);
      const v = v0 + part * (v1 - v0);
      const depth = d0 + part * (d1 - d0);
      const much = from + part * (to - from);
      const begin = v - thick / 2, end = v + thick / 2;
      for (let w = Math.max(0, Math.floor(begin)); w < end && w < across; w++) {
        const k = w * strideAcross + u * stride;
        if (depth >= depths[k]) colors[k] = blend(colors[k], color, much * (Math.min(end, w + 1) - Math.max(begin, w)));
      }
    }
  }

  // Darkens what `triangle` covers, and what is no nearer, by a square image of darknesses from 0 to 1; `us` and `vs` say where
  // in it the corners are, from 0 to 1.
  darken(ds: readonly number[], us: readonly number[], vs: readonly number[], image: Float32Array, strength: number): void {
    const { triangle, colors, depths, width } = this;
    const { a, b, c, area } = triangle;
    const side = Math.sqrt(image.length);
    const plane = (q: readonly number[]) => {
      const step = (q[0] * a[0] + q[1] * a[1] + q[2] * a[2]) / area;
      const down = (q[0] * b[0] + q[1] * b[1] + q[2] * b[2]) / area;
      return [(q[0] * c[0] + q[1] * c[1] + q[2] * c[2]) / area + 0.5 * (step + down), step, down];
    };
    const [dStart, dStep, dDown] = plane(ds);
    const [uStart, uStep, uDown] = plane(us.map((u, k) => u * side * ds[k]));
    const [vStart, vStep, vDown] = plane(vs.map((v, k) => v * side * ds[k]));
    const most = side - 1.001;
    for (let y = triangle.top; y <= triangle.bottom; y++) {
      if (!triangle.row(y)) continue;
      for (let x = triangle.left; x <= triangle.right; x++) {
        const k = y * width + x;
        const d = dStart + dStep * x + dDown * y;
        if (d < depths[k]) continue;
        const u = Math.min(Math.max((uStart + uStep * x + uDown * y) / d - 0.5, 0), most);
        const v = Math.min(Math.max((vStart + vStep * x + vDown * y) / d - 0.5, 0), most);
        const i = u | 0, j = v | 0;
        const s = u - i, t = v - j;
        const at = j * side + i;
        const above = image[at] + s * (image[at + 1] - image[at]);
        const below = image[at + side] + s * (image[at + side + 1] - image[at + side]);
        const dark = above + t * (below - above);
        if (dark > 0.01) colors[k] = blend(colors[k], OPAQUE, dark * strength);
      }
    }
  }
}

function shade(color: number, light: number): number {
  const w = (light * 256) | 0;
  const r = Math.min(255, ((color & 255) * w) >> 8);
  const g = Math.min(255, (((color >> 8) & 255) * w) >> 8);
  const b = Math.min(255, (((color >> 16) & 255) * w) >> 8);
  return OPAQUE | (b << 16) | (g << 8) | r;
}
