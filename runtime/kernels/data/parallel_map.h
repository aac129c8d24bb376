#pragma once

#include <memory>

#include "kernels/data/captured_function.h"

namespace tfbuild {

// What a function makes of another dataset's elements, up to `calls` of them at once; in the order of
// the elements unless `sloppy`. As many as there are processors for -1; InvalidArgument for 0 and
// below -1.
Result<std::shared_ptr<Dataset>> MakeParallelMapDataset(ElementSpec spec, DatasetPtr input,
                                                        CapturedPtr function, int64_t calls,
                                                        bool sloppy,
                                                        std::shared_ptr<FunctionRuntime> runtime);

}  // namespace tfbuild
