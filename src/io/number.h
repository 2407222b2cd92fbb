// Real numbers as text: exact both ways, whatever the program's locale says about decimal points.
//
// Nothing else in the library turns text into reals or reals into text. The C library does the hard cases and obeys the
// locale of the thread, so all reading and writing happens between io_locale_enter and io_locale_leave.

#ifndef IO_NUMBER_H
#define IO_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct io_locale {
  locale_t c, before;
} io_locale;

// Makes "C" the locale of this thread only. false when the system has no memory for that.
bool io_locale_enter(io_locale *locale);
void io_locale_leave(io_locale *locale);

// The double nearest to a decimal number, or an infinity or NaN by name. false for anything else.
bool io_parse_real(const char *text, size_t size, double *value);

#define IO_REAL_SIZE 32
// The shortest of the usual forms that reads back as the same double (a NaN loses its payload). Returns its length.
size_t io_format_real(double value, char text[IO_REAL_SIZE]);

#endif
