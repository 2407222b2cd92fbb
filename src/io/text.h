// Reading text: words, numbers and lines.
//
// Words are what stands between blanks; a line break is a blank too, except for the functions that speak of lines.
// Every number must fill its word: "12abc" is an error, not twelve. Messages say what was expected and what was found,
// so `what` is a noun with its article: "a node tag".

#ifndef IO_TEXT_H
#define IO_TEXT_H

#include "io/reader.h"

// Moves to the next word, over line breaks too.
void io_skip_blanks(io_reader *r);
// The next word; empty at the end of the file.
io_span io_word(io_reader *r);
// The next word without moving.
io_span io_peek_word(const io_reader *r);
// Whether nothing but blanks remains of this line. Moves over those blanks.
bool io_line_ends(io_reader *r);
// Fails unless the line ends here.
bool io_end_line(io_reader *r, const char *after);
// The rest of this line without the blanks around it; moves behind the line break.
io_span io_rest_of_line(io_reader *r);
// What stands between the first and the last quotation mark of this line.
io_span io_quoted_name(io_reader *r, const char *what);

int64_t io_text_integer(io_reader *r, const char *what);
double io_text_real(io_reader *r, const char *what);
// A number of things each of which takes at least `least` more bytes of this file.
size_t io_text_count(io_reader *r, const char *things, size_t least);

bool io_parse_integer(io_span word, int64_t *value);
bool io_span_is(io_span span, const char *word);
bool io_span_is_nocase(io_span span, const char *word);
// Removes blanks at both ends.
io_span io_trim(io_span span);

#endif
