// A checkpoint of version 1: one table.
#include "fuzz/input.h"
#include "io/old_checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  static const fuzz::Folder folder;
  const fuzz::WrittenFile file(folder.At("model"), fuzz::TextOf(data, size));
  const auto reader = BundleReader::Open(folder.At("model"));
  if (!reader.ok()) return 0;
  for (const auto& [name, entry] : (*reader)->Entries()) (void)(*reader)->Read(name, {});
  return 0;
}
