#include <unistd.h>

#include <cstdlib>

#include "io/bundle.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Strings(std::vector<std::string> values) {
  const Shape shape{static_cast<int64_t>(values.size())};
  return Tensor::Strings(shape, std::move(values));
}

OpTest Save(const std::string& prefix, std::vector<std::string> names) {
  OpTest save("SaveV2");
  save.Input(Tensor::Strings({}, {prefix})).Input(Strings(std::move(names)));
  save.Input(Strings({"", "4 0,2"})).Input(MakeTensor<int64_t>({}, {7}));
  return save.Input(MakeTensor<float>({2}, {1, 2}));
}

TEST(SaveV2, WritesWholesAndParts) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string prefix = StrCat(folder == nullptr ? "/tmp" : folder, "/save", getpid());
  EXPECT_OK(Save(prefix, {"n", "v"}).RunOnCpu());
  const auto reader = BundleReader::Open(prefix);
  ASSERT_OK(reader);
  EXPECT_EQ((*reader)->Read("n", SliceSpec())->data<int64_t>()[0], int64_t{7});
  EXPECT_EQ((*reader)->Read("v", *SliceSpec::Parse("4 1,1"))->data<float>()[0], 2.0f);
  unlink(BundleIndexName(prefix).c_str());
  unlink(BundleDataName(prefix, 0, 1).c_str());
}

TEST(SaveV2, RefusesWhatDoesNotFit) {
  Save("/no/folder/prefix", {"n", "v"}).RunExpectingError(Code::kNotFound, "/no/folder");
  Save("/tmp/prefix", {"n"}).RunExpectingError(Code::kInvalidArgument, "1 names");
  Save("/tmp/prefix", {"n", "n"}).RunExpectingError(Code::kInvalidArgument, "twice");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
