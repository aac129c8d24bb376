#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "tensor/half.h"

namespace tfbuild {

// Element types. The numbers are those of TensorFlow's DataType, which GraphDef files carry.
enum class DType : int {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kBFloat16 = 14,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,  // the handle of something that kernels share, on the host
  kVariant = 21,   // any object of the host: see variant.h
  kUint32 = 22,
  kUint64 = 23,
};

// A DataType of GraphDef is a DType, or a DType plus this for a reference to a variable.
constexpr int kRefOffset = 100;

// TensorFlow's name of the type ("float", "int32", ...), as written in op definitions.
const char* DTypeName(DType dtype);
// The type of that name; kInvalid when there is none.
DType DTypeFromName(const std::string& name);
// The type of TensorFlow's number `value`; kInvalid when it is not one of ours.
DType DTypeFromNumber(int value);
// Bytes of one element; 0 for what IsHostObject, and kInvalid.
int DTypeSize(DType dtype);
// Whether elements are objects of the host, whose bytes are no value: strings and variants.
bool IsHostObject(DType dtype);
bool IsFloating(DType dtype);
bool IsComplex(DType dtype);

template <typename T>
struct DTypeOf;
template <> struct DTypeOf<float> { static constexpr DType value = DType::kFloat; };
template <> struct DTypeOf<double> { static constexpr DType value = DType::kDouble; };
template <> struct DTypeOf<int32_t> { static constexpr DType value = DType::kInt32; };
template <> struct DTypeOf<uint8_t> { static constexpr DType value = DType::kUint8; };
template <> struct DTypeOf<uint16_t> { static constexpr DType value = DType::kUint16; };
template <> struct DTypeOf<uint32_t> { static constexpr DType value = DType::kUint32; };
template <> struct DTypeOf<uint64_t> { static constexpr DType value = DType::kUint64; };
template <> struct DTypeOf<int16_t> { static constexpr DType value = DType::kInt16; };
template <> struct DTypeOf<int8_t> { static constexpr DType value = DType::kInt8; };
template <> struct DTypeOf<std::string> { static constexpr DType value = DType::kString; };
template <> struct DTypeOf<int64_t> { static constexpr DType value = DType::kInt64; };
template <> struct DTypeOf<bool> { static constexpr DType value = DType::kBool; };
template <> struct DTypeOf<BFloat16> { static constexpr DType value = DType::kBFloat16; };
template <> struct DTypeOf<Half> { static constexpr DType value = DType::kHalf; };

// T, or for an unsigned integer the signed one of its size, which has the same sums, differences,
// products, bits and zero: one loop serves both.
template <typename T>
struct SignedType { using Type = T; };
template <> struct SignedType<uint8_t> { using Type = int8_t; };
template <> struct SignedType<uint16_t> { using Type = int16_t; };
template <> struct SignedType<uint32_t> { using Type = int32_t; };
template <> struct SignedType<uint64_t> { using Type = int64_t; };
template <typename T>
using SignedOf = typename SignedType<T>::Type;

}  // namespace tfbuild

// Calls CALL(T) as a statement for each type of the family; used for kernel registration and
// dispatch, so that every kernel of a family covers the same types.
#define TFBUILD_FLOATING_TYPES(CALL) CALL(float) CALL(double) CALL(::tfbuild::Half) CALL(::tfbuild::BFloat16)
#define TFBUILD_UNSIGNED_TYPES(CALL) CALL(uint16_t) CALL(uint32_t) CALL(uint64_t)
#define TFBUILD_COMMON_INTEGER_TYPES(CALL) \
  CALL(int32_t) CALL(int64_t) CALL(int16_t) CALL(int8_t) CALL(uint8_t)
#define TFBUILD_INTEGER_TYPES(CALL) TFBUILD_COMMON_INTEGER_TYPES(CALL) TFBUILD_UNSIGNED_TYPES(CALL)
#define TFBUILD_NUMBER_TYPES(CALL) TFBUILD_FLOATING_TYPES(CALL) TFBUILD_INTEGER_TYPES(CALL)
// Those that kernels cover whose ops take no others in TensorFlow, and kernels of GPUs.
#define TFBUILD_COMMON_NUMBER_TYPES(CALL) \
  TFBUILD_FLOATING_TYPES(CALL) TFBUILD_COMMON_INTEGER_TYPES(CALL)
// The number types that arithmetic kernels cover.
#define TFBUILD_ARITHMETIC_TYPES(CALL) TFBUILD_FLOATING_TYPES(CALL) CALL(int32_t) CALL(int64_t)
