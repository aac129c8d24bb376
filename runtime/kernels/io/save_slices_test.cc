#include <unistd.h>

#include <cstdlib>

#include "io/bundle.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

std::string PathOf(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return StrCat(folder == nullptr ? "/tmp" : folder, "/old", getpid(), name);
}

Tensor Strings(std::vector<std::string> values) {
  const Shape shape{static_cast<int64_t>(values.size())};
  return Tensor::Strings(shape, std::move(values));
}

OpTest SaveSlices(const std::string& path, std::vector<std::string> names,
                  std::vector<std::string> slices) {
  OpTest save("SaveSlices");
  save.Input(Tensor::Strings({}, {path})).Input(Strings(std::move(names)));
  save.Input(Strings(std::move(slices))).Input(MakeTensor<int16_t>({}, {-7}));
  return save.Input(MakeTensor<float>({2}, {1, 2}));
}

TEST(Save, WritesWholes) {
  const std::string path = PathOf("whole");
  EXPECT_OK(OpTest("Save")
                .Input(Tensor::Strings({}, {path}))
                .Input(Strings({"flags", "words"}))
                .Input(MakeTensor<bool>({3}, {1, 0, 1}))
                .Input(Tensor::Strings({2}, {"", "two"}))
                .RunOnCpu());
  const auto reader = BundleReader::Open(path);
  ASSERT_OK(reader);
  EXPECT_EQ((*reader)->Read("flags", SliceSpec())->data<bool>()[2], true);
  EXPECT_EQ((*reader)->Read("words", SliceSpec())->data<std::string>()[1], "two");
  unlink(path.c_str());
}

TEST(SaveSlices, PartsOfSeveralFilesAreOneTensor) {
  const std::string path = PathOf("parts");
  EXPECT_OK(SaveSlices(path + "-0", {"n", "v"}, {"", "4 0,2"}).RunOnCpu());
  EXPECT_OK(SaveSlices(path + "-1", {"m", "v"}, {"", "4 2,2"}).RunOnCpu());
  const auto reader = BundleReader::Open(path + "-?");
  ASSERT_OK(reader);
  EXPECT_EQ((*reader)->Read("n", SliceSpec())->data<int16_t>()[0], int16_t{-7});
  ExpectClose(*(*reader)->Read("v", SliceSpec()), MakeTensor<float>({4}, {1, 2, 1, 2}), Ulps(0));
  EXPECT_EQ((*reader)->Read("v", *SliceSpec::Parse("4 1,2"))->data<float>()[0], 2.0f);
  EXPECT_OK(SaveSlices(path + "-2", {"n", "w"}, {"", ""}).RunOnCpu());
  EXPECT_ERROR(BundleReader::Open(path + "-?"), Code::kDataLoss, "there twice");
  EXPECT_OK(SaveSlices(path + "-2", {"k", "v"}, {"", "5 0,2"}).RunOnCpu());
  EXPECT_ERROR(BundleReader::Open(path + "-?"), Code::kDataLoss, "not of one tensor");
  for (const char* end : {"-0", "-1", "-2"}) unlink((path + end).c_str());
  EXPECT_ERROR(BundleReader::Open(path + "-?"), Code::kNotFound, "-?");
}

TEST(SaveSlices, RefusesWhatDoesNotFit) {
  const std::string path = PathOf("bad");
  SaveSlices("/no/folder/file", {"n", "v"}, {"", ""}).RunExpectingError(Code::kNotFound, "/no/folder");
  SaveSlices(path, {"n"}, {"", ""}).RunExpectingError(Code::kInvalidArgument, "1 names");
  SaveSlices(path, {"n", "v"}, {""}).RunExpectingError(Code::kInvalidArgument, "1 slices");
  SaveSlices(path, {"n", "v"}, {"", "4 0,3"}).RunExpectingError(Code::kInvalidArgument, "has shape");
  SaveSlices(path, {"n", "n"}, {"", ""}).RunExpectingError(Code::kInvalidArgument, "not of one tensor");
  EXPECT_TRUE(!FileExists(path));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
