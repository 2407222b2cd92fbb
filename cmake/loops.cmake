# Loops that are compiled once for each instruction set, as the shipped laws are: src/solve/quick_loops.h and block_loops.h, and
# src/rule/positive_loops.h. The plain ones are always there.

set(loop_sets sse2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  list(APPEND loop_sets avx2 avx512)
  set_property(SOURCE src/solve/quick_set.c src/solve/block_set.c src/rule/kernel_positive.c
               APPEND PROPERTY COMPILE_DEFINITIONS CLEAVE_WIDE_LOOPS)
endif()
set(loop_options_avx2 -mavx2 -mfma)
set(loop_options_avx512 ${loop_options_avx2} -mavx512f -mavx512dq -mavx512vl -mavx512bw)
foreach(isa IN LISTS loop_sets)
  foreach(loops solve/quick solve/block rule/positive)
    get_filename_component(name ${loops} NAME)
    set(source ${PROJECT_BINARY_DIR}/loops/${name}_${isa}.c)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
         "#define LOOP_NAME(name) name##_${isa}\n#include \"${loops}_loops.h\"\n")
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
                                "-Wno-psabi;-Wno-overflow;-ffp-contract=off;${loop_options_${isa}}")
    target_sources(cleave_objects PRIVATE ${source})
  endforeach()
endforeach()
