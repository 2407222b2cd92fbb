// zlib with the memory of a mesh. See zip.h.
//
// zlib frees without saying how much, and a clv_allocator wants to know: each block remembers its size in front.

#include "io/zip.h"

#include <limits.h>
#include <zlib.h>

typedef union io_zip_header {
  size_t size;
  max_align_t align;
} io_zip_header;

static voidpf io_zip_allocate(voidpf user, uInt count, uInt item_size) {
  const clv_allocator *allocator = user;
  size_t size = sizeof(io_zip_header) + (size_t)count * item_size;
  io_zip_header *block = allocator->resize(allocator->user, NULL, 0, size);
  if (!block) return NULL;
  block->size = size;
  return block + 1;
}

static void io_zip_free(voidpf user, voidpf memory) {
  const clv_allocator *allocator = user;
  io_zip_header *block = (io_zip_header *)memory - 1;
  allocator->resize(allocator->user, block, block->size, 0);
}

// zlib declares its input and its user pointer without const and changes neither.
static z_stream io_zip_stream(clv_allocator *allocator, const void *in, size_t in_size, void *out, size_t out_size) {
  union {
    const void *constant;
    Bytef *bytes;
  } input = {in};
  return (z_stream){
      .next_in = input.bytes,
      .avail_in = (uInt)in_size,
      .next_out = out,
      .avail_out = (uInt)out_size,
      .zalloc = io_zip_allocate,
      .zfree = io_zip_free,
      .opaque = allocator,
  };
}

clv_result io_unzip(const clv_allocator *allocator, const void *packed, size_t packed_size, void *out, size_t size) {
  if (packed_size > UINT_MAX || size > UINT_MAX) return CLV_ERROR_INPUT;
  clv_allocator own = *allocator;
  z_stream stream = io_zip_stream(&own, packed, packed_size, out, size);
  if (inflateInit(&stream) != Z_OK) return CLV_ERROR_MEMORY;
  int status = inflate(&stream, Z_FINISH);
  size_t written = size - stream.avail_out;
  inflateEnd(&stream);
  if (status == Z_MEM_ERROR) return CLV_ERROR_MEMORY;
  return status == Z_STREAM_END && written == size ? CLV_OK : CLV_ERROR_INPUT;
}

size_t io_zip(io_writer *w, const void *bytes, size_t size) {
  size_t bound = compressBound((uLong)size), start = w->size;
  char *out = io_put_space(w, bound);
  if (!out) return 0;
  z_stream stream = io_zip_stream(&w->allocator, bytes, size, out, bound);
  if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK || deflate(&stream, Z_FINISH) != Z_STREAM_END) {
    deflateEnd(&stream);
    io_writer_fail_memory(w);
    return 0;
  }
  deflateEnd(&stream);
  w->size = start + stream.total_out;
  return stream.total_out;
}
