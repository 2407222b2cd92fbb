// A sheet of triangles in space, and which segments it parts.
//
// A segment is parted when it crosses the sheet an odd number of times. One that meets an edge or a corner of a
// triangle, or has an end on the sheet, is a matter of one's luck with rounding; so every segment is moved aside a
// little, all by the same, and further should it still be in doubt, until each of its crossings is certain by a bound
// on the error. What lies between two triangles then crosses one of them, and nothing slips through.

#ifndef SURGERY_SHEET_H
#define SURGERY_SHEET_H

#include "base/memory.h"
#include "cleave/mesh.h"

typedef struct sheet_triangle {
  double corner[3][3];
} sheet_triangle;

// A box about triangles: two more boxes, or a few triangles.
typedef struct sheet_node {
  double least[3], greatest[3];
  uint32_t first, count; // of `triangles`; count 0: nodes `first` and `first` + 1
} sheet_node;

typedef struct surgery_sheet {
  BASE_ARRAY(sheet_triangle) triangles;
  BASE_ARRAY(sheet_node) nodes; // the first is about all; none without triangles
  double aside;                 // how far segments are moved, m
} surgery_sheet;

void surgery_sheet_free(surgery_sheet *sheet, const clv_allocator *allocator);
// An empty one, for a body of a size.
void surgery_sheet_start(surgery_sheet *sheet, double size);
// Appends a triangle; one without area parts nothing and is left out. False when memory is out.
bool surgery_sheet_add(surgery_sheet *sheet, const clv_allocator *allocator, const double *a, const double *b,
                       const double *c);
// Those of a surface that can cut.
bool surgery_sheet_add_all(surgery_sheet *sheet, const clv_allocator *allocator, const clv_mesh *mesh);
// Once all are there. False when memory is out.
bool surgery_sheet_finish(surgery_sheet *sheet, const clv_allocator *allocator);

// 0: a segment is not parted. 1: it is, and p lies on the side from which the triangles turn counterclockwise; -1: q
// does.
int surgery_sheet_parts(const surgery_sheet *sheet, const double p[3], const double q[3]);

#endif
