#include "io/record.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>

#include "io/coding.h"
#include "io/crc32c.h"
#include "io/file.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

std::string PathOf(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return StrCat(folder == nullptr ? "/tmp" : folder, "/", getpid(), name);
}

Status Write(const std::string& path, const std::vector<std::string>& records,
             Compression compression) {
  ASSIGN_OR_RETURN(std::unique_ptr<OutputStream> file,
                   FileOutput::Open(path, FileOutput::Mode::kTruncate));
  ASSIGN_OR_RETURN(std::unique_ptr<OutputStream> out, Compressed(std::move(file), compression));
  RecordWriter writer(std::move(out));
  for (const std::string& record : records) RETURN_IF_ERROR(writer.Write(record));
  return writer.Close();
}

Result<std::vector<std::string>> Read(const std::string& path, Compression compression) {
  ASSIGN_OR_RETURN(std::unique_ptr<InputStream> file, FileInput::Open(path));
  ASSIGN_OR_RETURN(std::unique_ptr<InputStream> in, Decompressed(std::move(file), compression));
  RecordReader reader(std::move(in));
  std::vector<std::string> records;
  std::string record;
  while (true) {
    ASSIGN_OR_RETURN(const bool found, reader.Read(&record));
    if (!found) return records;
    records.push_back(record);
  }
}

std::string Contents(const std::string& path) {
  std::string bytes(size_t{1} << 22, '\0');
  bytes.resize(*(*FileInput::Open(path))->Read(bytes.data(), bytes.size()));
  return bytes;
}

void Put(const std::string& path, std::string_view bytes) {
  auto file = *FileOutput::Open(path, FileOutput::Mode::kTruncate);
  EXPECT_OK(file->Append(bytes));
  EXPECT_OK(file->Close());
}

std::vector<std::string> Samples() {
  std::string large(3000000, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * i >> 7);
  return {"", "a", large, std::string(17, '\0'), "the end"};
}

TEST(Crc32c, KnownSums) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(UnmaskCrc(MaskCrc(12345)), 12345u);
  EXPECT_EQ(MaskCrc(0), 0xa282ead8u);
}

TEST(Crc32c, TableAndInstructionAgree) {
  const std::string bytes = Samples()[2].substr(0, 4099);
  for (size_t size = 0; size < bytes.size(); size += 13) {
    EXPECT_EQ(ExtendCrc32c(7, bytes.data(), size), ExtendCrc32cByTable(7, bytes.data(), size));
  }
}

TEST(Record, RoundTrips) {
  for (const Compression compression : {Compression::kNone, Compression::kZlib, Compression::kGzip}) {
    const std::string path = PathOf("records");
    ASSERT_OK(Write(path, Samples(), compression));
    const auto found = Read(path, compression);
    ASSERT_OK(found);
    EXPECT_TRUE(*found == Samples());
    unlink(path.c_str());
  }
}

TEST(Record, ReportsWhatIsCutOrDamaged) {
  const std::string path = PathOf("damaged");
  ASSERT_OK(Write(path, {"one", "two"}, Compression::kNone));
  const std::string whole = Contents(path);
  EXPECT_EQ(whole.size(), size_t{2 * (12 + 3 + 4)});
  for (size_t size = 1; size < whole.size(); ++size) {
    Put(path, whole.substr(0, size));
    if (size == whole.size() / 2) continue;  // a whole file of one record
    EXPECT_ERROR(Read(path, Compression::kNone), Code::kDataLoss, "truncated record");
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    Put(path, changed);
    EXPECT_ERROR(Read(path, Compression::kNone), Code::kDataLoss, "corrupted record");
  }
  unlink(path.c_str());
}

TEST(Record, RefusesAnAnnouncementThatNoFileCanKeep) {
  const std::string path = PathOf("announced");
  for (const uint64_t size : {uint64_t{1} << 60, uint64_t{1} << 40, uint64_t{1} << 31}) {
    std::string header;
    AppendFixed64(&header, size);
    AppendFixed32(&header, MaskCrc(Crc32c(header)));
    Put(path, header + "few bytes");
    EXPECT_ERROR(Read(path, Compression::kNone), Code::kDataLoss, "announces");
  }
  unlink(path.c_str());
}

TEST(Record, DamagedCompressedFilesGiveErrorsOnly) {
  const std::string path = PathOf("compressed");
  ASSERT_OK(Write(path, {"one", std::string(5000, 'x'), "three"}, Compression::kGzip));
  const std::string whole = Contents(path);
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string changed = whole.substr(0, 1 + random() % whole.size());
    changed[random() % changed.size()] = static_cast<char>(random());
    Put(path, changed);
    const auto found = Read(path, Compression::kGzip);
    EXPECT_TRUE(found.ok() || found.status().code() == Code::kDataLoss);
  }
  unlink(path.c_str());
}

TEST(File, SaysWhyItCannotBeOpened) {
  EXPECT_ERROR(FileInput::Open("/no/such/file").status(), Code::kNotFound, "/no/such/file");
  EXPECT_ERROR(FileInput::Open("/tmp").status(), Code::kFailedPrecondition, "directory");
  const std::string path = PathOf("twice");
  ASSERT_OK((*FileOutput::Open(path, FileOutput::Mode::kNew))->Close());
  EXPECT_ERROR(FileOutput::Open(path, FileOutput::Mode::kNew).status(), Code::kAlreadyExists, path);
  unlink(path.c_str());
  EXPECT_ERROR(FileOutput::Open("/dev/full", FileOutput::Mode::kTruncate).status(),
               Code::kInvalidArgument, "not a regular file");
}

TEST(File, SaysWhyItCannotBeWritten) {
  const std::string path = PathOf("full");
  auto full = FileOutput::Open(path, FileOutput::Mode::kTruncate);
  ASSERT_OK(full);
  EXPECT_OK((*full)->Append("lost"));
  // No file may have a byte, as where the disk is full.
  struct rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit none = {0, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  const Status flushed = (*full)->Flush();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_ERROR(flushed, Code::kResourceExhausted, path);
  unlink(path.c_str());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
