#include <unistd.h>

#include "io/file.h"
#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Cached(const std::string& path) {
  return DatasetOf(DatasetOpTest("CacheDataset").Input(RangeOf(3)).Input(Text(path)));
}

TEST(CacheDataset, KeepsElementsInMemory) {
  // The order of a shuffled dataset is another one each time it is read.
  const Tensor shuffled = DatasetOf(DatasetOpTest("ShuffleDataset").Input(RangeOf(30)).Input(Int(30))
                                        .Input(Int(1)).Input(Int(2)));
  const Tensor cached = DatasetOf(DatasetOpTest("CacheDataset").Input(shuffled).Input(Text("")));
  const std::string first = Numbers(cached);
  EXPECT_TRUE(first != Numbers(shuffled));
  EXPECT_EQ(Numbers(cached), first);
}

TEST(CacheDataset, StatesWhatItReads) {
  const ElementSpec text{{DType::kString}, {PartialShape()}};
  const Tensor other =
      DatasetOf(DatasetOpTest("CacheDataset", text).Input(RangeOf(3)).Input(Text("")));
  EXPECT_ERROR(ReadAll(other), Code::kInvalidArgument, "the dataset states string");
}

TEST(CacheDataset, KeepsElementsInAFile) {
  const std::string path = StrCat("/tmp/tfbuild_cache_test_", getpid());
  EXPECT_EQ(Numbers(Cached(path), 2), "0 1");  // not read to its end: nothing is kept
  EXPECT_TRUE(!FileExists(path));
  EXPECT_EQ(Numbers(Cached(path)), "0 1 2");
  EXPECT_TRUE(FileExists(path));
  EXPECT_EQ(Numbers(Cached(path)), "0 1 2");
  const ElementSpec text{{DType::kString}, {PartialShape()}};
  const Tensor other =
      DatasetOf(DatasetOpTest("CacheDataset", text).Input(RangeOf(3)).Input(Text(path)));
  EXPECT_ERROR(ReadAll(other), Code::kInvalidArgument, "other elements");
  const auto file = FileOutput::Open(path, FileOutput::Mode::kTruncate);
  ASSERT_OK(file);
  ASSERT_OK((*file)->Append("no records here"));
  ASSERT_OK((*file)->Close());
  EXPECT_ERROR(ReadAll(Cached(path)), Code::kDataLoss, "");
  ASSERT_OK(DeleteFile(path));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
