#include <unistd.h>

#include "io/file.h"
#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// What CSVDataset makes of a file of that text, with an int64, a string and a float.
std::string Rows(const std::string& text, bool header = false,
                 const std::vector<int64_t>& columns = {}) {
  const std::string path = StrCat("/tmp/tfbuild_csv_test_", getpid());
  const auto file = FileOutput::Open(path, FileOutput::Mode::kTruncate);
  EXPECT_OK(file);
  EXPECT_OK((*file)->Append(text));
  EXPECT_OK((*file)->Close());
  std::string rows;
  for (const char* op : {"CSVDataset", "ExperimentalCSVDataset"}) {
    const ElementSpec spec{{DType::kInt64, DType::kString, DType::kFloat},
                           {PartialShape({}), PartialShape({}), PartialShape({})}};
    rows = Words(DatasetOf(
        DatasetOpTest(op, spec).Input(Text(path)).Input(Text("")).Input(Int(0))
            .Input(Tensor::Scalar<bool>(header)).Input(Text(",")).Input(Tensor::Scalar<bool>(true))
            .Input(Text("NA")).Input(Tensor::Vector(columns)).Input(Tensor::Vector<int64_t>({}))
            .Input(Tensor::Strings({1}, {"?"})).Input(Tensor::Vector<float>({0.5f}))));
  }
  EXPECT_OK(DeleteFile(path));
  return rows;
}

TEST(CsvDataset, FieldsHaveTypes) {
  EXPECT_EQ(Rows("1,a,2.5\r\n-2,\"b,\"\"c\"\"\n\",3\n"), "1,a,2.5;-2,b,\"c\"\n,3");
  EXPECT_EQ(Rows("x,y,z\n7,,NA"), "Field 0 in record is not a valid int64: x");
  EXPECT_EQ(Rows("x,y,z\n7,,NA", true), "7,?,0.5");
  EXPECT_EQ(Rows("a,1,b,c,2\n", false, {1, 2, 4}), "1,b,2");
}

TEST(CsvDataset, WhatIsWrongIsSaid) {
  EXPECT_EQ(Rows(",a,1\n"), "Field 0 is required but missing in record!");
  EXPECT_EQ(Rows("1,a\n"), "Expect 3 fields but have 2 in record");
  EXPECT_EQ(Rows("1,\"a"), "Reached end of file without closing quoted field in record");
  EXPECT_EQ(Rows("1,a\"b,2\n"), "Unquoted fields cannot have quotes inside");
  EXPECT_EQ(Rows("1,\"a\"b,2\n"), "Quote inside a string has to be escaped by another quote");
  EXPECT_EQ(Rows("99999999999999999999,a,2\n"),
            "Field 0 in record is not a valid int64: 99999999999999999999");
  EXPECT_EQ(Rows("1,b,2\n", false, {0, 1, 9}), "Expect 10 fields but have 3 in record");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
