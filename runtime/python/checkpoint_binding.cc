// Checkpoints.
#include <nanobind/stl/unique_ptr.h>

#include "io/bundle.h"
#include "python/bindings.h"
#include "python/gil.h"
#include "python/python_error.h"
#include "python/tensor_numpy.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// Paths and names are bytes: files have some that are no text.
std::unique_ptr<BundleReader> OpenCheckpoint(const nb::bytes& prefix) {
  return ValueOrThrow(BundleReader::Open(TextFromPython(prefix)));
}

// {name: (type number, (size, ...))}.
nb::dict Tensors(const BundleReader& reader) {
  nb::dict found;
  for (const auto& [name, entry] : reader.Entries()) {
    nb::list sizes;
    for (const int64_t size : entry.shape.dims()) sizes.append(size);
    found[nb::bytes(name.data(), name.size())] = nb::make_tuple(entry.dtype, nb::tuple(sizes));
  }
  return found;
}

nb::object ReadTensor(const BundleReader& reader, const nb::bytes& name) {
  const std::string key = TextFromPython(name);
  Result<Tensor> tensor = [&] {
    const GilReleased released;
    return reader.Read(key, SliceSpec());
  }();
  return ToArray(ValueOrThrow(std::move(tensor)));
}

}  // namespace

void BindCheckpoints(nb::module_& module) {
  nb::class_<BundleReader>(module, "CheckpointFile")
      .def("tensors", &Tensors)
      .def("read", &ReadTensor);
  module.def("open_checkpoint", &OpenCheckpoint);
}

}  // namespace python
}  // namespace tfbuild
