# The page of `cleave view`, part of the program: scripts/web.sh builds web/dist, which becomes the table that app/cli/page.h
# declares. Without npm, or with CLEAVE_PAGE=OFF, the table is empty, and the program says so when it is asked for the page.

set(page ${PROJECT_BINARY_DIR}/page.c)
set(embed_page ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake)
option(CLEAVE_PAGE "Build the page of `cleave view` into the program; needs npm" ON)
find_program(CLEAVE_NPM npm DOC "npm, to build the page of `cleave view`")

if(CLEAVE_PAGE AND CLEAVE_NPM)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS web/src/* web/public/*)
  list(APPEND page_sources ${PROJECT_SOURCE_DIR}/web/index.html ${PROJECT_SOURCE_DIR}/web/vite.config.ts
       ${PROJECT_SOURCE_DIR}/web/package-lock.json)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/web.sh
    COMMAND ${CMAKE_COMMAND} -DOUT=${page} -DDIST=${PROJECT_SOURCE_DIR}/web/dist -P ${embed_page}
    DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/scripts/web.sh ${embed_page}
    COMMENT "Building the page of cleave view"
    VERBATIM)
else()
  message(STATUS "`cleave view` is built without its page: that needs npm (scripts/deps.sh web) and CLEAVE_PAGE=ON")
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -DOUT=${page} -P ${embed_page}
    DEPENDS ${embed_page}
    VERBATIM)
endif()
target_sources(cleave-cli PRIVATE ${page})
target_include_directories(cleave-cli PRIVATE ${PROJECT_SOURCE_DIR}/app/cli)
