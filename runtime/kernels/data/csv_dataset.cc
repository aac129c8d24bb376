// CSVDataset: the rows of CSV files (RFC 4180), each field as a scalar of a type of its own.
#include <cerrno>
#include <cstdlib>
#include <limits>

#include "kernels/data/file_lines.h"

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

// Splits one row after the other into fields.
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
      if (field.size() >= LineReader::kMaxLine) return InvalidArgument("a field is too long");
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
          return InvalidArgument("Quote inside a string has to be escaped by another quote");
        }
      } else if (format_.quotes && c == '"') {
        if (!field.empty() || was_quoted) {
          return InvalidArgument("Unquoted fields cannot have quotes inside");
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
        ASSIGN_OR_RETURN(const bool follows, Char(&c));
        if (follows && c != '\n') back_ = c, has_back_ = true;
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

Result<Tensor> ParseField(const std::string& field, DType dtype, const std::string& name) {
  const char* begin = field.c_str();
  char* end = nullptr;
  errno = 0;
  const auto wrong = [&] {
    return InvalidArgument("Field ", name, " in record is not a valid ", DTypeName(dtype), ": ",
                           field);
  };
  const auto ended = [&] {
    while (*end == ' ') ++end;
    return end != begin && *end == '\0' && errno != ERANGE;
  };
  switch (dtype) {
    case DType::kString: return Tensor::Strings(Shape{}, {field});
    case DType::kInt32: {
      const long long value = std::strtoll(begin, &end, 10);
      const bool fits = value >= std::numeric_limits<int32_t>::min() &&
                        value <= std::numeric_limits<int32_t>::max();
      if (!ended() || !fits) return wrong();
      return Tensor::Scalar<int32_t>(static_cast<int32_t>(value));
    }
    case DType::kInt64: {
      const long long value = std::strtoll(begin, &end, 10);
      if (!ended()) return wrong();
      return Tensor::Scalar<int64_t>(value);
    }
    case DType::kFloat: {
      const float value = std::strtof(begin, &end);
      if (!ended()) return wrong();
      return Tensor::Scalar<float>(value);
    }
    case DType::kDouble: {
      const double value = std::strtod(begin, &end);
      if (!ended()) return wrong();
      return Tensor::Scalar<double>(value);
    }
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
    Result<bool> Next(StepContext*, Element* element) override {
      std::vector<std::string> fields;
      while (true) {
        if (rows_ == nullptr) {
          if (next_ >= dataset().files_.names.size()) return false;
          const std::string& name = dataset().files_.names[next_++];
          ASSIGN_OR_RETURN(std::unique_ptr<InputStream> in,
                           OpenStream(name, dataset().files_.compression));
          rows_ = std::make_unique<RowReader>(std::move(in), dataset().format_);
          if (dataset().format_.header) {
            ASSIGN_OR_RETURN(const bool found, rows_->Read(&fields));
            if (!found) return InvalidArgument("Can't read header of file ", name);
          }
        }
        ASSIGN_OR_RETURN(const bool found, rows_->Read(&fields));
        if (found) break;
        rows_ = nullptr;
      }
      return Convert(fields, element);
    }

   private:
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
      format.defaults.push_back(fallback);
    }
    return std::shared_ptr<Dataset>(
        std::make_shared<CsvDataset>(spec(), std::move(files), std::move(format)));
  }
};

REGISTER_KERNEL(Kernel("CSVDataset").OnCpu(), CsvDatasetOp);
REGISTER_KERNEL(Kernel("ExperimentalCSVDataset").OnCpu(), CsvDatasetOp);

}  // namespace
}  // namespace tfbuild
