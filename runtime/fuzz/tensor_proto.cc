// A TensorProto, and that what is read is written and read again as the same bytes.
#include "fuzz/input.h"
#include "graph/tensor_proto.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  ParseBudget budget{size_t{1} << 24};
  const auto tensor = ParseTensor(fuzz::TextOf(data, size), &budget);
  if (!tensor.ok()) return 0;
  const std::string written = SerializeTensor(*tensor);
  const auto again = ParseTensor(written, &budget);
  fuzz::Require(again.ok() && SerializeTensor(*again) == written);
  return 0;
}
