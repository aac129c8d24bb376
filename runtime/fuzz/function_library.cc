// A FunctionDefLibrary: its names, signatures and bodies.
#include "fuzz/input.h"
#include "graph/attr_wire.h"
#include "graph/function_def.h"
#include "graph/function_library.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  const std::string_view input = fuzz::TextOf(data, size);
  (void)ParseFunctionDef(input);
  FunctionLibrary library;
  if (!library.Add(input).ok()) return 0;
  for (const std::string& name : library.Names()) {
    (void)library.FindOp(name);
    (void)library.Instantiate(FunctionNamed(name));
  }
  FunctionLibrary again;
  fuzz::Require(again.Add(library.Serialize()).ok() && again.Names() == library.Names());
  return 0;
}
