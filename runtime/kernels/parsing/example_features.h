#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace tfbuild {

// The list of values of one feature as it lies in a message, not yet read.
struct FeatureSlice {
  DType dtype = DType::kInvalid;  // kInvalid: there is none
  std::string_view list;          // a BytesList, FloatList or Int64List
};

// A feature that is asked for.
struct FeatureSpec {
  std::string key;
  DType dtype = DType::kInvalid;
  bool is_sparse = false;
  bool is_ragged = false;
  // Of a dense one:
  PartialShape shape;
  Tensor fallback;  // what a missing one has, or what is put behind those of variable length
  bool is_variable = false;
  int64_t stride = 1;  // elements; of one of variable length those of a row
};

// Finds the features asked for in the messages; one row of slices for each message. Safe on any
// bytes, and takes no memory that they do not fill.
class FeatureFinder {
 public:
  explicit FeatureFinder(const std::vector<FeatureSpec>& specs);
  // Of an Example; false where the bytes are none.
  bool FindInExample(std::string_view example, FeatureSlice* slices) const;
  // Of the Features of one; of features that come twice the last counts.
  bool FindInFeatures(std::string_view features, FeatureSlice* slices) const;
  // Of a SequenceExample the FeatureList messages, without data where there is none.
  bool FindLists(std::string_view example, std::string_view* lists) const;

 private:
  template <typename Found>
  bool ForEachEntry(std::string_view map, const Found& found) const;
  int Find(std::string_view key) const;
  std::vector<std::pair<std::string_view, int>> sorted_;
};

// Calls `step(feature)` for each Feature of a FeatureList until it returns false; false then, and where
// the bytes are none.
template <typename Step>
bool ForEachStep(std::string_view list, const Step& step);

// The list of a Feature message; false where the bytes are none.
bool ReadFeature(std::string_view feature, FeatureSlice* slice);
// How many values a list has; negative where the bytes are none.
int64_t CountValues(const FeatureSlice& slice);
// Writes the values, as many as CountValues says, from `at` on.
void CopyValues(const FeatureSlice& slice, Tensor* to, int64_t at);

// Reads the next field of a message; the number and, of one of bytes, these. A field of another kind
// has its bits in `bits`.
struct MessageField {
  uint32_t number = 0;
  uint32_t wire_type = 0;
  uint64_t bits = 0;
  std::string_view bytes;
};
// False at the end and where the bytes are no message; `rest` is empty at the end alone.
bool NextField(std::string_view* rest, MessageField* field);

template <typename Step>
bool ForEachStep(std::string_view list, const Step& step) {
  constexpr uint32_t kBytes = 2;
  MessageField field;
  while (NextField(&list, &field)) {
    if (field.number != 1 || field.wire_type != kBytes) continue;
    FeatureSlice slice;
    if (!ReadFeature(field.bytes, &slice) || !step(slice)) return false;
  }
  return list.empty();
}

}  // namespace tfbuild
