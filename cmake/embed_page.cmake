# A built page as C: cmake -DOUT=page.c [-DDIST=web/dist] -P embed_page.cmake writes the table that app/cli/page.h declares.

set(type_html "text/html; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_svg "image/svg+xml")

set(arrays "")
set(entries "")
set(count 0)
if(DIST)
  file(GLOB_RECURSE files RELATIVE ${DIST} ${DIST}/*)
  foreach(file IN LISTS files)
    cmake_path(GET file EXTENSION LAST_ONLY extension)
    string(SUBSTRING "${extension}" 1 -1 extension)
    if(NOT DEFINED type_${extension})
      message(FATAL_ERROR "${DIST}/${file}: a page holds html, js, css and svg; add the media type to embed_page.cmake")
    endif()
    file(READ ${DIST}/${file} bytes HEX)
    string(LENGTH "${bytes}" size)
    math(EXPR size "${size} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char file_${count}[] = {${bytes}0x00};\n")
    string(APPEND entries "    {\"/${file}\", \"${type_${extension}}\", file_${count}, ${size}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
endif()

file(WRITE ${OUT} "// Written by cmake/embed_page.cmake.\n\n#include \"page.h\"\n\n${arrays}\n"
     "const view_page_file view_page_files[] = {\n${entries}    {0},\n};\n"
     "const size_t view_page_file_count = ${count};\n")
