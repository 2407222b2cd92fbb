// The files of the page that `cleave view` serves, as web/ builds them (cmake/page.cmake). A program that was built on
// a machine without npm has none: the count is 0, and whoever is asked for the page has to say so. Paths begin with a
// slash; "/index.html" is the page itself.

#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stddef.h>

typedef struct view_page_file {
  const char *path;
  const char *type; // media type
  const unsigned char *data;
  size_t size;
} view_page_file;

extern const view_page_file view_page_files[];
extern const size_t view_page_file_count;

#endif
