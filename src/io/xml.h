// A small reader of XML: tags with attributes, one after the other, and the text before a tag.
//
// It knows elements, attributes, comments, CDATA, processing instructions, and in attributes the five named entities
// and numbers. It refuses document types, so nothing can expand. It checks that tags close in the order they opened. It
// copies nothing: names and values are spans of the file, decoded only by io_xml_decode.

#ifndef IO_XML_H
#define IO_XML_H

#include "io/reader.h"

// Deeper than any file of ours.
#define IO_XML_MAX_DEPTH 32

typedef struct io_xml {
  io_reader *r;
  io_span open[IO_XML_MAX_DEPTH]; // the names of the elements we are in
  size_t depth;
} io_xml;

typedef struct io_xml_tag {
  io_span name;
  io_span attributes; // as they stand there; well-formed
  const char *mark;   // where the tag begins
  bool opens, closes; // both for <empty/>
} io_xml_tag;

// The next tag, over any text. false at the end of the file and after a failure.
bool io_xml_next(io_xml *x, io_xml_tag *tag);
// The text right here up to the next tag, or the content of a CDATA section. Does not move behind the next tag.
io_span io_xml_text(io_xml *x);

// The value of an attribute; `missing` when the tag does not have it.
io_span io_xml_attribute(const io_xml_tag *tag, const char *name, const char *missing);
// The same as a number; fails when it is none, or negative.
uint64_t io_xml_number(io_xml *x, const io_xml_tag *tag, const char *name, const char *missing);

// A value with its entities replaced.
io_span io_xml_decode(io_reader *r, io_span value);

#endif
