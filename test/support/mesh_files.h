// Meshes and files for the tests of the formats: a mesh with everything in it, files as bytes, exact comparison.
//
// Files are written in the current directory, under a name with the number of the process in it, and removed at once.

#ifndef CLEAVE_TEST_SUPPORT_MESH_FILES_H
#define CLEAVE_TEST_SUPPORT_MESH_FILES_H

#include "cleave/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// What a mesh for tests has besides points, templates, a point and a line.
enum { WITH_POLYHEDRA = 1, WITH_FIELDS = 2, WITH_REGIONS = 4, WITH_EVERYTHING = 7 };

void make_sample_mesh(clv_mesh *mesh, int with);

// A mesh with all that a format keeps bit by bit, in the order in which it keeps it.
void make_sample_for_format(clv_mesh *mesh, const char *format);
// What formats cannot do: hold volumes; be one file, that memory can hold; keep the numbers of points.
bool format_is_surface(const char *format);
bool format_is_set(const char *format);
bool format_is_stl(const char *format);

// Bit by bit.
void assert_meshes_equal(const clv_mesh *a, const clv_mesh *b);
// As after clv_mesh_init.
void assert_mesh_is_empty(const clv_mesh *mesh);

// A file in memory, terminated by a zero that does not count.
typedef struct file_bytes {
  char *data;
  size_t size;
} file_bytes;

// The bytes that clv_mesh_write writes.
file_bytes file_of_mesh(const clv_mesh *mesh, const char *format);
file_bytes file_on_disk(const char *path);
// "x.msh" for "msh4-binary", and so on. Not for two threads at a time.
const char *name_for_format(const char *format);
// A name in the current directory that no other test uses: "io-1234.ENDING".
void temporary_name(char name[64], const char *ending);

// Removes the files of a set that were written under temporary_name.
void remove_set(void);

// Reads a text or fails the test with its message.
void read_text(clv_mesh *mesh, const char *name, const char *text);
// Expects a failure at a line of the text, with a word in the message, and an empty mesh.
void assert_text_is_wrong(const char *name, const char *text, int line, const char *word);

// Texts that are wrong, each with the line and a word of what is said about it.
typedef struct wrong_text {
  const char *text;
  int line;
  const char *word;
} wrong_text;

void assert_texts_are_wrong(const char *name, const wrong_text *cases, size_t count);

// Binary files made by hand, in either byte order.
typedef struct file_builder {
  bool big_endian;
  size_t size;
  char data[8192];
} file_builder;

void build_text(file_builder *b, const char *text);
void build_integer(file_builder *b, uint64_t value, size_t size);
void build_real(file_builder *b, double value);
void build_float(file_builder *b, float value);

#endif
