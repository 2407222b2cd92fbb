// Grids of one law for tests of surgery: unit cubes, or what is cut of them, and operations that must stand refused
// memory.

#ifndef CLEAVE_TEST_SUPPORT_PATIENTS_H
#define CLEAVE_TEST_SUPPORT_PATIENTS_H

#include "support/counting_allocator.h"
#include "support/laws.h"
#include "support/operated.h"

static inline bool is_flat(clv_grid_kind kind) {
  return kind <= CLV_GRID_MIXED2;
}

static inline clv_body *grid_body(clv_grid_kind kind, uint32_t x, uint32_t y, uint32_t z) {
  beam b = beam_default();
  b.kind = kind;
  b.model = "fem-corotational";
  b.program = laws;
  memcpy(b.cells, (uint32_t[]){x, y, is_flat(kind) ? 0 : z}, sizeof b.cells);
  memcpy(b.size, (double[]){x, y, is_flat(kind) ? 0 : z}, sizeof b.size);
  return beam_create(&b);
}

static inline clv_body *counted_body(counting_memory *memory) {
  beam b = beam_default();
  b.kind = CLV_GRID_TET5;
  b.model = "fem-corotational";
  b.program = laws;
  memcpy(b.cells, (uint32_t[]){3, 2, 2}, sizeof b.cells);
  memcpy(b.size, (double[]){3, 2, 2}, sizeof b.size);
  b.allocator = counting_allocator(memory);
  return beam_create(&b);
}

typedef clv_result operation(clv_surgery *surgery);

// Runs an operation with the n-th request of memory refused: the body is as it was, and then it works. False when it
// did not ask so often.
static inline bool stands_refusal(operation *operate, size_t n) {
  counting_memory memory = {0};
  clv_body *body = counted_body(&memory);
  const uint64_t hash = clv_map_hash(clv_body_map(body));
  memory.fail_at = memory.requests + n;
  memory.refused = false;
  clv_error error = {0};
  clv_surgery *surgery = clv_surgery_create(body, &error);
  if (!surgery) assert_int_equal(error.code, CLV_ERROR_MEMORY);
  clv_result result = surgery ? operate(surgery) : CLV_ERROR_MEMORY;
  const bool refused = memory.refused;
  memory.fail_at = 0;
  if (result == CLV_ERROR_MEMORY) {
    assert_true(refused);
    assert_true(clv_map_hash(clv_body_map(body)) == hash);
    if (!surgery) surgery = operated_surgery(body);
    result = operate(surgery);
  }
  assert_int_equal(result, CLV_OK); // a failure in the views is no failure of the cut: they are made anew
  assert_true(clv_map_hash(clv_body_map(body)) != hash);
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  assert_int_equal(memory.live_bytes, 0);
  return refused;
}

#endif
