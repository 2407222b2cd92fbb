// Colours that mean something. The map from values to colours is viridis, as a polynomial: even steps of the value are even steps
// for the eye, also in grey and for those who do not tell red from green.

const VIRIDIS = [
  [0.2777273272234177, 0.005407344544966578, 0.3340998053353061],
  [0.1050930431085774, 1.404613529898575, 1.384590162594685],
  [-0.3308618287255563, 0.214847559468213, 0.09509516302823659],
  [-4.634230498983486, -5.799100973351585, -19.33244095627987],
  [6.228269936347081, 14.17993336680509, 56.69055260068105],
  [4.776384997670288, -13.74514537774601, -65.35303263337234],
  [-5.435455855934631, 4.645852612178535, 26.3124352495832],
];

export const VIRIDIS_GLSL = `vec3 viridis(float t) {
  return ${VIRIDIS.map((row) => `vec3(${row.map((x) => x.toFixed(8)).join(", ")})`).reduceRight(
    (inner, row) => (inner ? `${row} + t * (${inner})` : row),
    "",
  )};
}`;

export function viridis(t: number): [number, number, number] {
  const part = (k: number) => Math.min(1, Math.max(0, VIRIDIS.reduceRight((sum, row) => sum * t + row[k], 0)));
  return [part(0), part(1), part(2)];
}

export function viridisCss(t: number): string {
  return `rgb(${viridis(t).map((x) => Math.round(255 * x)).join(" ")})`;
}

// Regions and bodies: told apart at a glance, none of them the red of what was cut.
export const REGIONS = ["#9db4c8", "#d9b26f", "#8fb996", "#b79ac8", "#6fa8a8", "#c8a090", "#8a9ad0", "#b5b86a"];
export const CUT = "#d8493f";
export const HELD = "#d92d2a";
export const LINKS = ["#e0a100", "#2f9e6e", "#3f7fd8", "#c14fb4"]; // alpha 0 to 3
