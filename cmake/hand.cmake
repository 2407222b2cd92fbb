# What edits run lies side by side. A step of a large body leaves none of it in a cache, and functions that lie all over
# the library come line by line, each waited for; one piece comes at once (src/base/hand.h).
#
# cmake/hand.ld says which functions these are, as scripts/hand.py found them: each object is linked once to itself with
# it. A name that is in no object does no harm, and a function that is not named lies where it did: nothing but time
# depends on the list. Other linkers than GNU's, and builds that optimise when they link, do without.

execute_process(COMMAND ${CMAKE_LINKER} --version OUTPUT_VARIABLE linker ERROR_QUIET)
if(NOT linker MATCHES "GNU ld" OR CMAKE_INTERPROCEDURAL_OPTIMIZATION OR CMAKE_C_FLAGS MATCHES "-flto"
   OR CMAKE_BUILD_TYPE STREQUAL Debug)
  return()
endif()
set(hand ${CMAKE_CURRENT_LIST_DIR}/hand.ld)
target_compile_options(cleave_objects PRIVATE -ffunction-sections)
set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${hand})
list(APPEND CMAKE_C_COMPILE_OBJECT "${CMAKE_LINKER} -r -T ${hand} -o <OBJECT>.one <OBJECT>"
     "${CMAKE_COMMAND} -E rename <OBJECT>.one <OBJECT>")
if(BUILD_SHARED_LIBS)
  target_link_options(cleave PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/exports.map)
endif()
