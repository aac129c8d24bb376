// An AttrValue, and that what is read is written and read again as the same bytes.
#include "fuzz/input.h"
#include "graph/attr_wire.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  ParseBudget budget{size_t{1} << 24};
  const auto value = ParseAttrValue(fuzz::TextOf(data, size), &budget);
  if (!value.ok()) return 0;
  const std::string written = SerializeAttrValue(*value);
  const auto again = ParseAttrValue(written, &budget);
  fuzz::Require(again.ok() && SerializeAttrValue(*again) == written);
  return 0;
}
