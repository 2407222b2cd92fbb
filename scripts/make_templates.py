#!/usr/bin/env python3
"""Writes src/map/template.c: the constants of the six template cells, derived from their face lists.

A face (v0, v1, ...) of a 3D cell gives the darts, in cyclic order,
    (v0, v0v1) (v1, v0v1) (v1, v1v2) (v2, v1v2) ...
so that a0 joins 2j and 2j+1, a1 joins 2j+1 and 2j+2, and a2 joins the darts of two faces that share corner and edge. In 2D the
facets are the edges. All faces are listed with the same (inward) orientation: even darts lie on side 0, odd ones on side 1.
Dart 0 is corner 0, edge 01, face 012.   Usage: make_templates.py > src/map/template.c
"""

CELLS = [
    ("NONE", 0, []),
    ("TRI", 2, [(0, 1), (1, 2), (2, 0)]),
    ("QUAD", 2, [(0, 1), (1, 2), (2, 3), (3, 0)]),
    ("TET", 3, [(0, 1, 2), (1, 0, 3), (2, 1, 3), (0, 2, 3)]),
    ("PYRAMID", 3, [(0, 1, 2, 3), (1, 0, 4), (2, 1, 4), (3, 2, 4), (0, 3, 4)]),
    ("PRISM", 3, [(0, 1, 2), (3, 5, 4), (1, 0, 3, 4), (2, 1, 4, 5), (0, 2, 5, 3)]),
    ("HEX", 3, [(0, 1, 2, 3), (1, 0, 4, 5), (2, 1, 5, 6), (3, 2, 6, 7), (0, 3, 7, 4), (4, 7, 6, 5)]),
]


def darts_of(dimension, facets):
    """(corner, edge, facet) of each dart, and the links below the cell's own dimension."""
    if dimension == 2:
        darts = [(v, frozenset(f), j) for j, f in enumerate(facets) for v in f]
        n = len(darts)
        return darts, [[d ^ 1 for d in range(n)], [(d + 1) % n if d & 1 else (d - 1) % n for d in range(n)]]
    darts, alpha0, alpha1 = [], [], []
    for j, f in enumerate(facets):
        base, m = len(darts), len(f)
        for k in range(m):
            edge = frozenset((f[k], f[(k + 1) % m]))
            darts += [(f[k], edge, j), (f[(k + 1) % m], edge, j)]
        for p in range(2 * m):
            alpha0.append(base + (p ^ 1))
            alpha1.append(base + ((p + 1) % (2 * m) if p & 1 else (p - 1) % (2 * m)))
    alpha2 = [next(e for e, y in enumerate(darts) if e != d and y[:2] == x[:2]) for d, x in enumerate(darts)]
    return darts, [alpha0, alpha1, alpha2]


def orbits(count, links):
    """The number of each dart's orbit under the links, numbered by first dart."""
    number, found = [None] * count, 0
    for start in range(count):
        if number[start] is None:
            stack = [start]
            while stack:
                d = stack.pop()
                if number[d] is None:
                    number[d] = found
                    stack += [link[d] for link in links]
            found += 1
    return number, found


def suborbits(dimension, darts, alpha, dims):
    """Numbering of the sub-orbits of `dims`; corners take VTK's numbers."""
    number, found = orbits(len(darts), [alpha[i] for i in range(dimension) if dims >> i & 1])
    if dims == (6 if dimension == 3 else 2):
        number = [d[0] for d in darts]
    firsts = [number.index(s) for s in range(found)]
    # Exits: one dart for each class under the links that commute with the cell's own: the ways into the neighbours.
    commuting = [alpha[i] for i in range(dimension - 1) if dims >> i & 1]
    classes, _ = orbits(len(darts), commuting)
    exits, starts = [], [0]
    for s in range(found):
        seen = set()
        for d in range(len(darts)):
            if number[d] == s and classes[d] not in seen:
                seen.add(classes[d])
                exits.append(d)
        starts.append(len(exits))
    return number, firsts, exits, starts


def turn(local, first, size):
    """Where a walk of 0, 1, 2 ... darts along the facet ends: a0 first, so forwards from an even dart, backwards from an odd one."""
    at = local - first
    return [first + (at - k if at & 1 else at + k) % size for k in range(8)]


def braces(values):
    return "{" + ", ".join(str(v) for v in values) + "}"


def main():
    out = [
        "// The constants of the template cells. Written by scripts/make_templates.py from the face lists there; do not edit.",
        "",
        '#include "map/store.h"',
        "",
        "// clang-format off",
        "const clv_template clv_templates[CLV_KIND_COUNT] = {",
    ]
    for name, dimension, facets in CELLS:
        if not facets:
            continue
        darts, alpha = darts_of(dimension, facets)
        sizes = [2 * len(f) if dimension == 3 else 2 for f in facets]
        firsts = [sum(sizes[:j]) for j in range(len(facets))]
        out += [
            f"  [CLV_{name}] = {{",
            f"    .dimension = {dimension}, .dart_count = {len(darts)}, .facet_count = {len(facets)},",
            f"    .corner_count = {1 + max(max(f) for f in facets)},",
            f"    .facet_first = {braces(firsts)},",
            f"    .facet_size = {braces(sizes)},",
            "    .alpha = {" + ", ".join(braces(a) for a in alpha) + "},",
            f"    .facet = {braces(d[2] for d in darts)},",
            f"    .position = {braces(l - firsts[d[2]] for l, d in enumerate(darts))},",
            "    .turn = {" + ", ".join(braces(turn(l, firsts[d[2]], sizes[d[2]])) for l, d in enumerate(darts)) + "},",
        ]
        for dims in range(1 << dimension):
            number, first, exits, starts = suborbits(dimension, darts, alpha, dims)
            out += [
                f"    .sub[{dims}] = {{",
                f"      .count = {len(first)}, .of = {braces(number)},",
                f"      .size = {braces(number.count(s) for s in range(len(first)))},",
                f"      .first = {braces(first)},",
                "      .exit = {" + ", ".join(braces((e, darts[e][2], e - firsts[darts[e][2]])) for e in exits) + "},",
                f"      .exit_start = {braces(starts)},",
                "    },",
            ]
        out.append("  },")
    out += ["};", "", "const uint32_t map_template_links[MAP_TEMPLATES][CLV_TEMPLATE_DARTS][4] = {"]
    for name, dimension, facets in CELLS:
        if not facets:
            continue
        darts, alpha = darts_of(dimension, facets)
        links = [[alpha[i][l] if i < dimension else l for i in range(4)] for l in range(len(darts))]
        out.append(f"  [CLV_{name}] = {{" + ", ".join(braces(l) for l in links) + "},")
    out += ["};", "// clang-format on"]
    print("\n".join(out))


if __name__ == "__main__":
    main()
