#include <unistd.h>

#include <cstdlib>

#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Write(const Tensor& dataset, const std::string& path) {
  return OpTest("DatasetToTFRecord").Input(dataset).Input(Text(path)).Input(Text(""));
}

TEST(DatasetToTfRecord, WritesWhatARecordDatasetReads) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = StrCat(folder == nullptr ? "/tmp" : folder, "/records", getpid());
  const ElementSpec text{{DType::kString}, {PartialShape(Shape{})}};
  const Tensor words = DatasetOf(OpTest("TensorSliceDataset")
                                     .Input(Tensor::Strings({3}, {"a", "", "ccc"}))
                                     .Attr("Toutput_types", text.types)
                                     .Attr("output_shapes", text.shapes));
  EXPECT_OK(Write(words, path).RunOnCpu());
  const Tensor read =
      DatasetOf(OpTest("TFRecordDataset").Input(Text(path)).Input(Text("")).Input(Int(0)));
  EXPECT_EQ(Words(read), "a;;ccc");
  unlink(path.c_str());
  Write(RangeOf(2), path).RunExpectingError(Code::kInvalidArgument, "scalar string");
  Write(words, "/no/folder/file").RunExpectingError(Code::kNotFound, "/no/folder");
  unlink(path.c_str());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
