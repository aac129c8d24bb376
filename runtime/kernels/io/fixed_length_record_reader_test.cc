#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(FixedLengthRecordReader, LeavesHeaderAndFooterOut) {
  const std::string path = WriteTestFile("fixed", "Habcdef__");
  ReaderUser reader("FixedLengthRecordReaderV2",
                    {{"record_bytes", int64_t{3}}, {"header_bytes", int64_t{1}},
                     {"footer_bytes", int64_t{2}}}, {path});
  EXPECT_EQ(*reader.Read(), path + ":0=abc");
  EXPECT_EQ(*reader.Read(), path + ":1=def");
  EXPECT_ERROR(reader.Read(), Code::kOutOfRange, "closed");
}

TEST(FixedLengthRecordReader, RefusesImpossibleSizes) {
  StepOps ops;
  for (const int64_t bytes : {int64_t{0}, int64_t{-1}, int64_t{1} << 60}) {
    EXPECT_ERROR(ops.First("FixedLengthRecordReaderV2", {}, {{"record_bytes", bytes}}),
                 Code::kInvalidArgument, "record_bytes must be >= 1");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
