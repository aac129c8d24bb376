#include "tensor/dtype.h"

namespace tfbuild {
namespace {

struct DTypeRow {
  DType dtype;
  const char* name;
  int size;
};

constexpr DTypeRow kRows[] = {
    {DType::kFloat, "float", 4},  {DType::kDouble, "double", 8}, {DType::kInt32, "int32", 4},
    {DType::kUint8, "uint8", 1},  {DType::kInt16, "int16", 2},   {DType::kInt8, "int8", 1},
    {DType::kUint16, "uint16", 2}, {DType::kUint32, "uint32", 4}, {DType::kUint64, "uint64", 8},
    {DType::kString, "string", 0}, {DType::kInt64, "int64", 8},  {DType::kBool, "bool", 1},
    {DType::kBFloat16, "bfloat16", 2}, {DType::kHalf, "half", 2},
    {DType::kComplex64, "complex64", 8}, {DType::kComplex128, "complex128", 16},
    {DType::kResource, "resource", 8}, {DType::kVariant, "variant", 0},
};

}  // namespace

const char* DTypeName(DType dtype) {
  for (const DTypeRow& row : kRows) {
    if (row.dtype == dtype) return row.name;
  }
  return "invalid";
}

DType DTypeFromName(const std::string& name) {
  for (const DTypeRow& row : kRows) {
    if (name == row.name) return row.dtype;
  }
  return DType::kInvalid;
}

DType DTypeFromNumber(int value) {
  for (const DTypeRow& row : kRows) {
    if (static_cast<int>(row.dtype) == value) return row.dtype;
  }
  return DType::kInvalid;
}

int DTypeSize(DType dtype) {
  for (const DTypeRow& row : kRows) {
    if (row.dtype == dtype) return row.size;
  }
  return 0;
}

bool IsHostObject(DType dtype) { return dtype == DType::kString || dtype == DType::kVariant; }

bool IsFloating(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kDouble || dtype == DType::kHalf ||
         dtype == DType::kBFloat16;
}

bool IsComplex(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

}  // namespace tfbuild
