#include <sys/stat.h>

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

TEST(ReadFile, NeitherReadsNorWritesWhatIsNoFile) {
  const std::string pipe = WriteTestFile("beside_pipe", "") + ".pipe";
  ::mkfifo(pipe.c_str(), 0600);
  StepOps ops;
  for (const std::string& path : {pipe, std::string("/dev/zero")}) {
    EXPECT_ERROR(ops.First("ReadFile", {Tensor::Strings({}, {path})}, {}), Code::kInvalidArgument,
                 "not a regular file");
    EXPECT_ERROR(ops.Call("WriteFile",
                          {Tensor::Strings({}, {path}), Tensor::Strings({}, {"text"})}, {}),
                 Code::kInvalidArgument, "not a regular file");
  }
}

TEST(ReadFile, ReadsWhatHasNoSize) {
  StepOps ops;
  const auto text = ops.First("ReadFile", {Tensor::Strings({}, {"/proc/self/status"})}, {});
  ASSERT_OK(text);
  EXPECT_EQ(text->data<std::string>()->substr(0, 5), std::string("Name:"));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
