#pragma once

#include <string>
#include <string_view>

#include "graph/wire_format.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// Fields of TensorFlow's messages Summary and Summary.Value (summary.proto).
constexpr int kSummaryValue = 1;
constexpr int kValueTag = 1;
constexpr int kValueSimple = 2;
constexpr int kValueImage = 4;
constexpr int kValueHistogram = 5;
constexpr int kValueAudio = 6;
constexpr int kValueTensor = 8;
constexpr int kValueMetadata = 9;

// A Summary with one value more.
inline void AddSummaryValue(WireWriter* summary, WireWriter* value) {
  summary->Bytes(kSummaryValue, value->Take());
}

// Makes the summary the op's only output.
inline void SetSummary(OpKernelContext* context, WireWriter* summary) {
  context->SetOutput(0, Tensor::Strings(Shape{}, {summary->Take()}));
}

// The tag that input 0 holds; InvalidArgument unless it is a scalar.
inline Result<std::string> TagOf(const OpKernelContext& context) {
  const Tensor& tag = context.input(0);
  if (tag.rank() != 0) return InvalidArgument("tag must be a scalar but its shape is ", tag.shape());
  return tag.data<std::string>()[0];
}

// "tag/image", or "tag/image/2" where there may be several.
inline std::string NumberedTag(const std::string& tag, const char* kind, int64_t most, int64_t i) {
  return most > 1 ? StrCat(tag, "/", kind, "/", i) : StrCat(tag, "/", kind);
}

}  // namespace tfbuild
