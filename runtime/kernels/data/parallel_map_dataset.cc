// ParallelMapDataset and MapAndBatchDataset in their versions.
#include "kernels/data/batch.h"
#include "kernels/data/parallel_map.h"

namespace tfbuild {
namespace {

REGISTER_OP("ParallelMapDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("num_parallel_calls: int32")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("sloppy: bool = false")
    .Attr("preserve_cardinality: bool = false")
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("ParallelMapDatasetV2")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("deterministic: string = 'default'")
    .Attr("preserve_cardinality: bool = false")
    .Attr("use_unbounded_threadpool: bool = false")
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("MapAndBatchDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("batch_size: int64")
    .Input("num_parallel_calls: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .Attr("preserve_cardinality: bool = false")
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("ExperimentalMapAndBatchDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("batch_size: int64")
    .Input("num_parallel_calls: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .Attr("preserve_cardinality: bool = false")
    .ShapeFunction(ScalarShape);

template <typename Int>
class ParallelMapDatasetOp final : public FunctionDatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    const Result<bool> sloppy = construction.Attr<bool>("sloppy");
    const Result<std::string> order = construction.Attr<std::string>("deterministic");
    sloppy_ = sloppy.ok() ? *sloppy : order.ok() && *order == "false";
    runtime_ = FunctionRuntime::Of(construction.resources);
    return FunctionDatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(CapturedPtr function, Function(*context));
    ASSIGN_OR_RETURN(const Int calls,
                     ScalarAt<Int>(*context, 1 + num_captured(), "num_parallel_calls"));
    return MakeParallelMapDataset(spec(), std::move(input), std::move(function), calls, sloppy_,
                                  runtime_);
  }

 private:
  bool sloppy_ = false;
  std::shared_ptr<FunctionRuntime> runtime_;
};

class MapAndBatchDatasetOp final : public FunctionDatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    runtime_ = FunctionRuntime::Of(construction.resources);
    return FunctionDatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(CapturedPtr function, Function(*context));
    const int first = 1 + num_captured();
    ASSIGN_OR_RETURN(const int64_t size, ScalarAt<int64_t>(*context, first, "batch_size"));
    ASSIGN_OR_RETURN(const int64_t calls,
                     ScalarAt<int64_t>(*context, first + 1, "num_parallel_calls"));
    ASSIGN_OR_RETURN(const bool drop, ScalarAt<bool>(*context, first + 2, "drop_remainder"));
    // The attributes describe the batches, not the mapped elements that these are checked against.
    ASSIGN_OR_RETURN(std::shared_ptr<Dataset> mapped,
                     MakeParallelMapDataset(spec(), std::move(input), std::move(function), calls,
                                            false, runtime_));
    return MakeBatchDataset(spec(), std::move(mapped), size, drop);
  }

 private:
  std::shared_ptr<FunctionRuntime> runtime_;
};

REGISTER_KERNEL(Kernel("ParallelMapDataset").OnCpu(), ParallelMapDatasetOp<int32_t>);
REGISTER_KERNEL(Kernel("ParallelMapDatasetV2").OnCpu(), ParallelMapDatasetOp<int64_t>);
REGISTER_KERNEL(Kernel("MapAndBatchDataset").OnCpu(), MapAndBatchDatasetOp);
REGISTER_KERNEL(Kernel("ExperimentalMapAndBatchDataset").OnCpu(), MapAndBatchDatasetOp);

}  // namespace
}  // namespace tfbuild
