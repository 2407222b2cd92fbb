// bench_physics - whole steps of bodies, beside programs written by hand, the papers, and SOFA.
//
// RATIO name value: value = reference / Cleave. For flat_... the reference is a whole step over flat arrays
// (bench/flat), the better of two, in the same run. For sofa_... it is SOFA's time in steps of a loop that is timed in
// the same run. For papers it is the least of all cases.
//
//   bench_physics [--meshes DIRECTORY] [PART...]     parts: flat papers sofa scale; all unless named

#include "parts.h"

int main(int count, char **words) {
  static const bench_part parts[] = {
      {"flat", bench_flat}, {"papers", bench_papers}, {"sofa", bench_sofa}, {"scale", bench_scale}, {0}};
  return bench_parts(count, words, parts);
}
