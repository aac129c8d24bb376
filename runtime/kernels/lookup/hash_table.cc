// Tables: HashTableV2, MutableHashTableV2 and MutableHashTableOfTensorsV2, and the ops that fill and
// ask them.
#include <cerrno>
#include <cstdlib>
#include <limits>

#include "base/c_locale.h"
#include "graph/shape_context.h"
#include "io/whole_file.h"
#include "kernels/framework/resource_inputs.h"
#include "kernels/framework/resource_manager.h"
#include "kernels/lookup/lookup_table.h"

namespace tfbuild {
namespace {

Status FindShape(ShapeContext* context) {
  const PartialShape &keys = context->input(1), &otherwise = context->input(2);
  if (otherwise.known_rank() && otherwise.rank() == 0) context->set_output(0, keys);
  return OkStatus();
}

Status ExportShape(ShapeContext* context) {
  context->set_output(0, PartialShape::UnknownOfRank(1));
  return OkStatus();
}

REGISTER_OP("HashTableV2")
    .Output("table_handle: resource")
    .Attr("container: string = ''").Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false").Attr("key_dtype: type").Attr("value_dtype: type")
    .Stateful().ShapeFunction(ScalarShape);
REGISTER_OP("MutableHashTableV2")
    .Output("table_handle: resource")
    .Attr("container: string = ''").Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false").Attr("key_dtype: type").Attr("value_dtype: type")
    .Stateful().ShapeFunction(ScalarShape);
REGISTER_OP("MutableHashTableOfTensorsV2")
    .Output("table_handle: resource")
    .Attr("container: string = ''").Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false").Attr("key_dtype: type").Attr("value_dtype: type")
    .Attr("value_shape: shape = {}")
    .Stateful().ShapeFunction(ScalarShape);
REGISTER_OP("InitializeTableV2")
    .Input("table_handle: resource").Input("keys: Tkey").Input("values: Tval")
    .Attr("Tkey: type").Attr("Tval: type").Stateful().ShapeFunction(NoOutputs);
REGISTER_OP("InitializeTableFromTextFileV2")
    .Input("table_handle: resource").Input("filename: string")
    .Attr("key_index: int >= -2").Attr("value_index: int >= -2").Attr("vocab_size: int >= -1 = -1")
    .Attr("delimiter: string = '\t'").Attr("offset: int = 0")
    .Stateful().ShapeFunction(NoOutputs);
REGISTER_OP("LookupTableFindV2")
    .Input("table_handle: resource").Input("keys: Tin").Input("default_value: Tout")
    .Output("values: Tout").Attr("Tin: type").Attr("Tout: type")
    .Stateful().ShapeFunction(FindShape);
REGISTER_OP("LookupTableInsertV2")
    .Input("table_handle: resource").Input("keys: Tin").Input("values: Tout")
    .Attr("Tin: type").Attr("Tout: type").Stateful().ShapeFunction(NoOutputs);
REGISTER_OP("LookupTableImportV2")
    .Input("table_handle: resource").Input("keys: Tin").Input("values: Tout")
    .Attr("Tin: type").Attr("Tout: type").Stateful().ShapeFunction(NoOutputs);
REGISTER_OP("LookupTableRemoveV2")
    .Input("table_handle: resource").Input("keys: Tin").Attr("Tin: type")
    .Stateful().ShapeFunction(NoOutputs);
REGISTER_OP("LookupTableSizeV2")
    .Input("table_handle: resource").Output("size: int64").Stateful().ShapeFunction(ScalarShape);
REGISTER_OP("LookupTableExportV2")
    .Input("table_handle: resource").Output("keys: Tkeys").Output("values: Tvalues")
    .Attr("Tkeys: type").Attr("Tvalues: type").Stateful().ShapeFunction(ExportShape);

Result<std::shared_ptr<LookupTable>> TableAt(const OpKernelContext& context) {
  return ResourceAt<LookupTable>(context, 0);
}

bool IsKeyType(DType dtype) {
  return dtype == DType::kString || dtype == DType::kInt32 || dtype == DType::kInt64 ||
         dtype == DType::kFloat || dtype == DType::kDouble;
}
bool IsValueType(DType dtype) { return IsKeyType(dtype) || dtype == DType::kBool; }

class TableOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(key_, construction.Attr<DType>("key_dtype"));
    ASSIGN_OR_RETURN(value_, construction.Attr<DType>("value_dtype"));
    if (!IsKeyType(key_) || !IsValueType(value_)) {
      return Unimplemented("there are no tables from ", DTypeName(key_), " to ", DTypeName(value_));
    }
    const std::string& op = construction.node.op().name;
    mutable_ = op != "HashTableV2";
    if (op == "MutableHashTableOfTensorsV2") {
      ASSIGN_OR_RETURN(const PartialShape shape,
                       construction.Attr<PartialShape>("value_shape"));
      ASSIGN_OR_RETURN(value_shape_, shape.ToShape());
    }
    ASSIGN_OR_RETURN(std::string container, construction.Attr<std::string>("container"));
    if (container.empty()) container = ResourceManager::kDefaultContainer;
    ASSIGN_OR_RETURN(std::string name, construction.Attr<std::string>("shared_name"));
    if (name.empty()) name = construction.node.name();
    handle_ = construction.resources->Handle<LookupTable>(container, name);
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    if (context->step() == nullptr) return FailedPrecondition("only a step has tables");
    ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table,
                     context->step()->resources.FindOrCreate<LookupTable>(handle_));
    RETURN_IF_ERROR(table->Declare(key_, value_, value_shape_, mutable_));
    context->SetOutput(0, HandleTensor(handle_));
    return OkStatus();
  }

 private:
  DType key_ = DType::kInvalid;
  DType value_ = DType::kInvalid;
  Shape value_shape_;
  bool mutable_ = false;
  int64_t handle_ = 0;
};

class InitializeTableOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, TableAt(*context));
    if (context->input(1).rank() != 1) {
      return InvalidArgument("Keys must be a vector, but received shape ",
                             context->input(1).shape());
    }
    return table->Initialize(context->input(1), context->input(2));
  }
};

// LookupTableInsertV2, and LookupTableImportV2, which forgets all others.
template <bool kOnly>
class InsertOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, TableAt(*context));
    return table->Insert(context->input(1), context->input(2), kOnly);
  }
};

class RemoveOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, TableAt(*context));
    return table->Remove(context->input(1));
  }
};

class FindOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, TableAt(*context));
    const Tensor &keys = context->input(1), &otherwise = context->input(2);
    RETURN_IF_ERROR(table->CheckTypes(keys.dtype(), otherwise.dtype()));
    std::vector<int64_t> dims = keys.shape().dims();
    for (const int64_t dim : table->value_shape().dims()) dims.push_back(dim);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    if (otherwise.shape() != table->value_shape() && otherwise.shape() != shape) {
      return InvalidArgument("Expected shape ", table->value_shape(), " or ", shape,
                             " for default value, got ", otherwise.shape());
    }
    ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(0, shape));
    return table->Find(keys, otherwise, values);
  }
};

class SizeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, TableAt(*context));
    ASSIGN_OR_RETURN(const int64_t size, table->Size());
    context->SetOutput(0, Tensor::Scalar<int64_t>(size));
    return OkStatus();
  }
};

class ExportOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, TableAt(*context));
    const Node& node = context->node();
    RETURN_IF_ERROR(table->CheckTypes(node.output(0).dtype, node.output(1).dtype));
    return table->ExportTo(
        [context](int i, const Shape& shape) { return context->AllocateOutput(i, shape); });
  }
};

// What a column of a line is, besides its number.
constexpr int64_t kWholeLine = -2;
constexpr int64_t kLineNumber = -1;

// The columns of a text file as the keys and values of a table.
class TextColumns {
 public:
  TextColumns(std::string path, char delimiter) : path_(std::move(path)), delimiter_(delimiter) {}

  // One element for each of the lines, from `offset` on and no more than `limit` unless negative.
  Status Read(int64_t limit, int64_t offset) {
    ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path_));
    int64_t number = 0;
    for (size_t begin = 0; begin < text.size(); ++number) {
      if (limit >= 0 && static_cast<int64_t>(lines_.size()) == limit) break;
      const size_t end = std::min(text.find('\n', begin), text.size());
      if (number >= offset) lines_.push_back(text.substr(begin, end - begin));
      if (number >= offset && !lines_.back().empty() && lines_.back().back() == '\r') {
        lines_.back().pop_back();
      }
      begin = end + 1;
    }
    if (limit < 0 || static_cast<int64_t>(lines_.size()) == limit) return OkStatus();
    return InvalidArgument("Invalid vocab_size in ", path_, ": expected ", limit, " but got ",
                           lines_.size());
  }

  Result<Tensor> Column(int64_t index, DType dtype) const {
    std::vector<std::string> words;
    for (size_t i = 0; i < lines_.size(); ++i) {
      ASSIGN_OR_RETURN(std::string word, Word(i, index));
      words.push_back(std::move(word));
    }
    switch (dtype) {
      case DType::kString: {
        const Shape shape{static_cast<int64_t>(words.size())};
        return Tensor::Strings(shape, std::move(words));
      }
      case DType::kInt64: return Numbers<int64_t>(words);
      case DType::kInt32: return Numbers<int32_t>(words);
      case DType::kFloat: return Numbers<float>(words);
      case DType::kDouble: return Numbers<double>(words);
      default: return InvalidArgument("a text has no ", DTypeName(dtype));
    }
  }

 private:
  Result<std::string> Word(size_t line, int64_t index) const {
    if (index == kLineNumber) return StrCat(line);
    if (index == kWholeLine) return lines_[line];
    size_t begin = 0;
    for (int64_t i = 0; i < index; ++i) {
      begin = lines_[line].find(delimiter_, begin);
      if (begin == std::string::npos) {
        return InvalidArgument("Invalid number of columns in ", path_, " line ", line, " (",
                               lines_[line].substr(0, 80), "): expected ", index + 1, " got ",
                               i + 1);
      }
      ++begin;
    }
    return lines_[line].substr(begin, lines_[line].find(delimiter_, begin) - begin);
  }
  template <typename T>
  Result<Tensor> Numbers(const std::vector<std::string>& words) const {
    std::vector<T> values;
    for (const std::string& word : words) {
      const char* rest = nullptr;
      errno = 0;
      bool fits = true;
      if constexpr (std::is_integral<T>::value) {
        const int64_t value = ReadInt(word.c_str(), &rest);
        values.push_back(static_cast<T>(value));
        fits = errno == 0 && static_cast<int64_t>(values.back()) == value;
      } else {
        values.push_back(static_cast<T>(ReadDouble(word.c_str(), &rest)));
      }
      if (word.empty() || *rest != '\0' || !fits) {
        return InvalidArgument("Field ", word.substr(0, 40), " in line ", values.size() - 1, " of ",
                               path_, " is not a valid ", DTypeName(DTypeOf<T>::value), ".");
      }
    }
    return Tensor::Vector<T>(values);
  }

  const std::string path_;
  const char delimiter_;
  std::vector<std::string> lines_;
};

class InitializeFromTextOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(key_, construction.Attr<int64_t>("key_index"));
    ASSIGN_OR_RETURN(value_, construction.Attr<int64_t>("value_index"));
    ASSIGN_OR_RETURN(limit_, construction.Attr<int64_t>("vocab_size"));
    ASSIGN_OR_RETURN(offset_, construction.Attr<int64_t>("offset"));
    ASSIGN_OR_RETURN(const std::string delimiter, construction.Attr<std::string>("delimiter"));
    if (delimiter.size() != 1) {
      return InvalidArgument("delimiter should be only 1 char, not '", delimiter, "'");
    }
    delimiter_ = delimiter[0];
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, TableAt(*context));
    const Tensor& path = context->input(1);
    if (path.num_elements() != 1) {
      return InvalidArgument("filename should be a single string, but got ", path.shape());
    }
    TextColumns columns(path.data<std::string>()[0], delimiter_);
    RETURN_IF_ERROR(columns.Read(limit_, offset_));
    ASSIGN_OR_RETURN(const Tensor keys, columns.Column(key_, table->key_dtype()));
    ASSIGN_OR_RETURN(const Tensor values, columns.Column(value_, table->value_dtype()));
    return table->Initialize(keys, values);
  }

 private:
  int64_t key_ = 0;
  int64_t value_ = 0;
  int64_t limit_ = -1;
  int64_t offset_ = 0;
  char delimiter_ = '\t';
};

REGISTER_KERNEL(Kernel("HashTableV2").OnCpu(), TableOp);
REGISTER_KERNEL(Kernel("MutableHashTableV2").OnCpu(), TableOp);
REGISTER_KERNEL(Kernel("MutableHashTableOfTensorsV2").OnCpu(), TableOp);
REGISTER_KERNEL(Kernel("InitializeTableV2").OnCpu(), InitializeTableOp);
REGISTER_KERNEL(Kernel("InitializeTableFromTextFileV2").OnCpu(), InitializeFromTextOp);
REGISTER_KERNEL(Kernel("LookupTableFindV2").OnCpu(), FindOp);
REGISTER_KERNEL(Kernel("LookupTableInsertV2").OnCpu(), InsertOp<false>);
REGISTER_KERNEL(Kernel("LookupTableImportV2").OnCpu(), InsertOp<true>);
REGISTER_KERNEL(Kernel("LookupTableRemoveV2").OnCpu(), RemoveOp);
REGISTER_KERNEL(Kernel("LookupTableSizeV2").OnCpu(), SizeOp);
REGISTER_KERNEL(Kernel("LookupTableExportV2").OnCpu(), ExportOp);

}  // namespace
}  // namespace tfbuild
