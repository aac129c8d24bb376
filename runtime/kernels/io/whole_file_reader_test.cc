#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(WholeFileReader, GivesFilesAndNames) {
  const std::string path = WriteTestFile("whole", std::string("a\0b", 3));
  ReaderUser files("WholeFileReaderV2", {}, {path, "/no/such/file"});
  EXPECT_EQ(*files.Read(), StrCat(path, "=", std::string("a\0b", 3)));
  EXPECT_ERROR(files.Read(), Code::kNotFound, "/no/such/file");
  ReaderUser names("IdentityReaderV2", {}, {"x"});
  EXPECT_EQ(*names.Read(), std::string("x=x"));
  EXPECT_ERROR(names.Read(), Code::kOutOfRange, "is closed and has insufficient elements");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
