#include <unistd.h>

#include <cstdlib>

#include "io/bundle.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(MergeV2Checkpoints, MakesOneOfSeveralAndRemovesTheirFolder) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string whole = StrCat(folder == nullptr ? "/tmp" : folder, "/merge", getpid());
  const std::string parts = whole + "_temp";
  for (const char* name : {"a", "b"}) {
    const auto writer = BundleWriter::Open(StrCat(parts, "/", name));
    ASSERT_OK(writer);
    ASSERT_OK((*writer)->Add(name, SliceSpec(), MakeTensor<float>({1}, {1})));
    ASSERT_OK((*writer)->Finish());
  }
  EXPECT_OK(OpTest("MergeV2Checkpoints")
                .Input(Tensor::Strings({2}, {parts + "/a", parts + "/b"}))
                .Input(Tensor::Strings({}, {whole}))
                .RunOnCpu());
  const auto reader = BundleReader::Open(whole);
  ASSERT_OK(reader);
  EXPECT_OK((*reader)->Read("b", SliceSpec()));
  EXPECT_TRUE(!FileExists(parts));
  for (int i = 0; i < 2; ++i) unlink(BundleDataName(whole, i, 2).c_str());
  unlink(BundleIndexName(whole).c_str());
}

TEST(ShardedFilename, HasFiveDigits) {
  OpTest("ShardedFilename")
      .Input(Tensor::Strings({}, {"a/b"}))
      .Input(MakeTensor<int32_t>({}, {2}))
      .Input(MakeTensor<int32_t>({}, {10}))
      .Expect(Tensor::Strings({}, {"a/b-00002-of-00010"}))
      .Run();
}

TEST(ShardedFilespec, MatchesThem) {
  OpTest("ShardedFilespec")
      .Input(Tensor::Strings({}, {"a/b"}))
      .Input(MakeTensor<int32_t>({}, {10}))
      .Expect(Tensor::Strings({}, {"a/b-\?\?\?\?\?-of-00010"}))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
