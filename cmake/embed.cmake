# Files as C: cmake -DOUT=file.c -DLANES=emit_lanes.h -DMACHINE=machine.h -P embed.cmake RULE... writes the tables that rule/native.h declares.

set(files)
set(behind FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(k RANGE ${last})
  if(behind)
    list(APPEND files ${CMAKE_ARGV${k}})
  elseif(CMAKE_ARGV${k} STREQUAL "--")
    set(behind TRUE)
  endif()
endforeach()

set(arrays "")
set(entries "")
set(number 0)
function(add_array file name)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  set(arrays "${arrays}static const unsigned char text_${number}[] = {${bytes}0x00};\n" PARENT_SCOPE)
  set(entry "{\"${name}\", text_${number}, ${size}}" PARENT_SCOPE)
  math(EXPR number "${number} + 1")
  set(number ${number} PARENT_SCOPE)
endfunction()

foreach(file IN LISTS files)
  cmake_path(GET file STEM name)
  add_array(${file} ${name})
  string(APPEND entries "    ${entry},\n")
endforeach()
add_array(${LANES} emit_lanes)
set(lanes_entry "${entry}")
add_array(${MACHINE} machine)

file(WRITE ${OUT} "// Written by cmake/embed.cmake.\n\n#include \"rule/native.h\"\n\n${arrays}\n"
     "const native_text native_modules[] = {\n${entries}    {0},\n};\n\n"
     "const native_text native_lanes = ${lanes_entry};\n"
     "const native_text native_machine = ${entry};\n")
