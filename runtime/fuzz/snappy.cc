// A block that Snappy has compressed.
#include "fuzz/input.h"
#include "io/snappy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)tfbuild::SnappyUncompress(tfbuild::fuzz::TextOf(data, size));
  return 0;
}
