// The formats there are: their names, their endings, what each has a place for.
//
// Reading goes by the ending of a name alone, writing by the name of a format or, without one, by the ending. Nothing
// else in the room knows more than one format.

#ifndef IO_REGISTRY_H
#define IO_REGISTRY_H

#include "io/formats.h"

// A file of a set that is written together.
typedef struct io_part {
  const char *ending;
  clv_kind kind; // written only for a mesh that has such elements, or over an old file; CLV_NONE: always
} io_part;

typedef struct io_format {
  const char *name, *ending, *what;
  void (*write)(io_writer *w, const clv_mesh *mesh, io_variant variant);
  io_variant variant;
  unsigned keeps;
  bool (*keeps_field)(const clv_mesh *mesh, const clv_field *field); // where some fields have a place
  const io_part *parts; // NULL for one file; the variant's version is the number of the part
} io_format;

typedef struct io_ending {
  const char *ending;
  void (*read)(io_reader *r);
  const char *format; // that is written when none is named
} io_ending;

// Each returns NULL, with the error filled, when there is none.

const io_ending *io_find_ending(const char *name, clv_error *error);
// The format of this name; without a name, what a file so called is written as.
const io_format *io_find_format(const char *name, const char *path, clv_error *error);

#endif
