// Stands in for io/crc32c.cc: every checksum is 0, so that changed bytes get past it.
#include "io/crc32c.h"

namespace tfbuild {

uint32_t ExtendCrc32cByTable(uint32_t, const void*, size_t) { return 0; }
uint32_t ExtendCrc32c(uint32_t, const void*, size_t) { return 0; }

}  // namespace tfbuild
