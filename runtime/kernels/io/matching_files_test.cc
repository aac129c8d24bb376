#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(MatchingFiles, FindsFilesOnce) {
  const std::string a = WriteTestFile("match_a.x", "");
  const std::string b = WriteTestFile("match_b.x", "");
  const std::string folder = a.substr(0, a.rfind('/'));
  StepOps ops;
  const auto found = ops.First(
      "MatchingFiles", {Tensor::Strings({3}, {folder + "/match_*.x", b, "/no/*"})}, {});
  ASSERT_OK(found);
  EXPECT_EQ(found->num_elements(), int64_t{2});
  EXPECT_EQ(found->data<std::string>()[1], b);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
