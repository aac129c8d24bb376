#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(ReadFile, ReadsWhatWriteFileWrote) {
  const std::string path = WriteTestFile("written", "") + ".folder/file";
  StepOps ops;
  EXPECT_OK(ops.Call("WriteFile", {Tensor::Strings({}, {path}), Tensor::Strings({}, {"text"})}, {}));
  const auto text = ops.First("ReadFile", {Tensor::Strings({}, {path})}, {});
  ASSERT_OK(text);
  EXPECT_EQ(*text->data<std::string>(), std::string("text"));
  EXPECT_ERROR(ops.First("ReadFile", {Tensor::Strings({}, {path + "/no"})}, {}),
               Code::kNotFound, "cannot be opened");
  EXPECT_ERROR(ops.First("ReadFile", {Tensor::Strings({1}, {path})}, {}), Code::kInvalidArgument,
               "must be scalar");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
