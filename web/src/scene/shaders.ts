// How faces are drawn by a graphics card. What is the same all over a face is computed at its corners, and little is left for each
// pixel. Without a card, faces.ts does the same.

import { VIRIDIS_GLSL } from "./colors";

// Of `shape`, x, y and z are the normal, w is bits: 1 opened, 2 4 8 the sides ab, bc, ca are edges, 16 32 64 they were opened,
// from 128 on the region.
// Colouring: 0 plain, 1 a field on points, 2 a field on cells, 3 the level, 4 the region.
export const FACE_VERTEX = `
in ivec4 shape;
in float value;
uniform int coloring;
uniform vec2 range;
uniform vec3 plain;
uniform vec3 cut;
uniform float opened;
uniform vec3 regions[8];
uniform vec3 sky;
uniform vec3 earth;
uniform vec3 toLight;
flat out vec3 tint_;
flat out float light_;
flat out float opened_;
flat out vec3 openedSides_;
out float part_;
out vec3 side_;

${VIRIDIS_GLSL}

void main() {
  int bits = shape.w;
  bool isOpened = (bits & 1) != 0 && opened > 0.5;
  float part = clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  vec3 base = plain;
  if (coloring == 2 || coloring == 3) base = viridis(part);
  if (coloring == 4) base = regions[bits >> 7];
  if (isOpened && (coloring == 0 || coloring == 4)) base = cut;

  vec3 toEye = normalize(cameraPosition - position);
  vec3 n = normalize(vec3(shape.xyz));
  if (dot(n, toEye) < 0.0) n = -n;
  float rim = 1.0 - dot(n, toEye);
  vec3 light = mix(earth, sky, 0.5 + 0.5 * n.z) + vec3(0.28 * max(0.0, dot(n, toLight)) + 0.06 * rim * rim * rim);
  // Colours that are read off a legend, and the red of a cut, are shaded less.
  light = mix(light, vec3(1.0), coloring != 0 ? 0.5 : isOpened ? 0.3 : 0.0);

  // A side that is no edge of the mesh is never near.
  int corner = gl_VertexID - 3 * (gl_VertexID / 3);
  side_ = vec3((bits & 4) == 0 || corner == 0, (bits & 8) == 0 || corner == 1, (bits & 2) == 0 || corner == 2);
  openedSides_ = vec3((bits & 32) != 0, (bits & 64) != 0, (bits & 16) != 0) * opened;
  part_ = part;
  light_ = light.g;
  opened_ = isOpened ? 1.0 : 0.0;
  tint_ = base * light;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}
`;

export const FACE_FRAGMENT = `
flat in vec3 tint_;
flat in float light_;
flat in float opened_;
flat in vec3 openedSides_;
in float part_;
in vec3 side_;
out vec4 color;
uniform int coloring;
uniform vec3 cut;
uniform vec3 edge;
uniform float edges;

${VIRIDIS_GLSL}

void main() {
  vec3 lit = coloring == 1 ? viridis(part_) * light_ : tint_;
  if (edges > 0.5) {
    // Thin lines, and none where a face is a few pixels small: they would be all one sees.
    vec3 change = fwidth(side_) + 1e-6;
    vec3 away = side_ / change;
    float line = 1.0 - smoothstep(0.35, 1.25, min(away.x, min(away.y, away.z)));
    float dense = max(change.x, max(change.y, change.z));
    line *= 0.6 * clamp((0.45 - dense) * 3.0, 0.0, 1.0);
    lit = mix(lit, opened_ > 0.5 ? cut * 0.5 : edge, line);
  }
  if (openedSides_.x + openedSides_.y + openedSides_.z > 0.5) {
    vec3 away = side_ / (fwidth(side_) + 1e-6) + (1.0 - openedSides_) * 1e3;
    lit = mix(cut, lit, smoothstep(1.2, 2.2, min(away.x, min(away.y, away.z))));
  }
  color = vec4(lit, 1.0);
}
`;

export const SHADOW_VERTEX = `
out float height_;
uniform float floor_;
uniform float reach;
void main() {
  height_ = (position.z - floor_) / reach;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}
`;

export const SHADOW_FRAGMENT = `
in float height_;
out vec4 color;
void main() { color = vec4(clamp(1.0 - 0.6 * height_, 0.15, 1.0)); }
`;

export const HELD_VERTEX = `
uniform float size;
void main() {
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  gl_Position.z -= 0.0004 * gl_Position.w;
  gl_PointSize = size;
}
`;

export const HELD_FRAGMENT = `
out vec4 color;
uniform vec3 tint;
void main() {
  float away = length(gl_PointCoord - 0.5) * 2.0;
  float inside = 1.0 - smoothstep(0.8, 1.0, away);
  if (inside < 0.02) discard;
  color = vec4(mix(tint, vec3(1.0), away > 0.62 ? 0.75 : 0.0), inside);
}
`;
