#pragma once

#include <memory>

#include "kernels/data/dataset.h"

namespace tfbuild {

// `size` elements of another dataset as one, the last with those that are left unless they are
// dropped. InvalidArgument for a size below 1.
Result<std::shared_ptr<Dataset>> MakeBatchDataset(ElementSpec spec, DatasetPtr input, int64_t size,
                                                  bool drop_remainder);

}  // namespace tfbuild
