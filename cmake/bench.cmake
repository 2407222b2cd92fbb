# bench/ROOM/*.c is one program, bench_ROOM; bench/peers/NAME.cpp is another system doing the same work, peers/NAME.
# A bench program gets the paths of the peers as arguments and runs them itself, so both sides share one run. Two are no
# programs: bench/flat, the loops that others are compared with, compiled for each instruction set as the kernels of the
# shipped rules are; and bench/tools, what the others share. Nothing here is part of `all`: the target `bench` builds it.

add_custom_target(bench)

file(GLOB bench_sources CONFIGURE_DEPENDS bench/*/*.c)
list(TRANSFORM bench_sources REPLACE "^.*/bench/([^/]+)/.*$" "\\1" OUTPUT_VARIABLE rooms)
list(REMOVE_DUPLICATES rooms)
list(REMOVE_ITEM rooms flat tools)
add_library(bench_tools STATIC EXCLUDE_FROM_ALL bench/tools/tools.c bench/tools/flatten.c bench/tools/subject.c
            bench/tools/parts.c bench/tools/unit.c)
target_include_directories(bench_tools PRIVATE src)
target_link_libraries(bench_tools PUBLIC cleave::cleave)
foreach(room IN LISTS rooms)
  set(room_sources ${bench_sources})
  list(FILTER room_sources INCLUDE REGEX "/bench/${room}/")
  add_executable(bench_${room} EXCLUDE_FROM_ALL ${room_sources})
  target_include_directories(bench_${room} PRIVATE src)
  target_link_libraries(bench_${room} PRIVATE bench_tools cleave::cleave m)
  add_dependencies(bench bench_${room})
endforeach()

# The flat loops have the flags of the kernels, and may contract: the kernels' emitter writes its own fused operations.
foreach(isa IN ITEMS sse2 avx2 avx512)
  add_library(flat_${isa} OBJECT EXCLUDE_FROM_ALL bench/flat/scalar.c bench/flat/wide.c bench/flat/steps.c)
  target_include_directories(flat_${isa} PRIVATE src)
  target_compile_definitions(flat_${isa} PRIVATE FLAT_SET=${isa})
  target_compile_options(flat_${isa} PRIVATE ${kernel_options} ${options_${isa}} -ffp-contract=fast)
  target_link_libraries(bench_rules PRIVATE flat_${isa})
  target_link_libraries(bench_physics PRIVATE flat_${isa})
endforeach()

# The unit of time that figures from other machines are given in, compiled as it was there: by -O3 -march=native alone.
set_source_files_properties(bench/tools/unit.c PROPERTIES COMPILE_OPTIONS "-O3;-march=native;-ffp-contract=fast;-fmath-errno")

enable_language(CXX)
set(CGAL_DO_NOT_WARN_ABOUT_CMAKE_BUILD_TYPE TRUE)
find_package(CGAL QUIET)
if(NOT CGAL_FOUND)
  return()
endif()

file(GLOB peer_sources CONFIGURE_DEPENDS bench/peers/*.cpp)
foreach(source IN LISTS peer_sources)
  cmake_path(GET source STEM peer)
  add_executable(${peer} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${peer} PRIVATE CGAL::CGAL)
  set_target_properties(${peer} PROPERTIES CXX_STANDARD 17
                                           RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/peers)
  add_dependencies(bench ${peer})
endforeach()
