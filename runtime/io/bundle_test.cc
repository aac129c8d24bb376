#include "io/bundle.h"

#include <unistd.h>

#include <cstdlib>
#include <random>

#include "io/snappy.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

std::string PathOf(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return StrCat(folder == nullptr ? "/tmp" : folder, "/bundle", getpid(), name);
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

void Remove(const std::string& prefix) {
  unlink(BundleIndexName(prefix).c_str());
  for (int n = 1; n <= 4; ++n) {
    for (int i = 0; i < n; ++i) unlink(BundleDataName(prefix, i, n).c_str());
  }
}

Tensor Numbers(const Shape& shape, float first) {
  Tensor tensor = *Tensor::Allocate(CpuAllocator(), DType::kFloat, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    tensor.mutable_data<float>()[i] = first + static_cast<float>(i);
  }
  return tensor;
}

std::vector<float> Values(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.num_elements()};
}

Status Save(const std::string& prefix, float first) {
  ASSIGN_OR_RETURN(const std::unique_ptr<BundleWriter> writer, BundleWriter::Open(prefix));
  RETURN_IF_ERROR(writer->Add("w", SliceSpec(), Numbers({2, 3}, first)));
  RETURN_IF_ERROR(writer->Add("empty", SliceSpec(), Numbers({0, 3}, 0)));
  RETURN_IF_ERROR(writer->Add("words", SliceSpec(), Tensor::Strings({2}, {"one", ""})));
  return writer->Finish();
}

TEST(Table, FindsKeysOfManyBlocks) {
  const std::string path = PathOf("table");
  auto file = *FileOutput::Open(path, FileOutput::Mode::kTruncate);
  TableBuilder builder(file.get());
  const std::string large(100000, 'x');
  for (int i = 1000; i < 1050; ++i) EXPECT_OK(builder.Add(StrCat("key", i), StrCat(i, large)));
  EXPECT_OK(builder.Finish());
  EXPECT_OK(file->Close());
  const auto table = Table::Open(path);
  ASSERT_OK(table);
  for (int i = 1000; i < 1050; ++i) {
    std::string value;
    EXPECT_TRUE(*(*table)->Get(StrCat("key", i), &value));
    EXPECT_TRUE(value == StrCat(i, large));
    EXPECT_TRUE(!*(*table)->Get(StrCat("key", i, "x"), &value));
  }
  int count = 0;
  EXPECT_OK((*table)->ForEach([&](std::string_view key, std::string_view) {
    EXPECT_EQ(std::string(key), StrCat("key", 1000 + count++));
    return OkStatus();
  }));
  EXPECT_EQ(count, 50);
  unlink(path.c_str());
}

TEST(Snappy, LiteralsAndCopies) {
  EXPECT_EQ(*SnappyUncompress(std::string("\x08\x08" "abc\x05\x03", 7)), std::string("abcabcab"));
  EXPECT_ERROR(SnappyUncompress("\xff\xff\xff\xff\x7f"), Code::kDataLoss, "cannot be so large");
  EXPECT_ERROR(SnappyUncompress(std::string("\x04\x05\x09\x00", 4)), Code::kDataLoss, "before");
  EXPECT_ERROR(SnappyUncompress(std::string("\x09\x08" "abc", 5)), Code::kDataLoss, "smaller");
  EXPECT_ERROR(SnappyUncompress(std::string("\x03\xfc\xff\xff\xff\xff", 6)), Code::kDataLoss, "left");
}

TEST(Bundle, RoundTrips) {
  const std::string prefix = PathOf("whole");
  ASSERT_OK(Save(prefix, 1));
  const auto reader = BundleReader::Open(prefix);
  ASSERT_OK(reader);
  EXPECT_EQ((*reader)->Entries().size(), size_t{3});
  const auto w = (*reader)->Read("w", SliceSpec());
  ASSERT_OK(w);
  EXPECT_EQ(w->shape(), (Shape{2, 3}));
  EXPECT_TRUE(Values(*w) == (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ((*reader)->Read("empty", SliceSpec())->shape(), (Shape{0, 3}));
  EXPECT_EQ((*reader)->Read("words", SliceSpec())->data<std::string>()[0], std::string("one"));
  EXPECT_ERROR((*reader)->Read("none", SliceSpec()), Code::kNotFound, "Key none not found");
  const auto part = (*reader)->Read("w", *SliceSpec::Parse("2 3 -:1,2"));
  ASSERT_OK(part);
  EXPECT_TRUE(Values(*part) == (std::vector<float>{2, 3, 5, 6}));
  EXPECT_ERROR((*reader)->Read("w", *SliceSpec::Parse("3 2 -:0,1")), Code::kInvalidArgument, "shape");
  Remove(prefix);
}

TEST(Bundle, SavingAgainReplaces) {
  const std::string prefix = PathOf("again");
  for (const float first : {1.0f, 10.0f, 20.0f}) {
    ASSERT_OK(Save(prefix, first));
    EXPECT_EQ((*BundleReader::Open(prefix))->Read("w", SliceSpec())->data<float>()[0], first);
    EXPECT_TRUE(FileExists(BundleDataName(prefix, 0, 1)));
    EXPECT_TRUE(!FileExists(BundleDataName(prefix, 1, 2)));
  }
  Remove(prefix);
}

TEST(Bundle, SlicesMakeUpATensor) {
  const std::string prefix = PathOf("slices");
  const Tensor rows = Numbers({3, 4}, 0);
  auto writer = *BundleWriter::Open(prefix);
  ASSERT_OK(writer->Add("v", *SliceSpec::Parse("5 4 0,3:-"), Numbers({3, 4}, 0)));
  ASSERT_OK(writer->Add("v", *SliceSpec::Parse("5 4 3,2:-"), Numbers({2, 4}, 12)));
  EXPECT_ERROR(writer->Add("v", *SliceSpec::Parse("5 4 3,2:-"), Numbers({2, 4}, 12)),
               Code::kInvalidArgument, "twice");
  ASSERT_OK(writer->Finish());
  const auto reader = *BundleReader::Open(prefix);
  EXPECT_EQ(reader->Entries().size(), size_t{1});
  EXPECT_TRUE(Values(*reader->Read("v", SliceSpec())) == Values(Numbers({5, 4}, 0)));
  EXPECT_TRUE(Values(*reader->Read("v", *SliceSpec::Parse("5 4 2,2:1,2"))) ==
              (std::vector<float>{9, 10, 13, 14}));
  EXPECT_ERROR(SliceSpec::Parse("5 4 3,3:-"), Code::kInvalidArgument, "does not lie in");
  EXPECT_ERROR(SliceSpec::Parse("5 x -:-"), Code::kInvalidArgument, "no number");
  Remove(prefix);
}

TEST(Bundle, SlicesHaveNoMoreAxesThanTensors) {
  std::string axes = "-";
  while (TensorSlice::Parse(axes).ok() && axes.size() < 10000) axes += ":-";
  EXPECT_ERROR(TensorSlice::Parse(axes), Code::kInvalidArgument, "too many axes");
  const std::string most = axes.substr(2);
  EXPECT_OK(TensorSlice::ParseMessage(TensorSlice::Parse(most)->SerializeMessage()));
}

TEST(Bundle, KeysOfSlicesAreTensorFlows) {
  EXPECT_EQ(SliceKey("b", TensorSlice::Whole(1)), std::string("\0b\0\1\1\1\x80\x7f", 8));
  EXPECT_EQ(SliceKey(std::string("\0\xff", 2), *TensorSlice::Parse("3,100")),
            std::string("\0\0\xff\xff\0\0\1\1\1\x83\xc0\x64", 12));
}

TEST(Bundle, KeysOfSlicesKeepTheOrderOfNumbers) {
  std::string before;
  for (const int64_t start : {0, 1, 63, 64, 8191, 8192, 1 << 20, 1 << 30}) {
    TensorSlice slice;
    slice.extents.push_back({start, 1});
    const std::string key = SliceKey("n", slice);
    EXPECT_TRUE(before < key);
    before = key;
  }
}

TEST(Bundle, MergesTheFilesOfOthers) {
  const std::string a = PathOf("a"), b = PathOf("b"), whole = PathOf("merged");
  auto first = *BundleWriter::Open(a);
  ASSERT_OK(first->Add("x", SliceSpec(), Numbers({2}, 1)));
  ASSERT_OK(first->Add("v", *SliceSpec::Parse("4 0,2"), Numbers({2}, 0)));
  ASSERT_OK(first->Finish());
  auto second = *BundleWriter::Open(b);
  ASSERT_OK(second->Add("v", *SliceSpec::Parse("4 2,2"), Numbers({2}, 2)));
  ASSERT_OK(second->Finish());
  ASSERT_OK(MergeBundles({a, b}, whole));
  const auto reader = *BundleReader::Open(whole);
  EXPECT_EQ(reader->shards(), 2);
  EXPECT_TRUE(Values(*reader->Read("v", SliceSpec())) == (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(reader->Read("x", SliceSpec())->data<float>()[1], 2.0f);
  EXPECT_TRUE(!FileExists(BundleIndexName(a)));
  Remove(whole);
}

// Whatever the bytes are, there are tensors or errors, and a changed tensor is never taken.
TEST(Bundle, DamagedFilesGiveErrorsOnly) {
  const std::string prefix = PathOf("damaged");
  ASSERT_OK(Save(prefix, 1));
  const std::string names[] = {BundleIndexName(prefix), BundleDataName(prefix, 0, 1)};
  std::mt19937 random(5);
  for (const std::string& name : names) {
    const std::string whole = Contents(name);
    for (int i = 0; i < 3000; ++i) {
      std::string changed = whole;
      if (random() % 4 == 0) changed.resize(random() % changed.size());
      for (unsigned n = 0; !changed.empty() && n <= random() % 3; ++n) {
        changed[random() % changed.size()] = static_cast<char>(random());
      }
      Put(name, changed);
      const auto reader = BundleReader::Open(prefix);
      if (!reader.ok()) continue;
      for (const auto& [key, entry] : (*reader)->Entries()) {
        const auto tensor = (*reader)->Read(key, SliceSpec());
        if (key != "w" || !tensor.ok()) continue;
        EXPECT_TRUE(Values(*tensor) == (std::vector<float>{1, 2, 3, 4, 5, 6}));
      }
    }
    Put(name, whole);
  }
  Remove(prefix);
}

// The same with right checksums, as an attacker would write them.
TEST(Bundle, EntriesThatLieAskForNoMemory) {
  const std::string prefix = PathOf("lies");
  std::mt19937_64 random(6);
  const auto number = [&] {
    return static_cast<int64_t>(random() >> (random() % 64)) & ((int64_t{1} << 40) - 1);
  };
  for (int i = 0; i < 3000; ++i) {
    Put(PathOf("data"), "few bytes");
    BundleEntry entry;
    entry.dtype = static_cast<int>(random() % 24);
    const auto shape = Shape::Make({number() >> 20, number() >> 20});
    if (!shape.ok()) continue;
    entry.shape = *shape;
    entry.offset = static_cast<uint64_t>(number());
    entry.size = static_cast<uint64_t>(number());
    entry.shard = static_cast<int>(random() % 3);
    BundleEntries entries;
    if (random() % 2 == 0) {
      TensorSlice slice;
      slice.extents = {{number() >> 30, number() >> 20}, {0, -1}};
      entries[SliceKey("t", slice)] = entry;
      entry.slices = {slice};
    }
    entries["t"] = entry;
    ASSERT_OK(PublishBundle(prefix, {PathOf("data")}, entries));
    const auto reader = BundleReader::Open(prefix);
    ASSERT_OK(reader);
    const auto tensor = (*reader)->Read("t", SliceSpec());
    EXPECT_TRUE(tensor.ok() ? tensor->num_elements() == 0
                            : tensor.status().code() != Code::kResourceExhausted);
  }
  Remove(prefix);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
