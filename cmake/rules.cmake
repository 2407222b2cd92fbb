# The shipped rules: their texts as strings in the library, force laws and rules of topology as machine code.
#
# The library's own objects (cleave_objects) are linked to a small program, cleave_emit, which writes every shipped law and
# rule as C. Laws are compiled once per instruction set; a table in the library finds each by the hash of its text. Where this is not wanted or cannot be done (another compiler, a build for another machine), the table is empty and
# rules are compiled when they are first used.

set(rules_dir ${PROJECT_BINARY_DIR}/rules)
file(GLOB rule_files CONFIGURE_DEPENDS rules/*.rule)
set(lanes ${PROJECT_SOURCE_DIR}/src/rule/emit_lanes.h)
set(machine ${PROJECT_SOURCE_DIR}/src/rule/machine.h)

add_custom_command(
  OUTPUT ${rules_dir}/texts.c
  COMMAND ${CMAKE_COMMAND} -DOUT=${rules_dir}/texts.c -DLANES=${lanes} -DMACHINE=${machine} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake --
          ${rule_files}
  DEPENDS ${rule_files} ${lanes} ${machine} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  VERBATIM)
target_sources(cleave_objects PRIVATE ${rules_dir}/texts.c)

set(instruction_sets ${CLEAVE_COMPILE_RULES})
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(REMOVE_ITEM instruction_sets avx2 avx512)
endif()
if(NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" OR CMAKE_CROSSCOMPILING)
  set(instruction_sets)
endif()

if(NOT instruction_sets)
  file(CONFIGURE OUTPUT ${rules_dir}/table.c @ONLY CONTENT [[
#include "rule/native.h"

const native_entry native_table[1] = {{{{0}}, {{0}}}};
const uint32_t native_table_count = 0;
const native_rule native_rules[1] = {{{{0}}, 0}};
const uint32_t native_rule_count = 0;
]])
  target_sources(cleave PRIVATE ${rules_dir}/table.c)
  return()
endif()

add_executable(cleave_emit src/rule/tool/emit_rules.c)
target_include_directories(cleave_emit PRIVATE src include)
target_link_libraries(cleave_emit PRIVATE cleave_objects ZLIB::ZLIB Threads::Threads m ${CMAKE_DL_LIBS})

# As many files as can be compiled side by side; laws are dealt out among them.
set(shards 4)
set(shard_files)
math(EXPR last_shard "${shards} - 1")
foreach(shard RANGE ${last_shard})
  list(APPEND shard_files ${rules_dir}/kernels_${shard}.inc)
endforeach()
# The emitter leaves files alone whose text is the same, so that nothing is compiled again for nothing; that it has run is
# told by a file of its own.
add_custom_command(
  OUTPUT ${rules_dir}/emitted
  COMMAND cleave_emit ${rules_dir} ${shards} ${instruction_sets}
  COMMAND ${CMAKE_COMMAND} -E touch ${rules_dir}/emitted
  BYPRODUCTS ${rules_dir}/table.c ${rules_dir}/topology.c ${shard_files}
  DEPENDS cleave_emit
  VERBATIM)
add_custom_target(cleave_emitted DEPENDS ${rules_dir}/emitted)
add_dependencies(cleave cleave_emitted)
set_source_files_properties(${rules_dir}/table.c ${rules_dir}/topology.c ${shard_files} PROPERTIES GENERATED TRUE)
target_sources(cleave PRIVATE ${rules_dir}/table.c ${rules_dir}/topology.c)
set_source_files_properties(${rules_dir}/topology.c PROPERTIES COMPILE_OPTIONS -w)

# -O1 is as fast here as -O3 and compiled in half the time; the expensive optimisations clear the registers' upper halves,
# without which the caller's own code crawls. Contraction is off: the emitter chooses what is fused. No sanitizer: the
# kernels run on what the tests compare, and would take minutes to compile. No notes for debuggers: they take as long as
# the rest, and tell of t1 to t999. Who compiles for SSE2 alone and wants the kernels to run sets CLEAVE_ISA=sse2, as the
# tests of the preset `debug` do: a better processor would look for its own, find none, and interpret every law.
set(kernel_options -w -g0 -O1 -fexpensive-optimizations -ffp-contract=off -fno-math-errno)
if(CMAKE_C_COMPILER_ID STREQUAL GNU) # passes that find nothing in straight code; not as options, which others would see
  set(kernel_head "#pragma GCC optimize(\"no-tree-pta\", \"no-ivopts\", \"no-tree-dominator-opts\", \"ira-region=one\")\n")
endif()
if(CMAKE_C_FLAGS MATCHES sanitize OR CMAKE_C_FLAGS_DEBUG MATCHES sanitize)
  list(APPEND kernel_options -fno-sanitize=all)
endif()
set(options_sse2)
set(options_avx2 -mavx2 -mfma)
set(options_avx512 ${options_avx2} -mavx512f -mavx512dq -mavx512vl -mavx512bw)
foreach(isa IN LISTS instruction_sets)
  foreach(shard RANGE ${last_shard})
    set(source ${rules_dir}/kernels_${shard}_${isa}.c)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
         "${kernel_head}#define CLV_ISA_NAME(name) name##_${isa}\n#include \"kernels_${shard}.inc\"\n")
    set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${rules_dir}/kernels_${shard}.inc COMPILE_OPTIONS
                                                     "${kernel_options};${options_${isa}}")
    target_sources(cleave PRIVATE ${source})
  endforeach()
endforeach()
