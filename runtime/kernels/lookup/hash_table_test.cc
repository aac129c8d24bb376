#include <cstdio>

#include "testing/step_ops.h"

namespace tfbuild {
namespace testing {
namespace {

// One table, used through its kernels.
class TableUser {
 public:
  explicit TableUser(const std::string& op = "HashTableV2", DType key = DType::kString,
                     DType value = DType::kInt64, AttrMap more = {}) {
    more["key_dtype"] = key;
    more["value_dtype"] = value;
    const auto handle = ops_.First(op, {}, more);
    EXPECT_OK(handle);
    if (handle.ok()) handle_ = *handle;
  }
  Status Do(const std::string& op, std::vector<Tensor> values, AttrMap attrs = {}) {
    values.insert(values.begin(), handle_);
    return ops_.Call(op, values, std::move(attrs)).status();
  }
  Result<Tensor> Ask(const std::string& op, std::vector<Tensor> values, AttrMap attrs = {}) {
    values.insert(values.begin(), handle_);
    return ops_.First(op, values, std::move(attrs));
  }
  Result<std::vector<Tensor>> Export(DType key, DType value) {
    return ops_.Call("LookupTableExportV2", {handle_}, {{"Tkeys", key}, {"Tvalues", value}});
  }

 private:
  StepOps ops_;
  Tensor handle_;
};

Tensor Words(std::vector<std::string> words) {
  const Shape shape{static_cast<int64_t>(words.size())};
  return Tensor::Strings(shape, std::move(words));
}
Tensor Numbers(const std::vector<double>& numbers) {
  return MakeTensor<int64_t>({static_cast<int64_t>(numbers.size())}, numbers);
}
const Tensor kNone = Tensor::Scalar<int64_t>(-1);

TEST(HashTable, FindsValuesAndElseTheDefault) {
  TableUser table;
  EXPECT_ERROR(table.Ask("LookupTableFindV2", {Words({"a"}), kNone}), Code::kFailedPrecondition,
               "not initialized");
  ASSERT_OK(table.Do("InitializeTableV2", {Words({"a", "b"}), Numbers({3, 5})}));
  ExpectClose(*table.Ask("LookupTableFindV2", {Words({"b", "c", "a"}), kNone}),
              Numbers({5, -1, 3}), Ulps(0));
  ExpectClose(*table.Ask("LookupTableSizeV2", {}), Tensor::Scalar<int64_t>(2), Ulps(0));
}

TEST(HashTable, IsFilledOnce) {
  TableUser table;
  ASSERT_OK(table.Do("InitializeTableV2", {Words({"a"}), Numbers({3})}));
  EXPECT_OK(table.Do("InitializeTableV2", {Words({"a"}), Numbers({3})}));
  EXPECT_ERROR(table.Do("InitializeTableV2", {Words({"a", "b"}), Numbers({3, 4})}),
               Code::kFailedPrecondition, "different data");
  EXPECT_ERROR(table.Do("LookupTableInsertV2", {Words({"b"}), Numbers({4})}),
               Code::kUnimplemented, "initializer");
}

TEST(HashTable, RejectsWrongPairs) {
  TableUser table;
  EXPECT_ERROR(table.Do("InitializeTableV2", {Words({"a", "a"}), Numbers({3, 4})}),
               Code::kInvalidArgument, "different value for same key");
  EXPECT_ERROR(table.Do("InitializeTableV2", {Words({"a"}), Numbers({3, 4})}),
               Code::kInvalidArgument, "Expected shape");
  EXPECT_ERROR(table.Do("InitializeTableV2", {Numbers({3}), Numbers({3})}),
               Code::kInvalidArgument, "Conflicting");
  EXPECT_ERROR(table.Ask("LookupTableFindV2", {Words({"b"}), Tensor::Scalar<float>(1)}),
               Code::kInvalidArgument, "Conflicting");
}

TEST(MutableHashTable, InsertsRemovesAndExports) {
  TableUser table("MutableHashTableV2", DType::kInt64, DType::kString);
  ASSERT_OK(table.Do("LookupTableInsertV2", {Numbers({1, 2, 1}), Words({"a", "b", "c"})}));
  ASSERT_OK(table.Do("LookupTableRemoveV2", {Numbers({2, 7})}));
  const auto all = table.Export(DType::kInt64, DType::kString);
  ASSERT_OK(all);
  ExpectClose((*all)[0], Numbers({1}), Ulps(0));
  EXPECT_EQ((*all)[1].data<std::string>()[0], "c");
  ASSERT_OK(table.Do("LookupTableImportV2", {Numbers({8}), Words({"z"})}));
  ExpectClose(*table.Ask("LookupTableSizeV2", {}), Tensor::Scalar<int64_t>(1), Ulps(0));
  EXPECT_ERROR(table.Export(DType::kInt32, DType::kString), Code::kInvalidArgument, "Conflicting");
}

TEST(MutableHashTable, OfVectors) {
  TableUser table("MutableHashTableOfTensorsV2", DType::kInt64, DType::kFloat,
                  {{"value_shape", PartialShape({2})}});
  ASSERT_OK(table.Do("LookupTableInsertV2",
                     {Numbers({4}), MakeTensor<float>({1, 2}, {1, 2})}));
  ExpectClose(*table.Ask("LookupTableFindV2",
                         {Numbers({4, 5}), MakeTensor<float>({2}, {8, 9})}),
              MakeTensor<float>({2, 2}, {1, 2, 8, 9}), Ulps(0));
  EXPECT_ERROR(table.Ask("LookupTableFindV2", {Numbers({4}), Tensor::Scalar<float>(1)}),
               Code::kInvalidArgument, "default value");
}

TEST(HashTable, ReadsATextFile) {
  const std::string path = StrCat(::getenv("TEST_TMPDIR") ? ::getenv("TEST_TMPDIR") : "/tmp",
                                  "/hash_table_test.txt");
  FILE* file = std::fopen(path.c_str(), "w");
  std::fputs("apple\t3\r\npear\t4\nplum\tx\n", file);
  std::fclose(file);
  const auto attrs = [](int64_t key, int64_t value, int64_t size) {
    return AttrMap{{"key_index", key}, {"value_index", value}, {"vocab_size", size}};
  };
  const Tensor name = Tensor::Strings({}, {path});
  TableUser lines, columns, wrong;
  ASSERT_OK(lines.Do("InitializeTableFromTextFileV2", {name}, attrs(0, -1, -1)));
  ExpectClose(*lines.Ask("LookupTableFindV2", {Words({"plum", "fig"}), kNone}), Numbers({2, -1}),
              Ulps(0));
  ASSERT_OK(columns.Do("InitializeTableFromTextFileV2", {name}, attrs(0, 1, 2)));
  ExpectClose(*columns.Ask("LookupTableFindV2", {Words({"apple", "plum"}), kNone}),
              Numbers({3, -1}), Ulps(0));
  const std::string op = "InitializeTableFromTextFileV2";
  EXPECT_ERROR(wrong.Do(op, {name}, attrs(0, 1, -1)), Code::kInvalidArgument, "not a valid int64");
  EXPECT_ERROR(wrong.Do(op, {name}, attrs(0, 2, 2)), Code::kInvalidArgument, "number of columns");
  EXPECT_ERROR(wrong.Do(op, {name}, attrs(0, -1, 9)), Code::kInvalidArgument, "expected 9 but got 3");
  EXPECT_ERROR(wrong.Do(op, {Tensor::Strings({}, {path + ".no"})}, attrs(0, -1, -1)),
               Code::kNotFound, "");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
