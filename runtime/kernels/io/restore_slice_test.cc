#include <unistd.h>

#include <cstdlib>

#include "io/bundle.h"
#include "io/old_checkpoint.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Restore(const std::string& pattern, DType dtype) {
  OpTest restore("Restore");
  restore.Input(Tensor::Strings({}, {pattern})).Input(Tensor::Strings({}, {"w"}));
  return restore.Attr("dt", dtype);
}

OpTest RestoreSlice(const std::string& pattern, const std::string& slice) {
  OpTest restore("RestoreSlice");
  restore.Input(Tensor::Strings({}, {pattern})).Input(Tensor::Strings({}, {"w"}));
  return restore.Input(Tensor::Strings({}, {slice})).Attr("dt", DType::kFloat);
}

TEST(RestoreSlice, ReadsWholesAndPartsOfBothVersions) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string prefix = StrCat(folder == nullptr ? "/tmp" : folder, "/slices", getpid());
  const Tensor whole = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  OldCheckpointWriter old(prefix + "-1-of-1");
  ASSERT_OK(old.Add("w", SliceSpec(), whole));
  ASSERT_OK(old.Finish());
  const auto bundle = BundleWriter::Open(prefix);
  ASSERT_OK(bundle);
  ASSERT_OK((*bundle)->Add("w", SliceSpec(), whole));
  ASSERT_OK((*bundle)->Finish());
  for (const std::string& pattern : {prefix + "-?-of-1", prefix}) {
    Restore(pattern, DType::kFloat).Expect(whole).Run();
    RestoreSlice(pattern, "").Expect(whole).Run();
    RestoreSlice(pattern, "2 2 1,1:-").Expect(MakeTensor<float>({1, 2}, {3, 4})).Run();
    Restore(pattern, DType::kInt32).RunExpectingError(Code::kInvalidArgument, "expected dtype int32");
    RestoreSlice(pattern, "9 0,2").RunExpectingError(Code::kInvalidArgument, "shape");
  }
  Restore(prefix + "-?-of-2", DType::kFloat).RunExpectingError(Code::kNotFound, "-?-of-2");
  unlink((prefix + "-1-of-1").c_str());
  unlink(BundleIndexName(prefix).c_str());
  unlink(BundleDataName(prefix, 0, 1).c_str());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
