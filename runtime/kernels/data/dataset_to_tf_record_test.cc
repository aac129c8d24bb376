#include <unistd.h>

#include <cstdlib>

#include "kernels/data/dataset_test.h"
#include "testing/step_ops.h"

namespace tfbuild {
namespace testing {
namespace {

Status Write(const Tensor& dataset, const std::string& path) {
  StepOps ops;
  return ops.Call("DatasetToTFRecord", {dataset, Text(path), Text("")}, {}).status();
}

TEST(DatasetToTfRecord, WritesWhatARecordDatasetReads) {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = StrCat(folder == nullptr ? "/tmp" : folder, "/records", getpid());
  const ElementSpec text{{DType::kString}, {PartialShape(Shape{})}};
  const Tensor words = DatasetOf(OpTest("TensorSliceDataset")
                                     .Input(Tensor::Strings({3}, {"a", "", "ccc"}))
                                     .Attr("Toutput_types", text.types)
                                     .Attr("output_shapes", text.shapes));
  EXPECT_OK(Write(words, path));
  const Tensor read =
      DatasetOf(OpTest("TFRecordDataset").Input(Text(path)).Input(Text("")).Input(Int(0)));
  EXPECT_EQ(Words(read), "a;;ccc");
  unlink(path.c_str());
  EXPECT_ERROR(Write(RangeOf(2), path), Code::kInvalidArgument, "scalar string");
  EXPECT_ERROR(Write(words, "/no/folder/file"), Code::kNotFound, "/no/folder");
  unlink(path.c_str());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
