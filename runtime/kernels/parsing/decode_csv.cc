// DecodeCSV: records of CSV (RFC 4180), each field in the place of its record in one output.
#include <cstring>
#include <utility>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/text_number.h"

namespace tfbuild {
namespace {

REGISTER_OP("DecodeCSV")
    .Input("records: string")
    .Input("record_defaults: OUT_TYPE")
    .Output("output: OUT_TYPE")
    .Attr("OUT_TYPE: list(type) >= 1")
    .Attr("field_delim: string = ','")
    .Attr("use_quote_delim: bool = true")
    .Attr("na_value: string = ''")
    .Attr("select_cols: list(int) = []")
    .ShapeFunction([](ShapeContext* context) {
      for (int i = 1; i < context->num_inputs(); ++i) {
        const PartialShape& fallback = context->input(i);
        if (!fallback.known_rank()) continue;
        if (fallback.rank() > 1 || (fallback.rank() == 1 && fallback.dim(0) > 1)) {
          return InvalidArgument("Shape of a default must be a length-0 or length-1 vector, or a "
                                 "scalar.");
        }
      }
      for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, context->input(0));
      return OkStatus();
    });

constexpr char kUnquoted[] = "Unquoted fields cannot have quotes/CRLFs inside";
constexpr char kUnescaped[] = "Quote inside a string has to be escaped by another quote";
constexpr char kUnended[] = "Quoted field has to end with quote followed by delim or end";

struct CsvColumns {
  char delimiter = ',';
  bool quotes = true;
  std::vector<int64_t> chosen;  // rising; empty for all
};

// Splits one record into fields.
class RecordSplitter {
 public:
  RecordSplitter(const std::string& record, const CsvColumns& columns)
      : record_(record), columns_(columns) {}

  // The fields that are chosen, up to the last of them.
  Status Split(std::vector<std::string>* fields) {
    StopLook look;
    for (int64_t column = 0; SkipLineEnds(); ++column) {
      look.Turn();
      const bool wanted = IsChosen(column, fields->size());
      std::string field;
      RETURN_IF_ERROR(Take(&field));
      if (!wanted) continue;
      fields->push_back(std::move(field));
      if (fields->size() == columns_.chosen.size()) return OkStatus();
    }
    // Behind a delimiter at the end one more is empty.
    const bool open = !record_.empty() && record_.back() == columns_.delimiter;
    if (open && IsChosen(passed_, fields->size())) fields->emplace_back();
    return OkStatus();
  }

 private:
  bool IsChosen(int64_t column, size_t found) const {
    return columns_.chosen.empty() || columns_.chosen[found] == column;
  }
  bool SkipLineEnds() {
    while (at_ < record_.size() && (record_[at_] == '\n' || record_[at_] == '\r')) ++at_;
    return at_ < record_.size();
  }
  // One field, and the delimiter behind it.
  Status Take(std::string* field) {
    ++passed_;
    if (columns_.quotes && record_[at_] == '"') return TakeQuoted(field);
    const size_t begin = at_;
    for (; at_ < record_.size() && record_[at_] != columns_.delimiter; ++at_) {
      const char c = record_[at_];
      if ((columns_.quotes && c == '"') || c == '\n' || c == '\r') {
        return InvalidArgument(kUnquoted);
      }
    }
    field->assign(record_, begin, at_ - begin);
    ++at_;
    return OkStatus();
  }
  Status TakeQuoted(std::string* field) {
    ++at_;
    while (at_ + 1 < record_.size() &&
           !(record_[at_] == '"' && record_[at_ + 1] == columns_.delimiter)) {
      if (record_[at_] == '"') {
        if (record_[at_ + 1] != '"') return InvalidArgument(kUnescaped);
        ++at_;
      }
      *field += record_[at_++];
    }
    if (at_ >= record_.size() || record_[at_] != '"') return InvalidArgument(kUnended);
    at_ += 2;
    return OkStatus();
  }

  const std::string& record_;
  const CsvColumns& columns_;
  size_t at_ = 0;
  int64_t passed_ = 0;  // fields
};

bool IsFieldType(DType type) {
  return type == DType::kString || type == DType::kInt32 || type == DType::kInt64 ||
         type == DType::kFloat || type == DType::kDouble;
}

template <typename T>
bool PutNumber(const std::string& field, Tensor* output, int64_t at) {
  return NumberOfText(field, output->mutable_data<T>() + at);
}

// Whether the field is of the output's type.
bool PutField(const std::string& field, Tensor* output, int64_t at) {
  switch (output->dtype()) {
    case DType::kInt32: return PutNumber<int32_t>(field, output, at);
    case DType::kInt64: return PutNumber<int64_t>(field, output, at);
    case DType::kFloat: return PutNumber<float>(field, output, at);
    case DType::kDouble: return PutNumber<double>(field, output, at);
    default: output->mutable_data<std::string>()[at] = field; return true;
  }
}

void PutDefault(const Tensor& fallback, Tensor* output, int64_t at) {
  if (output->dtype() == DType::kString) {
    output->mutable_data<std::string>()[at] = *fallback.data<std::string>();
    return;
  }
  const size_t size = static_cast<size_t>(DTypeSize(output->dtype()));
  std::memcpy(static_cast<char*>(output->raw()) + static_cast<size_t>(at) * size, fallback.raw(),
              size);
}

class DecodeCsvOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const auto types, construction.Attr<std::vector<DType>>("OUT_TYPE"));
    ASSIGN_OR_RETURN(const auto delimiter, construction.Attr<std::string>("field_delim"));
    ASSIGN_OR_RETURN(columns_.quotes, construction.Attr<bool>("use_quote_delim"));
    ASSIGN_OR_RETURN(missing_, construction.Attr<std::string>("na_value"));
    ASSIGN_OR_RETURN(columns_.chosen, construction.Attr<std::vector<int64_t>>("select_cols"));
    for (const DType type : types) {
      if (IsFieldType(type)) continue;
      return InvalidArgument("csv: data type ", DTypeName(type), " not supported");
    }
    if (delimiter.size() != 1) return InvalidArgument("field_delim should be only 1 char");
    columns_.delimiter = delimiter[0];
    const std::vector<int64_t>& chosen = columns_.chosen;
    if (!chosen.empty() && chosen.size() != types.size()) {
      return InvalidArgument("select_cols should match output size");
    }
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] < 0) return InvalidArgument("select_cols should be non-negative indices");
      if (i > 0 && chosen[i] <= chosen[i - 1]) {
        return InvalidArgument("select_cols should be strictly increasing indices");
      }
    }
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    std::vector<Tensor*> outputs;
    const Tensor& records = context->input(0);
    for (int i = 0; i < context->num_outputs(); ++i) {
      const Tensor& fallback = context->input(i + 1);
      if (fallback.rank() > 1) {
        return InvalidArgument("Each record default should be at most rank 1");
      }
      if (fallback.num_elements() > 1) {
        return InvalidArgument("There should only be 1 default per field but field ", i, " has ",
                               fallback.num_elements());
      }
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(i, records.shape()));
      outputs.push_back(output);
    }
    StopLook look;
    for (int64_t i = 0; i < records.num_elements(); ++i) {
      look.Turn();
      RETURN_IF_ERROR(Decode(*context, records.data<std::string>()[i], i, outputs));
    }
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  Status Decode(const OpKernelContext& context, const std::string& record, int64_t at,
                const std::vector<Tensor*>& outputs) const {
    std::vector<std::string> fields;
    RETURN_IF_ERROR(RecordSplitter(record, columns_).Split(&fields));
    if (fields.size() != outputs.size()) {
      return InvalidArgument("Expect ", outputs.size(), " fields but have ", fields.size(),
                             " in record ", at);
    }
    for (size_t f = 0; f < fields.size(); ++f) {
      const std::string& field = fields[f];
      if (field.empty() || field == missing_) {
        const Tensor& fallback = context.input(static_cast<int>(f) + 1);
        if (fallback.num_elements() == 0) {
          return InvalidArgument("Field ", f, " is required but missing in record ", at, "!");
        }
        PutDefault(fallback, outputs[f], at);
      } else if (!PutField(field, outputs[f], at)) {
        return InvalidArgument("Field ", f, " in record ", at, " is not a valid ",
                               DTypeName(outputs[f]->dtype()), ": ", field);
      }
    }
    return OkStatus();
  }

  CsvColumns columns_;
  std::string missing_;
};

REGISTER_KERNEL(Kernel("DecodeCSV").OnCpu(), DecodeCsvOp);

}  // namespace
}  // namespace tfbuild
