// Cards: the lines of an Abaqus file. A line that begins with one star is a keyword with parameters, and goes on in the
// next when it ends with a comma; two stars begin a comment; all others are data, numbers and names between commas.
//
// Words, names and parameters are the same in capitals and small letters, and blanks around them do not count.

#ifndef IO_ABAQUS_CARDS_H
#define IO_ABAQUS_CARDS_H

#include "io/reader.h"

typedef struct abaqus_card {
  io_span keyword;    // "ELEMENT", "SOLID SECTION"
  io_span parameters; // what stands behind it, commas and all
} abaqus_card;

// Moves over data and comments to the next keyword and reads it. false at the end of the file.
bool io_abaqus_next_card(io_reader *r, abaqus_card *card);
// The value of a parameter, empty when it has none; false when it is not there.
bool io_abaqus_parameter(const abaqus_card *card, const char *name, io_span *value);

// Moves to the next data line; false when a keyword or the end of the file comes first.
bool io_abaqus_next_line(io_reader *r);
// The next item of a data line, empty between two commas; false at the end of the line.
bool io_abaqus_next_item(io_reader *r, io_span *item);
// Whether the line goes on in the next one because it ends with a comma; moves there.
bool io_abaqus_line_goes_on(io_reader *r);

#endif
