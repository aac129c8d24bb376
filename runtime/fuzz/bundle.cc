// A checkpoint of version 2: the index and the data of one shard.
#include "fuzz/input.h"
#include "io/bundle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  static const fuzz::Folder folder;
  const auto [index, content] = fuzz::TwoFiles(fuzz::TextOf(data, size));
  const std::string prefix = folder.At("model");
  const fuzz::WrittenFile index_file(BundleIndexName(prefix), index);
  const fuzz::WrittenFile data_file(BundleDataName(prefix, 0, 1), content);
  const auto reader = BundleReader::Open(prefix);
  if (!reader.ok()) return 0;
  for (const auto& [name, entry] : (*reader)->Entries()) (void)(*reader)->Read(name, {});
  return 0;
}
