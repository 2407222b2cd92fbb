// How faces are drawn. The faces of a body are a texture of words just as the protocol sends them; the vertex shader looks up
// face, corners and places by gl_VertexID. So a moving body costs one upload of its points, and a cut one of its faces.

import { FACE_TEXELS, POINT_TEXELS } from "../model/body";
import { FACE_WORDS } from "../protocol/frame";
import { VIRIDIS_GLSL } from "./colors";

const LOOK_UP = `
precision highp int;
precision highp usampler2D;
precision highp sampler2D;
uniform usampler2D faces;
uniform sampler2D points;
uniform sampler2D cells;
uniform float explode;
uniform vec3 middle;
uniform vec4 clip;
uniform float whole;

uint word(int k) { return texelFetch(faces, ivec2(k % ${FACE_TEXELS}, k / ${FACE_TEXELS}), 0).r; }
vec4 row(sampler2D table, uint k) {
  return texelFetch(table, ivec2(int(k) % ${POINT_TEXELS}, int(k) / ${POINT_TEXELS}), 0);
}
`;

export const FACE_VERTEX = `${LOOK_UP}
flat out vec3 normal_;
flat out uint flags_;
flat out float cellValue_;
out float value_;
out vec3 side_;
out vec3 place_;

void main() {
  int slot = gl_VertexID / 3;
  int corner = gl_VertexID - 3 * slot;
  int k = slot * ${FACE_WORDS};
  uvec3 abc = uvec3(word(k), word(k + 1), word(k + 2));
  uint cell = word(k + 3);
  uint flags = word(k + 4);
  vec4 centre = row(cells, cell);
  bool away = (abc.x == abc.y && abc.y == abc.z) || (whole > 0.5 && dot(clip.xyz, centre.xyz) > clip.w);
  if (away) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec4 a = row(points, abc.x);
  vec4 b = row(points, abc.y);
  vec4 c = row(points, abc.z);
  vec4 p = corner == 0 ? a : corner == 1 ? b : c;
  vec3 place = p.xyz + whole * explode * (centre.xyz - middle);

  // A side that is no edge of the mesh is never near.
  vec3 side = vec3(corner == 0, corner == 1, corner == 2);
  if ((flags & 2u) == 0u) side.z = 1.0;
  if ((flags & 4u) == 0u) side.x = 1.0;
  if ((flags & 8u) == 0u) side.y = 1.0;

  normal_ = normalize(cross(b.xyz - a.xyz, c.xyz - a.xyz));
  flags_ = flags;
  value_ = p.w;
  cellValue_ = centre.w;
  side_ = side;
  place_ = place;
  gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
}
`;

// Colouring: 0 plain, 1 a field on points, 2 a field on cells, 3 the level, 4 the region.
export const FACE_FRAGMENT = `
precision highp int;
flat in vec3 normal_;
flat in uint flags_;
flat in float cellValue_;
in float value_;
in vec3 side_;
in vec3 place_;
out vec4 color;

uniform int coloring;
uniform vec2 range;
uniform vec3 plain;
uniform vec3 cut;
uniform vec3 edge;
uniform float edges;
uniform float opened;
uniform vec3 regions[8];
uniform vec3 sky;
uniform vec3 earth;
uniform vec3 toLight;

${VIRIDIS_GLSL}

void main() {
  vec3 base = plain;
  bool isOpened = (flags_ & 1u) != 0u && opened > 0.5;
  float t = 0.0;
  if (coloring == 1 || coloring == 2) {
    t = clamp(((coloring == 1 ? value_ : cellValue_) - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
    base = viridis(t);
  } else if (coloring == 3) {
    t = clamp(float((flags_ >> 8) & 255u) / max(range.y, 1.0), 0.0, 1.0);
    base = viridis(t);
  } else if (coloring == 4) {
    base = regions[int((flags_ >> 16) & 7u)];
  }
  if (isOpened && (coloring == 0 || coloring == 4)) base = cut;

  vec3 toEye = normalize(cameraPosition - place_);
  vec3 n = dot(normal_, toEye) < 0.0 ? -normal_ : normal_;
  float up = 0.5 + 0.5 * n.z;
  float key = max(0.0, dot(n, toLight));
  float rim = 1.0 - max(0.0, dot(n, toEye));
  vec3 light = mix(earth, sky, up) + vec3(0.28 * key + 0.06 * rim * rim * rim);
  // Colours that are read off a legend, and the red of a cut, are shaded less.
  light = mix(light, vec3(1.0), coloring != 0 ? 0.5 : isOpened ? 0.3 : 0.0);
  vec3 lit = base * light;

  // Thin lines, and none where a face is a few pixels small: they would be all one sees.
  vec3 change = fwidth(side_);
  vec3 near = smoothstep(change * 0.35, change * 1.25, side_);
  float line = 1.0 - min(near.x, min(near.y, near.z));
  float dense = max(change.x, max(change.y, change.z));
  line *= edges * (1.0 - smoothstep(0.10, 0.45, dense));
  lit = mix(lit, isOpened ? cut * 0.5 : edge, line * 0.6);
  color = vec4(lit, 1.0);
}
`;

export const SHADOW_VERTEX = `${LOOK_UP}
out float height_;
uniform float floor_;
uniform float reach;

void main() {
  int slot = gl_VertexID / 3;
  int corner = gl_VertexID - 3 * slot;
  int k = slot * ${FACE_WORDS};
  uvec3 abc = uvec3(word(k), word(k + 1), word(k + 2));
  vec4 centre = row(cells, word(k + 3));
  if ((abc.x == abc.y && abc.y == abc.z) || (whole > 0.5 && dot(clip.xyz, centre.xyz) > clip.w)) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec3 place = row(points, corner == 0 ? abc.x : corner == 1 ? abc.y : abc.z).xyz + whole * explode * (centre.xyz - middle);
  height_ = (place.z - floor_) / reach;
  gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
}
`;

export const SHADOW_FRAGMENT = `
in float height_;
out vec4 color;
void main() { color = vec4(clamp(1.0 - 0.6 * height_, 0.15, 1.0)); }
`;

export const HELD_VERTEX = `${LOOK_UP}
in uint held;
uniform float size;
void main() {
  gl_Position = projectionMatrix * viewMatrix * vec4(row(points, held).xyz, 1.0);
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
