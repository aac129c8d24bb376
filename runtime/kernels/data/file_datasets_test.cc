#include <unistd.h>

#include "io/file.h"
#include "io/record.h"
#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// A file that is there while this lives.
class WrittenFile {
 public:
  explicit WrittenFile(const std::string& bytes, Compression compression = Compression::kNone)
      : path_(StrCat("/tmp/tfbuild_file_datasets_test_", getpid())) {
    auto file = FileOutput::Open(path_, FileOutput::Mode::kTruncate);
    EXPECT_OK(file);
    std::unique_ptr<OutputStream> out = *std::move(file);
    if (compression != Compression::kNone) out = *Compressed(std::move(out), compression);
    EXPECT_OK(out->Append(bytes));
    EXPECT_OK(out->Close());
  }
  ~WrittenFile() { EXPECT_OK(DeleteFile(path_)); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

OpTest Files(const std::string& op, const std::vector<std::string>& names,
             const std::string& compression = "") {
  const int64_t count = static_cast<int64_t>(names.size());
  return OpTest(op).Input(Tensor::Strings({count}, names)).Input(Text(compression)).Input(Int(0));
}

TEST(FileDatasets, LinesEndInTwoWays) {
  const WrittenFile file("one\ntwo\r\n\nlast");
  EXPECT_EQ(Words(DatasetOf(Files("TextLineDataset", {file.path(), file.path()}))),
            "one;two;;last;one;two;;last");
  EXPECT_ERROR(ReadAll(DatasetOf(Files("TextLineDataset", {"/nowhere"}))), Code::kNotFound,
               "/nowhere");
  EXPECT_ERROR(ReadAll(DatasetOf(Files("TextLineDataset", {file.path()}, "RAR"))),
               Code::kInvalidArgument, "RAR");
}

TEST(FileDatasets, FilesMayBeCompressed) {
  for (const auto& [kind, name] : {std::pair(Compression::kGzip, "GZIP"),
                                   std::pair(Compression::kZlib, "ZLIB")}) {
    const WrittenFile file("a\nb\n", kind);
    EXPECT_EQ(Words(DatasetOf(Files("TextLineDataset", {file.path()}, name))), "a;b");
  }
}

TEST(FileDatasets, RecordsOfOneLength) {
  const WrittenFile file("HHaabbccF");
  const auto fixed = [&file](int64_t header, int64_t record, int64_t footer) {
    return OpTest("FixedLengthRecordDatasetV2").Input(Tensor::Strings({1}, {file.path()}))
        .Input(Int(header)).Input(Int(record)).Input(Int(footer)).Input(Int(0)).Input(Text(""));
  };
  EXPECT_EQ(Words(DatasetOf(fixed(2, 2, 1))), "aa;bb;cc");
  EXPECT_EQ(Words(DatasetOf(fixed(2, 6, 1))), "aabbcc");
  EXPECT_ERROR(ReadAll(DatasetOf(fixed(2, 4, 1))), Code::kInvalidArgument, "body length 6");
  EXPECT_ERROR(ReadAll(DatasetOf(fixed(20, 4, 1))), Code::kInvalidArgument, "body length");
  EXPECT_ERROR(ReadAll(DatasetOf(fixed(2, int64_t{1} << 60, 1))), Code::kInvalidArgument, "");
  fixed(-1, 2, 1).RunExpectingError(Code::kInvalidArgument, "header_bytes");
  fixed(int64_t{1} << 60, 2, 1).RunExpectingError(Code::kInvalidArgument, "at most");
  fixed(2, 0, 1).RunExpectingError(Code::kInvalidArgument, "record_bytes");
  const Tensor first = DatasetOf(
      OpTest("FixedLengthRecordDataset").Input(Tensor::Strings({1}, {file.path()})).Input(Int(2))
          .Input(Int(3)).Input(Int(1)).Input(Int(0)));
  EXPECT_EQ(Words(first), "aab;bcc");
}

TEST(FileDatasets, CompressedRecordsOfOneLength) {
  const WrittenFile file("HHaabbcF", Compression::kGzip);
  const Tensor dataset = DatasetOf(
      OpTest("FixedLengthRecordDatasetV2").Input(Tensor::Strings({1}, {file.path()}))
          .Input(Int(2)).Input(Int(2)).Input(Int(1)).Input(Int(0)).Input(Text("GZIP")));
  EXPECT_EQ(Words(DatasetOf(DatasetOpTest("TakeDataset").Input(dataset).Input(Int(2)))), "aa;bb");
  EXPECT_ERROR(ReadAll(dataset), Code::kInvalidArgument, "Excess bytes of 1");
}

TEST(FileDatasets, RecordsHaveChecksums) {
  const std::string path = StrCat("/tmp/tfbuild_records_test_", getpid());
  auto file = FileOutput::Open(path, FileOutput::Mode::kTruncate);
  ASSERT_OK(file);
  RecordWriter writer(*std::move(file));
  ASSERT_OK(writer.Write("first"));
  ASSERT_OK(writer.Write("second"));
  ASSERT_OK(writer.Close());
  EXPECT_EQ(Words(DatasetOf(Files("TFRecordDataset", {path}))), "first;second");
  const Tensor later = DatasetOf(Files("TFRecordDatasetV2", {path}).Input(MakeTensor<int64_t>({1}, {21})));
  EXPECT_EQ(Words(later), "second");
  EXPECT_ERROR(ReadAll(DatasetOf(Files("TFRecordDatasetV2", {path})
                                     .Input(MakeTensor<int64_t>({1}, {3})))), Code::kDataLoss, "");
  ASSERT_OK(DeleteFile(path));
  // A header that promises 2^60 bytes.
  const WrittenFile wrong(std::string(7, '\0') + '\x10' + std::string(30, 'x'));
  EXPECT_ERROR(ReadAll(DatasetOf(Files("TFRecordDataset", {wrong.path()}))), Code::kDataLoss,
               "corrupted record");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
