#include <unistd.h>

#include "io/file.h"
#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(MatchingFiles, NamesInTheirOrder) {
  const std::string base = StrCat("/tmp/tfbuild_matching_test_", getpid());
  for (const char* name : {"_b", "_a"}) {
    const auto file = FileOutput::Open(base + name, FileOutput::Mode::kTruncate);
    ASSERT_OK(file);
    ASSERT_OK((*file)->Close());
  }
  OpTest("MatchingFiles").Input(Text(base + "_*"))
      .Expect(Tensor::Strings({2}, {base + "_a", base + "_b"})).Run();
  OpTest("MatchingFiles").Input(Tensor::Strings({2}, {base + "_?x", base + "_b"}))
      .Expect(Tensor::Strings({1}, {base + "_b"})).Run();
  ASSERT_OK(DeleteFile(base + "_a"));
  ASSERT_OK(DeleteFile(base + "_b"));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
