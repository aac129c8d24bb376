// The features of an Example and of a SequenceExample.
#include <array>
#include <string>
#include <vector>

#include "fuzz/input.h"
#include "kernels/parsing/example_features.h"

namespace tfbuild {
namespace {

constexpr size_t kSpecs = 3;

std::vector<FeatureSpec> Specs() {
  std::vector<FeatureSpec> specs(kSpecs);
  const std::array<DType, kSpecs> types = {DType::kFloat, DType::kInt64, DType::kString};
  for (size_t i = 0; i < kSpecs; ++i) {
    specs[i].key = std::string(1, static_cast<char>('a' + i));
    specs[i].dtype = types[i];
  }
  return specs;
}

void Copy(const FeatureSlice& slice) {
  if (slice.dtype == DType::kInvalid) return;
  const int64_t count = CountValues(slice);
  if (count < 0) return;
  auto values = Tensor::Allocate(CpuAllocator(), slice.dtype, Shape{count});
  fuzz::Require(values.ok());
  CopyValues(slice, &*values, 0);
}

}  // namespace
}  // namespace tfbuild

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  static const std::vector<FeatureSpec> specs = Specs();  // the finder looks into it
  static const FeatureFinder finder(specs);
  const std::string_view input = fuzz::TextOf(data, size);
  std::array<FeatureSlice, kSpecs> slices;
  if (finder.FindInExample(input, slices.data())) {
    for (const FeatureSlice& slice : slices) Copy(slice);
  }
  std::array<std::string_view, kSpecs> lists;
  if (finder.FindLists(input, lists.data())) {
    for (const std::string_view list : lists) {
      (void)ForEachStep(list, [](const FeatureSlice& slice) {
        Copy(slice);
        return true;
      });
    }
  }
  return 0;
}
