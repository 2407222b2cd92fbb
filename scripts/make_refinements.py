#!/usr/bin/env python3
"""Writes src/map/refine_table.c: what becomes of a template cell that is refined, derived from its face lists.

A point of a refined cell is a set of the cell's corners: one for a corner, two for the middle of an edge, those of a face or of the
cell for its centre. A child is a list of points; its darts, facets and links follow. Places on the border are numbered by the
parent's darts: 4 l is dart l itself; 4 l + 1 the dart at the middle of its edge, that it then is joined to; 4 l + 2 the dart next
to that one, on the edge across the face; 4 l + 3 the one beyond that edge (of a triangle) or at its other end (of a quadrangle).
Of solids, vertices and edges of all children together are numbered, too, the parent's corners first.
Usage: make_refinements.py > src/map/refine_table.c
"""

import importlib.util
import itertools
import os
import sys

NONE = 255
spec = importlib.util.spec_from_file_location("templates", os.path.join(os.path.dirname(__file__), "make_templates.py"))
templates = importlib.util.module_from_spec(spec)
held, sys.stdout = sys.stdout, open(os.devnull, "w")
spec.loader.exec_module(templates)
sys.stdout = held
CELLS = {name: (dimension, facets) for name, dimension, facets in templates.CELLS}
CUBE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
TET = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


def point(*corners):
    return frozenset(corners)


def place(p, where):
    return [sum(where[c][i] for c in p) / len(p) for i in range(3)]


def positive(cell):
    a, b, c, d = (place(p, TET) for p in cell)
    u, v, w = ([q[i] - a[i] for i in range(3)] for q in (b, c, d))
    det = sum(u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3]) for i in range(3))
    return det > 0


def children_of(name, variant):
    if name == "TRI":
        m = [[point(i, j) for j in range(3)] for i in range(3)]
        return [[m[i][j] for j in range(3)] for i in range(3)] + [[point(0, 1), point(1, 2), point(2, 0)]]
    if name == "TET":
        cells = [[point(i, j) for j in range(4)] for i in range(4)]
        a, b = point(0, variant + 1), point(*(set(range(1, 4)) - {variant + 1}))
        rest = [p for p in map(frozenset, itertools.combinations(range(4), 2)) if p not in (a, b)]
        ring = [rest[0]]
        while len(ring) < 4:
            ring.append(next(p for p in rest if p not in ring and p & ring[-1]))
        for k in range(4):
            cell = [a, b, ring[k], ring[(k + 1) % 4]]
            cells.append(cell if positive(cell) else [a, b, cell[3], cell[2]])
        return cells
    cube = CUBE[:4] if name == "QUAD" else CUBE
    span = lambda p, q: frozenset(c for c, x in enumerate(cube) if all(x[i] == p[i] for i in range(3) if p[i] == q[i]))
    return [[span(p, q) for q in cube] for p in cube]


def position_of(dimension, parent, facets, facet_points, p, q):
    """The number of the dart at point p, on the edge to q, of a child's facet; None inside the parent."""
    union = frozenset().union(*facet_points)
    home = [f for f in range(len(facets)) if union <= frozenset(facets[f])]
    if not home:
        return None
    dart = lambda a, b: next(l for l, d in enumerate(parent) if d == (a, frozenset((a, b)), home[0]))
    if len(p) == 1:
        (a,), (b,) = p, q - p
        return 4 * dart(a, b)
    if len(q) == 1:
        (a,), (b,) = q, p - q
        return 4 * dart(a, b) + 1
    corner = [next(iter(x)) for x in facet_points if len(x) == 1]
    if len(facets[home[0]]) == 3:
        (a,) = p & q
        (b,) = p - q
        return 4 * dart(a, b) + (2 if corner else 3)
    middle = p if len(p) == 2 else q
    (a,) = corner
    (b,) = middle - {a}
    return 4 * dart(a, b) + (2 if p == middle else 3)


def braces(values):
    return "{" + ", ".join(str(v) for v in values) + "}"


def whole_orbits(dimension, parent, alpha, cells, at, points):
    """Vertices and edges of all children: their numbers by child and place, by place of the border, and where each lies there."""
    corner_of = templates.suborbits(dimension, parent, alpha, 6)[0]
    edge_of, edge_first = templates.suborbits(dimension, parent, alpha, 5)[:2]
    ends = lambda cell, l: (cell[parent[l][0]], cell[next(iter(parent[l][1] - {parent[l][0]}))])
    edges = []
    rows = []
    for cell in cells:
        pairs = [frozenset(ends(cell, l)) for l in edge_first]
        edges += [e for e in pairs if e not in edges]
        rows.append(([points.index(p) for p in cell], [edges.index(e) for e in pairs]))
    vertices_on, edges_on = [NONE] * (4 * len(parent)), [NONE] * (4 * len(parent))
    for (vertices, numbers), row in zip(rows, at):
        for l, pos in enumerate(row):
            if pos != NONE:
                vertices_on[pos] = vertices[corner_of[l]]
                edges_on[pos] = numbers[edge_of[l]]
    # A vertex is looked for where the parent has it if anybody has: at its corner, in the middle of an edge, of a face. An edge at
    # the middle that it leaves.
    places = lambda on, number, order: [p for j in order for p in range(j, len(on), 4) if on[p] == number]
    vertex_at = [(places(vertices_on, v, (0, 1, 3)) + [NONE])[0] for v in range(len(points))]
    edge_at = [(places(edges_on, e, (1, 2)) + [NONE])[0] for e in range(len(edges))]
    return rows, vertices_on, edges_on, vertex_at, edge_at


def first_seats(parent, alpha, rows):
    """Vertices and edges in the order in which children have them: the number of each, the first child that has it, and the dart."""
    seats = []
    for which, dims in ((0, 6), (1, 5)):
        first = templates.suborbits(3, parent, alpha, dims)[1]
        seen = {}
        for c, row in enumerate(rows):
            for place, number in enumerate(row[which]):
                seen.setdefault(number, (number, c, first[place]))
        seats.append(list(seen.values()))
    return seats


def heirlooms(dimension, parent, alpha, row):
    """The corners and edges of a child that it surely has of the parent, as bits: at its darts, and of halves of its edges."""
    bits = []
    for dims, which in ((6, (0,)), (5, (0, 1))):
        of = templates.suborbits(dimension, parent, alpha, dims)[0]
        bits.append(sum(1 << n for n in {of[l] for l, pos in enumerate(row) if pos != NONE and pos % 4 in which}))
    return bits


def border_links(parent, alpha, sizes):
    """Where a0, a1 and a2 lead along the border of a refined solid, place by place; map_border_link tells the same."""
    rows = []
    for l, (_, _, f) in enumerate(parent):
        triangle = sizes[f] == 6
        at = 4 * l
        rows.append((at + 1, 4 * alpha[1][l], 4 * alpha[2][l]))
        rows.append((at, at + 2, 4 * alpha[2][l] + 1))
        if triangle:
            rows.append((4 * alpha[1][l] + 2, at + 1, at + 3))
            rows.append((4 * alpha[1][l] + 3, 4 * alpha[0][l] + 3, at + 2))
        else:
            rows.append((at + 3, at + 1, 4 * alpha[0][l] + 2))
            rows.append((at + 2, 4 * alpha[1][l] + 3, 4 * alpha[0][l] + 3))
    return rows


def refinement(name, variant):
    dimension, facets = CELLS[name]
    parent, alpha = templates.darts_of(dimension, facets)
    sizes = [2 * len(f) if dimension == 3 else 2 for f in facets]
    firsts = [sum(sizes[:j]) for j in range(len(facets))]
    cells = children_of(name, variant)
    corner_first = templates.suborbits(dimension, parent, alpha, 6 if dimension == 3 else 2)[1]
    darts = {}  # (points of the facet, point, point at the other end) -> [(child, dart)]
    at = []
    for c, cell in enumerate(cells):
        row = []
        for l, (corner, edge, f) in enumerate(parent):
            (other,) = edge - {corner}
            p, q = cell[corner], cell[other]
            facet_points = frozenset(cell[v] for v in facets[f])
            pos = position_of(dimension, parent, facets, facet_points, p, q)
            row.append(NONE if pos is None else pos)
            if pos is None:
                darts.setdefault((facet_points, p, q), []).append((c, l))
            else:
                j = pos & 3
                side = (pos >> 2 & 1) ^ (j in (1, 3))
                assert side == (l & 1), (name, c, l, pos)
        at.append(row)
    outer = sorted(pos for row in at for pos in row if pos != NONE)
    per = 4 if dimension == 3 else 2
    assert outer == sorted(4 * l + j for l in range(len(parent)) for j in range(per))
    links = []
    for c, cell in enumerate(cells):
        row = []
        for f, first in enumerate(firsts):
            corner, edge, _ = parent[first]
            (other,) = edge - {corner}
            key = (frozenset(cell[v] for v in facets[f]), cell[corner], cell[other])
            beyond = [x for x in darts.get(key, []) if x[0] != c]
            assert len(beyond) == (at[c][first] == NONE)
            if beyond:
                assert (beyond[0][1] & 1) != (first & 1)
            row.append(beyond[0] if beyond else (NONE, 0))
        links.append(row)
    home = {}
    for c, row in enumerate(at):
        for l, pos in enumerate(row):
            home[pos] = (c, l)
    seat = {}
    for c, cell in enumerate(cells):
        for v, p in enumerate(cell):
            seat.setdefault(p, (c, corner_first[v]))
    births = []
    points = sorted(seat, key=lambda p: (len(p), sorted(p)))
    for p in points:
        if len(p) == 1:
            continue
        if len(p) == 2:
            a, b = sorted(p)
            ends = (point(a), point(b))
            pos = next(4 * l + 1 for l, d in enumerate(parent) if d[0] == a and d[1] == p)
        else:
            parts = [q for q in points if len(q) * 2 == len(p) and q < p]
            ends = next((q, p - q) for q in parts if p - q in parts)
            pos = NONE
            if dimension == 3 and len(p) == 4:
                pos = next(4 * l + 3 for l, d in enumerate(parent) if frozenset(facets[d[2]]) == p)
        births.append((pos, seat[p], seat[ends[0]], seat[ends[1]]))
    out = [f"  {{", f"    .kind = CLV_{name}, .child_count = {len(cells)}, .birth_count = {len(births)},"]
    if dimension == 3:
        rows, vertices_on, edges_on, vertex_at, edge_at = whole_orbits(dimension, parent, alpha, cells, at, points)
        out.append(f"    .vertex_count = {len(vertex_at)}, .edge_count = {len(edge_at)},")
        out.append(f"    .vertex_at = {braces(vertex_at)},")
        out.append(f"    .edge_at = {braces(edge_at)},")
        out.append(f"    .vertex_on = {braces(vertices_on)},")
        out.append(f"    .edge_on = {braces(edges_on)},")
        vertex_seats, edge_seats = first_seats(parent, alpha, rows)
        out.append("    .vertex_seats = {" + ", ".join(braces(x) for x in vertex_seats) + "},")
        out.append("    .edge_seats = {" + ", ".join(braces(x) for x in edge_seats) + "},")
        out.append("    .border = {" + ", ".join(braces(x) for x in border_links(parent, alpha, sizes)) + "},")
    out.append("    .children = {")
    for c in range(len(cells)):
        out.append(f"      {{.at = {braces(at[c])},")
        out.append("       .link = {" + ", ".join(braces(x) for x in links[c]) + "},")
        corners = [1 if len(p) == 1 else 0 for p in cells[c]]
        outer = [f for f in range(len(sizes)) if at[c][firsts[f]] != NONE]
        if outer:
            out.append(f"       .outer_count = {len(outer)}, .outer = {braces(outer)},")
        if dimension == 3:
            out.append("       .corners = {}, .edges = {},".format(*heirlooms(dimension, parent, alpha, at[c])))
            out.append(f"       .vertex = {braces(rows[c][0])}, .edge = {braces(rows[c][1])},")
        out.append(f"       .old = {braces(corners)}}},")
    out.append("    },")
    out.append("    .home = {" + ", ".join(braces(home.get(pos, (NONE, 0))) for pos in range(4 * len(parent))) + "},")
    rank = lambda c, l: (at[c][0] == NONE) + sum(pos != NONE for pos in at[c][:l])
    out.append("    .rank = " + braces(rank(*home[pos]) if pos in home else 0 for pos in range(4 * len(parent))) + ",")
    out.append(
        "    .births = {"
        + ", ".join(f"{{{pos}, {braces(s)}, {{{braces(a)}, {braces(b)}}}}}" for pos, s, a, b in births)
        + "},"
    )
    out.append("  },")
    return out


def main():
    out = [
        "// What becomes of a refined cell. Written by scripts/make_refinements.py; do not edit.",
        "",
        '#include "map/refine.h"',
        "",
        "// clang-format off",
        "const map_refinement map_refinements[MAP_REFINEMENTS] = {",
    ]
    for name, variants in (("TRI", 1), ("QUAD", 1), ("TET", 3), ("HEX", 1)):
        for variant in range(variants):
            out += refinement(name, variant)
    out += ["};", "// clang-format on"]
    print("\n".join(out))


main()
