// Writes the inputs that each target begins with, made by the runtime's own writers: a folder for
// each target in the folder that is named.
#include <cstdio>
#include <vector>

#include "fuzz/input.h"
#include "graph/attr_wire.h"
#include "graph/graph_def.h"
#include "graph/wire_format.h"
#include "io/bundle.h"
#include "io/jpeg.h"
#include "io/old_checkpoint.h"
#include "io/png.h"
#include "io/record.h"
#include "io/tensor_slice.h"
#include "io/whole_file.h"

namespace tfbuild {
namespace fuzz {
namespace {

class Seeds {
 public:
  explicit Seeds(std::string folder) : folder_(std::move(folder)) {}
  void Add(const std::string& target, std::string_view bytes) {
    const std::string below = folder_ + "/" + target;
    (void)mkdir(below.c_str(), 0777);
    const std::string path = StrCat(below, "/seed-", ++count_);
    const auto file = FileOutput::Open(path, FileOutput::Mode::kTruncate);
    Require(file.ok() && (*file)->Append(bytes).ok() && (*file)->Close().ok());
  }

 private:
  const std::string folder_;
  int count_ = 0;
};

// Puts what is written to it into a string that outlives it.
class StringOutput final : public OutputStream {
 public:
  explicit StringOutput(std::string* to) : to_(to) {}
  Status Append(std::string_view bytes) override {
    to_->append(bytes);
    return OkStatus();
  }
  Status Flush() override { return OkStatus(); }
  Status Close() override { return OkStatus(); }

 private:
  std::string* to_;
};

std::vector<Tensor> SomeTensors() {
  return {Tensor::Scalar<float>(1.5F), Tensor::Vector<int64_t>({1, -2, int64_t{1} << 40}),
          Tensor::Vector<double>({0.5, -1e300}), Tensor::Vector<int32_t>({7, 7, 7, 7, 7, 7}),
          Tensor::Strings(Shape{2, 1}, {"first", std::string(20, 'x')})};
}

std::string Field(int number, std::string_view bytes) {
  WireWriter writer;
  writer.Bytes(number, bytes);
  return writer.Take();
}

std::string Entry(std::string_view key, std::string_view value) {
  return Field(1, Field(1, key) + Field(2, value));
}

void AddGraphs(Seeds* seeds) {
  GraphDef graph;
  int number = 0;
  for (const Tensor& tensor : SomeTensors()) {
    seeds->Add("tensor_proto", SerializeTensor(tensor));
    seeds->Add("attr_value", SerializeAttrValue(tensor));
    graph.nodes.push_back({StrCat("c", number++), "Const", {}, "/device:CPU:0",
                           {{"value", tensor}, {"dtype", tensor.dtype()}}});
  }
  for (const AttrValue& value :
       {AttrValue(int64_t{-1}), AttrValue(true), AttrValue(std::string("text")),
        AttrValue(std::vector<int64_t>{1, 2}), AttrValue(std::vector<float>{1, 2}),
        AttrValue(std::vector<DType>{DType::kFloat, DType::kInt32}),
        AttrValue(PartialShape(Shape{2, 3})), AttrValue(FunctionNamed("f"))}) {
    seeds->Add("attr_value", SerializeAttrValue(value));
  }
  graph.nodes.push_back({"sum", "AddV2", {"c0", "c1:0", "^c2"}, "", {{"T", DType::kFloat}}});
  seeds->Add("graph_def", SerializeGraphDef(graph));
  // A FunctionDef: a signature with an argument and a result, and nodes.
  WireWriter argument;
  argument.Bytes(1, "x");
  argument.Int(3, static_cast<int>(DType::kFloat));
  const std::string arg = argument.Take();
  const std::string signature = Field(1, "f") + Field(2, arg) + Field(3, arg);
  const std::string node = Field(1, "y") + Field(2, "Identity") + Field(3, "x");
  const std::string result = Field(1, "x") + Field(2, "y:output:0");
  seeds->Add("function_library", Field(1, Field(1, signature) + Field(3, node) + Field(4, result)));
}

void AddExamples(Seeds* seeds) {
  WireWriter numbers;
  for (const int value : {3, -4, 500}) numbers.RawVarint(static_cast<uint64_t>(value));
  WireWriter floats;
  for (const float value : {1.0F, 2.0F}) floats.RawFloat(value);
  const std::string a = Field(2, Field(1, floats.Take()));
  const std::string b = Field(3, Field(1, numbers.Take()));
  const std::string c = Field(1, Field(1, "one") + Field(1, "two"));
  seeds->Add("examples", Field(1, Entry("a", a) + Entry("b", b) + Entry("c", c)));
  const std::string lists = Entry("a", Field(1, a) + Field(1, a)) + Entry("c", Field(1, c));
  seeds->Add("examples", Field(1, Entry("b", b)) + Field(2, lists));
}

void AddFiles(Seeds* seeds) {
  for (const Compression kind : {Compression::kNone, Compression::kZlib, Compression::kGzip}) {
    std::string bytes(1, static_cast<char>(kind));
    auto out = Compressed(std::make_unique<StringOutput>(&bytes), kind);
    Require(out.ok());
    RecordWriter writer(std::move(*out));
    for (const size_t size : {0U, 5U, 300U}) Require(writer.Write(std::string(size, 'r')).ok());
    Require(writer.Close().ok());
    seeds->Add("records", bytes);
  }
  const Folder folder;
  const std::string prefix = folder.At("model");
  auto bundle = BundleWriter::Open(prefix);
  Require(bundle.ok());
  OldCheckpointWriter old(prefix);
  int number = 0;
  for (const Tensor& tensor : SomeTensors()) {
    const std::string name = StrCat("layer/weights_", number++);
    Require((*bundle)->Add(name, {}, tensor).ok() && old.Add(name, {}, tensor).ok());
  }
  Require((*bundle)->Finish().ok());
  const std::string names[] = {BundleIndexName(prefix), BundleDataName(prefix, 0, 1)};
  const auto index = ReadWholeFile(names[0]);
  const auto data = ReadWholeFile(names[1]);
  Require(index.ok() && data.ok());
  std::string both;
  AppendFixed32(&both, static_cast<uint32_t>(index->size()));
  seeds->Add("bundle", both + *index + *data);
  Require(old.Finish().ok());
  const auto table = ReadWholeFile(prefix);
  Require(table.ok());
  seeds->Add("old_checkpoint", *table);
  for (const std::string& name : {names[0], names[1], prefix}) unlink(name.c_str());
  seeds->Add("snappy", std::string("\x14\x0cword\x1e\x04\x00", 9));
}

void AddImages(Seeds* seeds) {
  const std::string pixels(std::size_t{9} * 7 * 4 * 2, '\x5a');
  for (int channels = 1; channels <= 4; ++channels) {
    for (const int bits : {8, 16}) {
      const auto png = EncodePng(pixels.data(), {1, 9, 7, channels}, bits);
      Require(png.ok());
      seeds->Add("images", std::string(1, static_cast<char>(bits == 16 ? 0x80 : 0)) + *png);
    }
  }
  for (const bool progressive : {false, true}) {
    JpegWriting writing;
    writing.progressive = progressive;
    const auto jpeg =
        EncodeJpeg(reinterpret_cast<const uint8_t*>(pixels.data()), {1, 9, 7, 3}, writing);
    Require(jpeg.ok());
    for (const char how : {'\0', '\x35', '\x4a'}) seeds->Add("images", std::string(1, how) + *jpeg);
  }
  // Two by one pixels, by hand: nothing of ours writes these two formats.
  const char gif[] = "\0GIF89a\2\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\2\0\1\0\0\2\2\x44\n\0;";
  seeds->Add("images", std::string_view(gif, sizeof(gif) - 1));
  const char bmp[] =
      "\3BM>\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\2\0\0\0\1\0\0\0\1\0\x18\0\0\0\0\0\x08\0\0\0"
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\4\5\6\0\0";
  seeds->Add("images", std::string_view(bmp, sizeof(bmp) - 1));
}

void AddTexts(Seeds* seeds) {
  for (const char* text : {"0,2:-", "3 4 0,1:-", "- -", "", "2 2 0,2:0,2"}) {
    seeds->Add("tensor_slice", text);
  }
  seeds->Add("tensor_slice", TensorSlice{{{0, 2}, {1, -1}}}.SerializeMessage());
  for (const char* text : {"{\"features\": {\"a\": [1, -2.5e3, null]}}", "\"\\ud83d\\ude00 \\n\""}) {
    seeds->Add("json", text);
  }
  for (const char* pattern : {"a*(b|c)+", "^[a-z]{2,5}$", "(?i)\\bx\\d?", "[^[:alpha:]]|\\.", "(a|a)*b"}) {
    seeds->Add("regex", std::string(pattern) + '\0' + "aabbcc x1 .");
  }
}

}  // namespace
}  // namespace fuzz
}  // namespace tfbuild

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  tfbuild::fuzz::Seeds seeds(argv[1]);
  tfbuild::fuzz::AddGraphs(&seeds);
  tfbuild::fuzz::AddExamples(&seeds);
  tfbuild::fuzz::AddFiles(&seeds);
  tfbuild::fuzz::AddImages(&seeds);
  tfbuild::fuzz::AddTexts(&seeds);
  return 0;
}
