#include "io/tensor_slice.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "graph/wire_format.h"

namespace tfbuild {
namespace {

constexpr int64_t kAll = TensorSlice::Extent::kAll;

Result<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  const auto end = text.data() + text.size();
  const auto found = std::from_chars(text.data(), end, value);
  if (found.ec != std::errc() || found.ptr != end || value < 0) {
    return InvalidArgument("'", text, "' is no number of a slice");
  }
  return value;
}

Result<TensorSlice::Extent> ParseExtent(std::string_view text) {
  TensorSlice::Extent extent;
  if (text == "-") return extent;
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos) return InvalidArgument("'", text, "' is no part of an axis");
  ASSIGN_OR_RETURN(extent.start, ParseNumber(text.substr(0, comma)));
  ASSIGN_OR_RETURN(extent.length, ParseNumber(text.substr(comma + 1)));
  return extent;
}

Result<TensorSlice::Extent> ParseExtentMessage(std::string_view message) {
  TensorSlice::Extent extent;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) extent.start = field.as_int();
    if (field.number == 2) extent.length = field.as_int();
  }
  if (extent.start < 0 || extent.length < kAll) return DataLoss("a slice with negative numbers");
  return extent;
}

// ---- numbers and texts whose bytes sort as they do ----------------------------------------------

void AppendOrderedNumber(std::string* out, uint64_t value) {
  std::string bytes;
  for (; value != 0; value >>= 8) bytes.push_back(static_cast<char>(value));
  out->push_back(static_cast<char>(bytes.size()));
  out->append(bytes.rbegin(), bytes.rend());
}

void AppendOrderedText(std::string* out, std::string_view text) {
  for (const char c : text) {
    out->push_back(c);
    if (c == '\0') out->push_back('\xff');
    if (c == '\xff') out->push_back('\0');
  }
  out->push_back('\0');
  out->push_back('\x01');
}

// Two's complement in as few bytes as hold it beside the header: as many ones as there are bytes,
// inverted for negative numbers.
void AppendOrderedSigned(std::string* out, int64_t value) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  int bits = 0;
  while (bits < 63 && magnitude >> bits != 0) ++bits;
  const int length = bits / 7 + 1;
  const char fill = value < 0 ? '\xff' : '\0';
  std::string bytes(10, fill);
  for (size_t i = 0; i < 8; ++i) bytes[9 - i] = static_cast<char>(value >> (8 * i));
  char* begin = bytes.data() + 10 - length;
  for (int i = 0; i < length; ++i) begin[i / 8] = static_cast<char>(begin[i / 8] ^ (0x80 >> i % 8));
  out->append(begin, static_cast<size_t>(length));
}

}  // namespace

Result<TensorSlice> TensorSlice::Parse(std::string_view text) {
  TensorSlice slice;
  if (text.empty()) return slice;
  for (const std::string& part : StrSplit(text, ':')) {
    if (slice.extents.size() >= kMaxRank) return InvalidArgument("a slice with too many axes");
    ASSIGN_OR_RETURN(const Extent extent, ParseExtent(part));
    slice.extents.push_back(extent);
  }
  return slice;
}

Result<TensorSlice> TensorSlice::ParseMessage(std::string_view message) {
  TensorSlice slice;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number != 1) continue;
    if (slice.extents.size() >= kMaxRank) return DataLoss("a slice with too many axes");
    ASSIGN_OR_RETURN(const Extent extent, ParseExtentMessage(field.bytes));
    slice.extents.push_back(extent);
  }
  return slice;
}

std::string TensorSlice::SerializeMessage() const {
  WireWriter message;
  for (const Extent& extent : extents) {
    WireWriter part;
    if (extent.length != kAll) {
      if (extent.start != 0) part.Int(1, extent.start);
      part.Int(2, extent.length);
    }
    message.Bytes(1, part.Take());
  }
  return message.Take();
}

Result<Shape> TensorSlice::ShapeIn(const Shape& shape) const {
  std::vector<int64_t> sizes;
  bool inside = static_cast<int>(extents.size()) == shape.rank();
  for (int i = 0; inside && i < shape.rank(); ++i) {
    const Extent& extent = extents[static_cast<size_t>(i)];
    inside = extent.length == kAll ||
             (extent.start <= shape.dim(i) && extent.length <= shape.dim(i) - extent.start);
    sizes.push_back(extent.length == kAll ? shape.dim(i) : extent.length);
  }
  if (!inside) return InvalidArgument("the slice ", ToString(), " does not lie in ", shape);
  return Shape::Make(std::move(sizes));
}

TensorSlice TensorSlice::In(const Shape& shape) const {
  TensorSlice exact = *this;
  for (size_t i = 0; i < exact.extents.size(); ++i) {
    if (exact.extents[i].length == kAll) exact.extents[i] = {0, shape.dim(static_cast<int>(i))};
  }
  return exact;
}

bool TensorSlice::IsWhole() const {
  return std::all_of(extents.begin(), extents.end(),
                     [](const Extent& extent) { return extent.length == kAll; });
}

std::string TensorSlice::ToString() const {
  std::vector<std::string> parts;
  for (const Extent& extent : extents) {
    parts.push_back(extent.length == kAll ? "-" : StrCat(extent.start, ",", extent.length));
  }
  return StrJoin(parts, ":");
}

Result<SliceSpec> SliceSpec::Parse(std::string_view text) {
  SliceSpec spec;
  if (text.empty()) return spec;
  std::vector<std::string> words = StrSplit(text, ' ');
  std::vector<int64_t> sizes;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t size, ParseNumber(words[i]));
    sizes.push_back(size);
  }
  spec.is_whole = false;
  ASSIGN_OR_RETURN(spec.full_shape, Shape::Make(std::move(sizes)));
  ASSIGN_OR_RETURN(spec.slice, TensorSlice::Parse(words.back()));
  const auto inside = spec.slice.ShapeIn(spec.full_shape);
  if (!inside.ok()) return inside.status();
  return spec;
}

std::string SliceKey(std::string_view name, const TensorSlice& slice) {
  std::string key;
  AppendOrderedNumber(&key, 0);  // no name of a tensor begins so
  AppendOrderedText(&key, name);
  AppendOrderedNumber(&key, slice.extents.size());
  for (const TensorSlice::Extent& extent : slice.extents) {
    AppendOrderedSigned(&key, extent.start);
    AppendOrderedSigned(&key, extent.length);
  }
  return key;
}

namespace {

// What two parts have in common; a length of zero where that is nothing.
std::vector<TensorSlice::Extent> Overlap(const TensorSlice& a, const TensorSlice& b) {
  std::vector<TensorSlice::Extent> common;
  for (size_t i = 0; i < a.extents.size(); ++i) {
    const TensorSlice::Extent &x = a.extents[i], &y = b.extents[i];
    const int64_t start = std::max(x.start, y.start);
    const int64_t end = std::min(x.start + x.length, y.start + y.length);
    common.push_back({start, std::max<int64_t>(end - start, 0)});
  }
  return common;
}

// Where the element at `place` of the whole tensor lies in the tensor of a part.
int64_t OffsetIn(const TensorSlice& part, const std::vector<int64_t>& place) {
  int64_t offset = 0;
  for (size_t i = 0; i < place.size(); ++i) {
    offset = offset * part.extents[i].length + place[i] - part.extents[i].start;
  }
  return offset;
}

void CopyElements(const Tensor& from, int64_t source, int64_t count, int64_t target, Tensor* to) {
  if (from.dtype() == DType::kString) {
    std::copy_n(from.data<std::string>() + source, count, to->mutable_data<std::string>() + target);
    return;
  }
  const int64_t size = DTypeSize(from.dtype());
  std::memcpy(static_cast<char*>(to->raw()) + target * size,
              static_cast<const char*>(from.raw()) + source * size, static_cast<size_t>(count * size));
}

}  // namespace

int64_t OverlapSize(const TensorSlice& a, const TensorSlice& b) {
  int64_t size = 1;
  for (const TensorSlice::Extent& extent : Overlap(a, b)) size *= extent.length;
  return size;
}

void CopyOverlap(const TensorSlice& from_slice, const Tensor& from, const TensorSlice& to_slice,
                 Tensor* to) {
  const std::vector<TensorSlice::Extent> common = Overlap(from_slice, to_slice);
  const int64_t size = OverlapSize(from_slice, to_slice);
  if (size == 0) return;
  const int64_t width = common.empty() ? 1 : common.back().length;  // side by side in both
  std::vector<int64_t> place;
  for (const TensorSlice::Extent& extent : common) place.push_back(extent.start);
  for (int64_t row = 0; row < size / width; ++row) {
    CopyElements(from, OffsetIn(from_slice, place), width, OffsetIn(to_slice, place), to);
    for (size_t i = common.size() - (common.empty() ? 0 : 1); i-- > 0;) {
      if (++place[i] < common[i].start + common[i].length) break;
      place[i] = common[i].start;
    }
  }
}

}  // namespace tfbuild
