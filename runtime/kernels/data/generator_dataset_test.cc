#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// What comes out is in session/datasets_test.cc, as functions are a session's.
TEST(GeneratorDataset, NeedsFunctions) {
  OpTest test = DatasetOpTest("GeneratorDataset");
  for (const char* name : {"init", "next", "finalize"}) {
    test.Attr(StrCat(name, "_func"), SomeFunction())
        .Attr(StrCat("T", name, "_func_args"), std::vector<DType>());
  }
  test.RunExpectingError(Code::kUnimplemented, kNoFunctions);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
