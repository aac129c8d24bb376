#include "kernels/parsing/example_features.h"

#include <algorithm>
#include <cstring>

#include "base/stop_look.h"

namespace tfbuild {
namespace {

constexpr uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

bool TakeNumber(std::string_view* rest, uint64_t* value) {
  uint64_t number = 0;
  const size_t most = std::min<size_t>(rest->size(), 10);
  for (size_t i = 0; i < most; ++i) {
    const uint64_t byte = static_cast<uint8_t>((*rest)[i]);
    number |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest->remove_prefix(i + 1);
      *value = number;
      return true;
    }
  }
  return false;
}

// Little endian, as all machines that we run on.
template <typename T>
T BitsAt(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <typename T>
bool TakeBits(std::string_view* rest, uint64_t* value) {
  if (rest->size() < sizeof(T)) return false;
  *value = BitsAt<T>(rest->data());
  rest->remove_prefix(sizeof(T));
  return true;
}

// Calls `one(bytes of a value or its bits)` or `packed(bytes)` for each field of a list's values.
template <typename One, typename Packed>
bool ForEachRun(std::string_view list, const One& one, const Packed& packed) {
  MessageField field;
  while (NextField(&list, &field)) {
    if (field.number != 1) continue;
    if (field.wire_type == kBytes) {
      if (!packed(field.bytes)) return false;
    } else if (!one(field)) {
      return false;
    }
  }
  return list.empty();
}

}  // namespace

bool NextField(std::string_view* rest, MessageField* field) {
  if (rest->empty()) return false;
  uint64_t tag;
  const std::string_view before = *rest;
  const auto fail = [&] {  // what is left says that it is no end
    *rest = before;
    return false;
  };
  if (!TakeNumber(rest, &tag) || tag >> 3 == 0 || tag >> 32 != 0) return fail();
  field->number = static_cast<uint32_t>(tag >> 3);
  field->wire_type = static_cast<uint32_t>(tag & 7);
  switch (field->wire_type) {
    case kVarint: return TakeNumber(rest, &field->bits) || fail();
    case kFixed64: return TakeBits<uint64_t>(rest, &field->bits) || fail();
    case kFixed32: return TakeBits<uint32_t>(rest, &field->bits) || fail();
    case kBytes: {
      uint64_t size;
      if (!TakeNumber(rest, &size) || size > rest->size()) return fail();
      field->bytes = rest->substr(0, static_cast<size_t>(size));
      rest->remove_prefix(static_cast<size_t>(size));
      return true;
    }
    default: return fail();
  }
}

FeatureFinder::FeatureFinder(const std::vector<FeatureSpec>& specs) {
  for (size_t i = 0; i < specs.size(); ++i) sorted_.emplace_back(specs[i].key, static_cast<int>(i));
  std::sort(sorted_.begin(), sorted_.end());
}

int FeatureFinder::Find(std::string_view key) const {
  const auto found = std::lower_bound(
      sorted_.begin(), sorted_.end(), key,
      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return found == sorted_.end() || found->first != key ? -1 : found->second;
}

bool FeatureFinder::FindInExample(std::string_view example, FeatureSlice* slices) const {
  MessageField field;
  StopLook look;
  while (NextField(&example, &field)) {
    look.Turn();
    if (field.number == 1 && field.wire_type == kBytes && !FindInFeatures(field.bytes, slices)) {
      return false;
    }
  }
  return example.empty();
}

// Calls `found(number of the key, value)` for the entries with keys that are asked for.
template <typename Found>
bool FeatureFinder::ForEachEntry(std::string_view map, const Found& found) const {
  MessageField entry;
  StopLook look;
  while (NextField(&map, &entry)) {
    look.Turn();
    if (entry.number != 1 || entry.wire_type != kBytes) continue;
    std::string_view rest = entry.bytes, key, value;
    MessageField part;
    while (NextField(&rest, &part)) {
      if (part.wire_type != kBytes) continue;
      if (part.number == 1) key = part.bytes;
      if (part.number == 2) value = part.bytes;
    }
    if (!rest.empty()) return false;
    const int index = Find(key);
    if (index >= 0 && !found(index, value)) return false;
  }
  return map.empty();
}

bool FeatureFinder::FindInFeatures(std::string_view features, FeatureSlice* slices) const {
  return ForEachEntry(features, [slices](int index, std::string_view feature) {
    slices[index] = FeatureSlice();
    return ReadFeature(feature, &slices[index]);
  });
}

bool FeatureFinder::FindLists(std::string_view example, std::string_view* lists) const {
  MessageField field;
  while (NextField(&example, &field)) {
    if (field.number != 2 || field.wire_type != kBytes) continue;
    const bool valid = ForEachEntry(field.bytes, [lists](int index, std::string_view list) {
      // An empty list is there, too.
      lists[index] = list.data() == nullptr ? std::string_view("", 0) : list;
      return true;
    });
    if (!valid) return false;
  }
  return example.empty();
}

bool ReadFeature(std::string_view feature, FeatureSlice* slice) {
  MessageField field;
  while (NextField(&feature, &field)) {
    if (field.wire_type != kBytes || field.number > 3) continue;
    constexpr DType kTypes[] = {DType::kInvalid, DType::kString, DType::kFloat, DType::kInt64};
    *slice = {kTypes[field.number], field.bytes};
  }
  return feature.empty();
}

int64_t CountValues(const FeatureSlice& slice) {
  int64_t count = 0;
  const auto one = [&](const MessageField& field) {
    ++count;
    return field.wire_type == (slice.dtype == DType::kFloat ? kFixed32 : kVarint);
  };
  bool valid = false;
  if (slice.dtype == DType::kString) {
    valid = ForEachRun(slice.list, [](const MessageField&) { return false; },
                       [&](std::string_view) { return ++count > 0; });
  } else if (slice.dtype == DType::kFloat) {
    valid = ForEachRun(slice.list, one, [&](std::string_view packed) {
      count += static_cast<int64_t>(packed.size() / sizeof(float));
      return packed.size() % sizeof(float) == 0;
    });
  } else {
    valid = ForEachRun(slice.list, one, [&](std::string_view packed) {
      // Each number ends with the one byte of it that is below 0x80.
      size_t length = 0;
      for (const char byte : packed) {
        const bool is_last = static_cast<uint8_t>(byte) < 0x80;
        count += is_last;
        length = is_last ? 0 : length + 1;
        if (length >= 10) return false;
      }
      return length == 0;
    });
  }
  return valid ? count : -1;
}

void CopyValues(const FeatureSlice& slice, Tensor* to, int64_t at) {
  if (slice.dtype == DType::kString) {
    std::string* out = to->mutable_data<std::string>() + at;
    ForEachRun(slice.list, [](const MessageField&) { return false; },
               [&](std::string_view value) {
                 (out++)->assign(value);
                 return true;
               });
  } else if (slice.dtype == DType::kFloat) {
    float* out = to->mutable_data<float>() + at;
    ForEachRun(slice.list,
               [&](const MessageField& field) {
                 const uint32_t bits = static_cast<uint32_t>(field.bits);
                 std::memcpy(out++, &bits, sizeof(bits));
                 return true;
               },
               [&](std::string_view packed) {
                 if (!packed.empty()) std::memcpy(out, packed.data(), packed.size());
                 out += packed.size() / sizeof(float);
                 return true;
               });
  } else if (slice.dtype == DType::kInt64) {
    int64_t* out = to->mutable_data<int64_t>() + at;
    ForEachRun(slice.list,
               [&](const MessageField& field) {
                 *out++ = static_cast<int64_t>(field.bits);
                 return true;
               },
               [&](std::string_view packed) {
                 uint64_t number = 0;
                 while (TakeNumber(&packed, &number)) *out++ = static_cast<int64_t>(number);
                 return true;
               });
  }
}

}  // namespace tfbuild
