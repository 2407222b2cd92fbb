// The checksum of HDF5's metadata: Bob Jenkins' lookup3, as its file format prescribes.

#ifndef RESULT_CHECKSUM_H
#define RESULT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint32_t result_lookup3(const uint8_t *bytes, size_t size);

#endif
