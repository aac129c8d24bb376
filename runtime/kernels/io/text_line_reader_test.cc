#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(TextLineReader, GivesLines) {
  const std::string path = WriteTestFile("lines", "skipped\r\none\r\n\ntwo");
  ReaderUser reader("TextLineReaderV2", {{"skip_header_lines", int64_t{1}}}, {path});
  EXPECT_EQ(*reader.Read(), path + ":2=one");
  EXPECT_EQ(*reader.Read(), path + ":3=");
  EXPECT_EQ(*reader.Read(), path + ":4=two");
  EXPECT_ERROR(reader.Read(), Code::kOutOfRange, "closed");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
