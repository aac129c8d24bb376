// CSVDataset: the rows of CSV files (RFC 4180), each field as a scalar of a type of its own.
#include "io/line_reader.h"
#include "kernels/data/file_lines.h"
#include "kernels/framework/text_number.h"

namespace tfbuild {
namespace {

REGISTER_OP("CSVDataset")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Input("header: bool")
    .Input("field_delim: string")
    .Input("use_quote_delim: bool")
    .Input("na_value: string")
    .Input("select_cols: int64")
    .Input("record_defaults: output_types")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("ExperimentalCSVDataset")
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Input("header: bool")
    .Input("field_delim: string")
    .Input("use_quote_delim: bool")
    .Input("na_value: string")
    .Input("select_cols: int64")
    .Input("record_defaults: output_types")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .ShapeFunction(ScalarShape);

struct CsvFormat {
  bool header = false;
  char delimiter = ',';
  bool quotes = true;
  std::string missing;
  std::vector<int64_t> columns;  // rising; empty for all
  Element defaults;              // an empty one: the field must be there
};

// Splits one row after the other into fields. A malformed row is InvalidArgument, and read to the end
// of its line.
class RowReader {
 public:
  RowReader(std::unique_ptr<InputStream> in, const CsvFormat& format)
      : reader_(std::move(in)), format_(format) {}
  Result<bool> Read(std::vector<std::string>* fields) {
    fields->clear();
    std::string field;
    bool any = false, quoted = false, was_quoted = false;
    char c = 0;
    while (true) {
      ASSIGN_OR_RETURN(const bool more, Char(&c));
      if (!more) break;
      any = true;
      if (field.size() >= LineReader::kMaxLine) return Malformed(c, "a field is too long");
      if (quoted) {
        if (c != '"') {
          field += c;
          continue;
        }
        ASSIGN_OR_RETURN(const bool follows, Char(&c));
        if (follows && c == '"') {
          field += '"';
          continue;
        }
        quoted = false;
        if (!follows) break;
        if (c != format_.delimiter && c != '\n' && c != '\r') {
          return Malformed(c, "Quote inside a string has to be escaped by another quote");
        }
      } else if (format_.quotes && c == '"') {
        if (!field.empty() || was_quoted) {
          return Malformed(c, "Unquoted fields cannot have quotes inside");
        }
        quoted = was_quoted = true;
        continue;
      }
      if (c == format_.delimiter) {
        fields->push_back(std::move(field));
        field.clear();
        was_quoted = false;
      } else if (c == '\n') {
        break;
      } else if (c == '\r') {
        RETURN_IF_ERROR(SkipLineFeed());
        break;
      } else {
        field += c;
      }
    }
    if (quoted) return InvalidArgument("Reached end of file without closing quoted field in record");
    if (any) fields->push_back(std::move(field));
    return any;
  }

 private:
  // What is wrong with a row of which `last` was read.
  Status Malformed(char last, const char* what) {
    for (bool more = true; more && last != '\n' && last != '\r';) {
      ASSIGN_OR_RETURN(more, Char(&last));
    }
    if (last == '\r') RETURN_IF_ERROR(SkipLineFeed());
    return InvalidArgument(what);
  }
  Status SkipLineFeed() {
    char c = 0;
    ASSIGN_OR_RETURN(const bool follows, Char(&c));
    if (follows && c != '\n') back_ = c, has_back_ = true;
    return OkStatus();
  }
  Result<bool> Char(char* c) {
    if (has_back_) {
      has_back_ = false;
      *c = back_;
      return true;
    }
    return reader_.ReadChar(c);
  }
  LineReader reader_;
  const CsvFormat& format_;
  char back_ = 0;
  bool has_back_ = false;
};

template <typename T>
Result<Tensor> NumberField(const std::string& field, const std::string& name) {
  T value{};
  if (NumberOfText(field, &value)) return Tensor::Scalar<T>(value);
  return InvalidArgument("Field ", name, " in record is not a valid ", DTypeName(DTypeOf<T>::value),
                         ": ", field);
}

Result<Tensor> ParseField(const std::string& field, DType dtype, const std::string& name) {
  switch (dtype) {
    case DType::kString: return Tensor::Strings(Shape{}, {field});
    case DType::kInt32: return NumberField<int32_t>(field, name);
    case DType::kInt64: return NumberField<int64_t>(field, name);
    case DType::kFloat: return NumberField<float>(field, name);
    case DType::kDouble: return NumberField<double>(field, name);
    default: return InvalidArgument("csv: data type ", DTypeName(dtype), " not supported");
  }
}

class CsvDataset final : public DatasetOf<CsvDataset> {
 public:
  CsvDataset(ElementSpec spec, FileList files, CsvFormat format)
      : DatasetOf(std::move(spec)), files_(std::move(files)), format_(std::move(format)) {}

  class Iterator final : public IteratorOver<CsvDataset> {
   public:
    using IteratorOver::IteratorOver;
    Result<bool> Advance(StepContext*, Element* element) override {
      std::vector<std::string> fields;
      while (true) {
        if (rows_ == nullptr) {
          if (next_ >= dataset().files_.names.size()) return false;
          const std::string& name = dataset().files_.names[next_++];
          ASSIGN_OR_RETURN(std::unique_ptr<InputStream> in,
                           OpenStream(name, dataset().files_.compression));
          rows_ = std::make_unique<RowReader>(std::move(in), dataset().format_);
          if (dataset().format_.header) {
            ASSIGN_OR_RETURN(const bool found, Row(&fields));
            if (!found) return InvalidArgument("Can't read header of file ", name);
          }
        }
        ASSIGN_OR_RETURN(const bool found, Row(&fields));
        if (found) break;
        rows_ = nullptr;
      }
      return Convert(fields, element);
    }

   private:
    // A file that cannot be read is given up; of a malformed row the next one follows.
    Result<bool> Row(std::vector<std::string>* fields) {
      Result<bool> found = rows_->Read(fields);
      if (!found.ok() && found.status().code() != Code::kInvalidArgument) rows_ = nullptr;
      return found;
    }
    Result<bool> Convert(const std::vector<std::string>& fields, Element* element) const {
      const CsvFormat& format = dataset().format_;
      const ElementSpec& spec = dataset().spec();
      const bool selects = !format.columns.empty();
      if (!selects && fields.size() != spec.types.size()) {
        return InvalidArgument("Expect ", spec.types.size(), " fields but have ", fields.size(),
                               " in record");
      }
      element->clear();
      for (size_t i = 0; i < spec.types.size(); ++i) {
        const size_t column = selects ? static_cast<size_t>(format.columns[i]) : i;
        if (column >= fields.size()) {
          return InvalidArgument("Expect ", column + 1, " fields but have ", fields.size(),
                                 " in record");
        }
        const std::string& field = fields[column];
        if (!field.empty() && field != format.missing) {
          ASSIGN_OR_RETURN(Tensor value, ParseField(field, spec.types[i], StrCat(column)));
          element->push_back(std::move(value));
          continue;
        }
        const Tensor& fallback = format.defaults[i];
        if (fallback.num_elements() == 0) {
          return InvalidArgument("Field ", column, " is required but missing in record!");
        }
        ASSIGN_OR_RETURN(Tensor scalar, fallback.Reshaped(Shape{}));
        element->push_back(std::move(scalar));
      }
      return true;
    }
    std::unique_ptr<RowReader> rows_;
    size_t next_ = 0;
  };

 private:
  FileList files_;
  CsvFormat format_;
};

class CsvDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(FileList files, FilesOf(*context, 1));
    CsvFormat format;
    ASSIGN_OR_RETURN(format.header, ScalarAt<bool>(*context, 3, "header"));
    ASSIGN_OR_RETURN(const std::string delimiter,
                     ScalarAt<std::string>(*context, 4, "field_delim"));
    if (delimiter.size() != 1) return InvalidArgument("field_delim should be only 1 char");
    format.delimiter = delimiter[0];
    ASSIGN_OR_RETURN(format.quotes, ScalarAt<bool>(*context, 5, "use_quote_delim"));
    ASSIGN_OR_RETURN(format.missing, ScalarAt<std::string>(*context, 6, "na_value"));
    ASSIGN_OR_RETURN(format.columns, context->input(7).IntValues());
    const size_t count = spec().types.size();
    if (!format.columns.empty() && format.columns.size() != count) {
      return InvalidArgument("select_cols should match output size");
    }
    for (size_t i = 0; i < format.columns.size(); ++i) {
      if (format.columns[i] < 0 || (i > 0 && format.columns[i] <= format.columns[i - 1])) {
        return InvalidArgument("select_cols should be strictly increasing indices");
      }
    }
    for (size_t i = 0; i < count; ++i) {
      const Tensor& fallback = context->input(8 + static_cast<int>(i));
      if (fallback.rank() > 1 || fallback.num_elements() > 1) {
        return InvalidArgument("Each record default should be at most rank 1 and of at most one "
                               "element");
      }
    }
    ASSIGN_OR_RETURN(format.defaults, context->KeptInputs(8, static_cast<int>(count)));
    return std::shared_ptr<Dataset>(
        std::make_shared<CsvDataset>(spec(), std::move(files), std::move(format)));
  }
};

REGISTER_KERNEL(Kernel("CSVDataset").OnCpu(), CsvDatasetOp);
REGISTER_KERNEL(Kernel("ExperimentalCSVDataset").OnCpu(), CsvDatasetOp);

}  // namespace
}  // namespace tfbuild
