// Texts of JSON, read as deep as they may be.
#include "fuzz/input.h"
#include "kernels/parsing/json_reader.h"

namespace tfbuild {
namespace {

constexpr int kDepth = 20;

Status ReadAny(JsonReader* reader, int depth) {
  if (depth == 0) return InvalidArgument("too deep");
  if (reader->TakeNull()) return OkStatus();
  if (reader->AtString()) return reader->String().status();
  const auto next = [&] { return ReadAny(reader, depth - 1); };
  if (reader->AtArray()) return reader->Array(next);
  if (reader->Number().ok()) return OkStatus();
  return reader->Object([&](const std::string&) { return next(); });
}

}  // namespace
}  // namespace tfbuild

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  JsonReader reader(fuzz::TextOf(data, size));
  if (ReadAny(&reader, kDepth).ok()) (void)reader.End();
  return 0;
}
