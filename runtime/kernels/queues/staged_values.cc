#include "kernels/queues/staged_values.h"

namespace tfbuild {

size_t BytesOf(const std::vector<Tensor>& values) {
  size_t bytes = 0;
  for (const Tensor& value : values) {
    bytes += static_cast<size_t>(value.num_bytes());
    if (value.dtype() != DType::kString) continue;
    for (int64_t i = 0; i < value.num_elements(); ++i) bytes += value.data<std::string>()[i].size();
  }
  return bytes;
}

Status GiveValues(const std::vector<Tensor>& values, const std::vector<DType>& dtypes, int first,
                  OpKernelContext* context) {
  if (values.size() != dtypes.size()) {
    return InvalidArgument("Mismatch stage/unstage: ", values.size(), " vs. ", dtypes.size());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].dtype() == dtypes[i]) continue;
    return InvalidArgument("component ", i, " was staged as ", DTypeName(values[i].dtype()),
                           ", not as ", DTypeName(dtypes[i]));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    context->SetOutput(first + static_cast<int>(i), values[i]);
  }
  return OkStatus();
}

}  // namespace tfbuild
