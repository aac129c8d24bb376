#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(TfRecordReader, StaysWithWhatIsDamaged) {
  const std::string path = WriteTestFile("damaged", "no record at all, whatever its name");
  ReaderUser reader("TFRecordReaderV2", {}, {path});
  EXPECT_ERROR(reader.Read(), Code::kDataLoss, "corrupted record at 0");
  EXPECT_ERROR(reader.Read(), Code::kDataLoss, "corrupted record at 0");
  EXPECT_OK(reader.Run("ReaderResetV2", {}));
  EXPECT_ERROR(reader.Read(), Code::kOutOfRange, "closed");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
