// What part of a tensor is meant, as text and as a message.
#include "fuzz/input.h"
#include "io/tensor_slice.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  const std::string_view input = fuzz::TextOf(data, size);
  const auto spec = SliceSpec::Parse(input);
  if (spec.ok() && !spec->is_whole) fuzz::Require(spec->slice.ShapeIn(spec->full_shape).ok());
  for (const auto& slice : {TensorSlice::Parse(input), TensorSlice::ParseMessage(input)}) {
    if (!slice.ok()) continue;
    const std::string written = slice->SerializeMessage();
    const auto again = TensorSlice::ParseMessage(written);
    fuzz::Require(again.ok() && again->SerializeMessage() == written);
  }
  return 0;
}
