// Cleave's vocabulary: results, errors, memory and the kinds of cells.
//
// Every call that can fail returns a clv_result. The sentence that explains it is either in a clv_error that the caller
// handed in, or in the object that was asked (clv_map_error). The library never prints, exits or jumps, and keeps no
// global state but what the default allocator holds: memory comes from the clv_allocator an object was created with.

#ifndef CLEAVE_BASE_H
#define CLEAVE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CLV_BEGIN_DECLS extern "C" {
#define CLV_END_DECLS }
#else
#define CLV_BEGIN_DECLS
#define CLV_END_DECLS
#endif

#if defined(__GNUC__)
#define CLV_API __attribute__((visibility("default")))
#define CLV_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#define CLV_LIKELY(x) __builtin_expect(!!(x), 1)
// GCC takes a function that only asks ahead for one without an effect, and leaves out its calls: hence the second half.
#define CLV_PREFETCH(address)                                                                                          \
  do {                                                                                                                 \
    __builtin_prefetch(address);                                                                                       \
    __asm__ volatile("");                                                                                              \
  } while (0)
#define CLV_INLINE static inline __attribute__((always_inline))
// `count` numbers in one register, or in as many as it takes.
#define CLV_VECTOR(type, count) __attribute__((vector_size(sizeof(type) * (count)))) type
#else
#define CLV_API
#define CLV_PRINTF(format, first)
#define CLV_LIKELY(x) (x)
#define CLV_PREFETCH(address) ((void)(address))
#define CLV_INLINE static inline
#endif

// A function that runs only where the processor has AVX2. Clang refuses vectors between functions of different sets,
// also where they are inlined: it compiles such functions plainly, with the same bits.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define CLV_FOR_AVX2 __attribute__((target("avx2,tune=haswell")))
#else
#define CLV_FOR_AVX2
#endif

CLV_BEGIN_DECLS

#define CLV_VERSION_MAJOR 0
#define CLV_VERSION_MINOR 1
#define CLV_VERSION_PATCH 0

// The version of the library that runs, "0.1.0"; the macros above are that of the headers.
CLV_API const char *clv_version(void);

typedef enum clv_result {
  CLV_OK = 0,
  CLV_ERROR_MEMORY,   // an allocation failed; nothing changed
  CLV_ERROR_ARGUMENT, // a call that makes no sense: a stale dart, a missing transaction
  CLV_ERROR_REFUSED,  // an operation that would break the map
  CLV_ERROR_INPUT,    // a file or a list of elements that is wrong
  CLV_ERROR_SYSTEM,   // the system said no: a file that cannot be opened, a full disk
  CLV_ERROR_INVALID,  // a check found a broken condition
} clv_result;

// The name of a result, for logs: "ok", "out of memory", ...
CLV_API const char *clv_result_name(clv_result result);

// What went wrong, in a sentence that says what, where and what to do.
typedef struct clv_error {
  clv_result code;
  char message[1020];
} clv_error;

// Fills an error (which may be NULL) and returns its code, so that callers can `return clv_error_set(...)`.
CLV_API clv_result clv_error_set(clv_error *error, clv_result code, const char *format, ...) CLV_PRINTF(3, 4);

// Memory. resize(p, old, new) behaves like realloc; new_size 0 frees; p NULL allocates. old_size is always what was
// asked for last. An allocator serves one object at a time and need not be safe for threads.
typedef struct clv_allocator {
  void *(*resize)(void *user, void *p, size_t old_size, size_t new_size);
  void *user;
} clv_allocator;

// malloc for what is small, large pages for what is not; safe for threads.
CLV_API clv_allocator clv_default_allocator(void);

// The kinds of cells. The first six are templates: their inner links are constants of the shape (VTK corner order).
typedef enum clv_kind {
  CLV_NONE = 0,
  CLV_TRI,
  CLV_QUAD,
  CLV_TET,
  CLV_PYRAMID,
  CLV_PRISM,
  CLV_HEX,
  CLV_POLYGON,
  CLV_POLYHEDRON,
  CLV_POINT, // the last two exist in files, never as cells of a map
  CLV_LINE,
  CLV_KIND_COUNT
} clv_kind;

#define CLV_TEMPLATE_FIRST CLV_TRI
#define CLV_TEMPLATE_LAST CLV_HEX

// "tri", "quad", "tet", ...; and back, CLV_NONE for an unknown word.
CLV_API const char *clv_kind_name(clv_kind kind);
CLV_API clv_kind clv_kind_from_name(const char *name);
// 0 for a point ... 3 for a volume, -1 for CLV_NONE.
CLV_API int clv_kind_dimension(clv_kind kind);
// The corners of a template, a point or a line; 0 for polygons and polyhedra, whose corners vary.
CLV_API int clv_kind_corners(clv_kind kind);

CLV_END_DECLS

#endif
