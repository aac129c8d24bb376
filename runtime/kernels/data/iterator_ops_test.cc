#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

// What iterators read is in session/datasets_test.cc, as they are a session's.
TEST(IteratorOps, HandlesAreOfASession) {
  OpTest("IteratorGetNext").Input(Tensor::Scalar<float>(0))
      .Attr("output_types", OneInt().types).Attr("output_shapes", OneInt().shapes)
      .RunExpectingError(Code::kInvalidArgument, "");
  for (const char* op : {"Iterator", "IteratorV2"}) {
    const auto handle = DatasetOpTest(op).Attr("shared_name", std::string("i"))
                            .Attr("container", std::string()).RunOnCpu();
    ASSERT_OK(handle);
    EXPECT_TRUE((*handle)[0].dtype() == DType::kResource);
  }
  for (const char* op : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"}) {
    for (const char* text : {"", "iterator ", "iterator 1x", "iterat"}) {
      OpTest(op).Input(Text(text)).RunExpectingError(Code::kInvalidArgument, "string_handle");
    }
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
