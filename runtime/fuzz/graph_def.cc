// A GraphDef, and that what is read is written and read again as the same bytes.
#include "fuzz/input.h"
#include "graph/graph_def.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  const auto graph = ParseGraphDef(fuzz::TextOf(data, size));
  if (!graph.ok()) return 0;
  const std::string written = SerializeGraphDef(*graph);
  const auto again = ParseGraphDef(written);
  fuzz::Require(again.ok() && SerializeGraphDef(*again) == written);
  Graph into;
  (void)ImportGraphDef(*graph, {}, &into);
  return 0;
}
