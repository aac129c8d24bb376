#include <unistd.h>

#include <cstdlib>

#include "io/bundle.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Restore(const std::string& prefix, const std::string& name, const std::string& slice,
               DType dtype) {
  OpTest restore("RestoreV2");
  restore.Input(Tensor::Strings({}, {prefix})).Input(Tensor::Strings({1}, {name}));
  restore.Input(Tensor::Strings({1}, {slice}));
  return restore.Attr("dtypes", std::vector<DType>{dtype});
}

TEST(RestoreV2, ReadsWholesAndParts) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string prefix = StrCat(folder == nullptr ? "/tmp" : folder, "/restore", getpid());
  const auto writer = BundleWriter::Open(prefix);
  ASSERT_OK(writer);
  ASSERT_OK((*writer)->Add("w", SliceSpec(), MakeTensor<float>({2, 2}, {1, 2, 3, 4})));
  ASSERT_OK((*writer)->Finish());
  Restore(prefix, "w", "", DType::kFloat).Expect(MakeTensor<float>({2, 2}, {1, 2, 3, 4})).Run();
  Restore(prefix, "w", "2 2 1,1:-", DType::kFloat).Expect(MakeTensor<float>({1, 2}, {3, 4})).Run();
  Restore(prefix, "w", "", DType::kInt32)
      .RunExpectingError(Code::kInvalidArgument, "expected dtype int32 does not equal");
  Restore(prefix, "x", "", DType::kFloat).RunExpectingError(Code::kNotFound, "Key x not found");
  Restore(prefix, "w", "9 0,2", DType::kFloat).RunExpectingError(Code::kInvalidArgument, "shape");
  Restore("/no/checkpoint", "w", "", DType::kFloat).RunExpectingError(Code::kNotFound, "/no/");
  unlink(BundleIndexName(prefix).c_str());
  unlink(BundleDataName(prefix, 0, 1).c_str());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
