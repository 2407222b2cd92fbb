// Names of kernels: hashes of what they do, step by step.

#include "rule/emit.h"

static void add_number(emit_text *bytes, uint64_t number, uint32_t size) {
  uint8_t digits[8];
  for (uint32_t k = 0; k < size; k++) digits[k] = (uint8_t)(number >> 8 * k);
  emit_add_bytes(bytes, (const char *)digits, size);
}

static void add_numbers(emit_text *bytes, const uint32_t *numbers, uint32_t count) {
  add_number(bytes, count, 4);
  for (uint32_t k = 0; k < count; k++) add_number(bytes, numbers[k], 4);
}

static void add_step(emit_text *bytes, const kernel_step *step) {
  uint64_t value;
  memcpy(&value, &step->value, sizeof value);
  add_number(bytes, step->op | (uint64_t)step->count << 8 | (uint64_t)step->to << 32, 8);
  add_number(bytes, step->arg[0] | (uint64_t)step->arg[1] << 32, 8);
  add_number(bytes, step->arg[2] | (uint64_t)step->index << 32, 8);
  add_number(bytes, value, 8);
}

static void add_tape(emit_text *bytes, const kernel_tape *tape) {
  add_number(bytes, tape->step_count, 4);
  for (uint32_t k = 0; k < tape->step_count; k++) add_step(bytes, &tape->steps[k]);
  add_numbers(bytes, tape->operands, tape->operand_count);
  add_numbers(bytes, tape->results, tape->result_count);
}

// What the text depends on beside the tapes.
static void add_shape(emit_text *bytes, const kernel *k) {
  const uint32_t shape[] = {k->particles,
                            k->quadrature,
                            k->hoist_count,
                            k->hoist_q_count,
                            k->clamps ? (uint32_t)k->law->psd : (uint32_t)LAW_PSD_NONE,
                            k->symmetric,
                            k->damping_symmetric};
  add_numbers(bytes, shape, sizeof shape / sizeof *shape);
  add_number(bytes, k->pairs.count, 4);
  for (uint32_t n = 0; n < k->pairs.count; n++) {
    add_number(bytes, k->pairs.first[n], 1);
    add_number(bytes, k->pairs.second[n], 1);
  }
}

bool emit_name(emit_hash *name, const kernel *k, emit_text *scratch) {
  scratch->bytes.count = 0;
  add_shape(scratch, k);
  for (uint32_t kind = 0; kind < KERNEL_COUNT; kind++) add_tape(scratch, &k->tape[kind]);
  *name = emit_hash_of(scratch->bytes.data, scratch->bytes.count);
  return !scratch->no_memory;
}
