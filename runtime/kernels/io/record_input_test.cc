#include <unistd.h>

#include <set>

#include "io/file.h"
#include "io/record.h"
#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

void WriteRecords(const std::string& path, const std::vector<std::string>& records) {
  RecordWriter writer(*FileOutput::Open(path, FileOutput::Mode::kTruncate));
  for (const std::string& record : records) EXPECT_OK(writer.Write(record));
  EXPECT_OK(writer.Close());
}

AttrMap Attrs(const std::string& pattern, int64_t buffer, int64_t batch) {
  return {{"file_pattern", pattern}, {"file_buffer_size", buffer}, {"batch_size", batch}};
}

TEST(RecordInput, EachRoundHasEachRecordOnce) {
  const std::string path = WriteTestFile("round", "");
  WriteRecords(path + "-0", {"a", "b", "c"});
  WriteRecords(path + "-1", {"d", "e"});
  WriteRecords(path + "-2", {});
  for (const int64_t buffer : {1, 3, 100}) {
    StepOps ops;
    for (int round = 0; round < 3; ++round) {
      const auto records = ops.First("RecordInput", {}, Attrs(path + "-?", buffer, 5));
      ASSERT_OK(records);
      const std::string* const first = records->data<std::string>();
      const std::set<std::string> expected({"a", "b", "c", "d", "e"});
      EXPECT_TRUE(std::set<std::string>(first, first + 5) == expected);
    }
  }
  for (const char* end : {"-0", "-1", "-2"}) unlink((path + end).c_str());
}

TEST(RecordInput, ReportsWhatIsWrong) {
  StepOps ops;
  const std::string path = WriteTestFile("empty", "");
  EXPECT_ERROR(ops.First("RecordInput", {}, Attrs("/no/files*", 1, 1)), Code::kNotFound, "/no/files");
  StepOps others;
  EXPECT_ERROR(others.First("RecordInput", {}, Attrs(path, 1, 1)), Code::kOutOfRange, "no record");
  StepOps more;
  EXPECT_ERROR(more.First("RecordInput", {}, Attrs(WriteTestFile("bad", "no record at all, whatever"), 1, 1)),
               Code::kDataLoss, "corrupted record");
  EXPECT_ERROR(more.First("RecordInput", {}, Attrs(path, 0, 1)), Code::kInvalidArgument, "must be positive");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
