# Written by python/tests/raw_op_stubs.py out of the definitions of the ops.
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import Literal as _Literal

from tfbuild_runtime.framework.operation import Operation as _Operation
from tfbuild_runtime.framework.operation import Tensor as _Tensor

def Abs(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def AccumulatorApplyGradient(
    *,
    handle: _Any,
    local_step: _Any,
    gradient: _Any,
    dtype: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def AccumulatorNumAccumulated(*, handle: _Any, name: str | None = ...) -> _Tensor: ...
def AccumulatorSetGlobalStep(
    *,
    handle: _Any,
    new_global_step: _Any,
    name: str | None = ...,
) -> _Operation: ...
def AccumulatorTakeGradient(
    *,
    handle: _Any,
    num_required: _Any,
    dtype: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def Acos(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Acosh(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Add(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def AddN(
    *,
    inputs: _Sequence[_Any],
    N: int | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AddV2(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def AdjustContrastv2(
    *,
    images: _Any,
    contrast_factor: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AdjustHue(*, images: _Any, delta: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def AdjustSaturation(
    *,
    images: _Any,
    scale: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def All(
    *,
    input: _Any,
    axis: _Any,
    keep_dims: bool | None = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AllCandidateSampler(
    *,
    true_classes: _Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = ...,
    seed2: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Angle(*, input: _Any, T: _Any = ..., Tout: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Any(
    *,
    input: _Any,
    axis: _Any,
    keep_dims: bool | None = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ApplyAdagrad(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    update_slots: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ApplyAdam(
    *,
    var: _Any,
    m: _Any,
    v: _Any,
    beta1_power: _Any,
    beta2_power: _Any,
    lr: _Any,
    beta1: _Any,
    beta2: _Any,
    epsilon: _Any,
    grad: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    use_nesterov: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ApplyGradientDescent(
    *,
    var: _Any,
    alpha: _Any,
    delta: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ApplyMomentum(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    momentum: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    use_nesterov: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ApplyRMSProp(
    *,
    var: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ArgMax(
    *,
    input: _Any,
    dimension: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    output_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ArgMin(
    *,
    input: _Any,
    dimension: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    output_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AsString(
    *,
    input: _Any,
    T: _Any = ...,
    precision: int | None = ...,
    scientific: bool | None = ...,
    shortest: bool | None = ...,
    width: int | None = ...,
    fill: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Asin(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Asinh(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Assert(
    *,
    condition: _Any,
    data: _Sequence[_Any],
    T: _Sequence[_Any] | None = ...,
    summarize: int | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def Assign(
    *,
    ref: _Any,
    value: _Any,
    T: _Any = ...,
    validate_shape: bool | None = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AssignAdd(
    *,
    ref: _Any,
    value: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AssignAddVariableOp(
    *,
    resource: _Any,
    value: _Any,
    dtype: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def AssignSub(
    *,
    ref: _Any,
    value: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AssignSubVariableOp(
    *,
    resource: _Any,
    value: _Any,
    dtype: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def AssignVariableOp(
    *,
    resource: _Any,
    value: _Any,
    dtype: _Any = ...,
    validate_shape: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def Atan(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Atan2(*, y: _Any, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Atanh(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def AudioSummaryV2(
    *,
    tag: _Any,
    tensor: _Any,
    sample_rate: _Any,
    max_outputs: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AvgPool(
    *,
    value: _Any,
    ksize: _Sequence[int],
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID"],
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AvgPool3D(
    *,
    input: _Any,
    ksize: _Sequence[int],
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID"],
    data_format: _Literal["NDHWC", "NCDHW"] | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AvgPool3DGrad(
    *,
    orig_input_shape: _Any,
    grad: _Any,
    ksize: _Sequence[int],
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID"],
    data_format: _Literal["NDHWC", "NCDHW"] | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def AvgPoolGrad(
    *,
    orig_input_shape: _Any,
    grad: _Any,
    ksize: _Sequence[int],
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID"],
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Barrier(
    *,
    component_types: _Sequence[_Any],
    shapes: _Sequence[_Any] | None = ...,
    capacity: int | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def BarrierClose(
    *,
    handle: _Any,
    cancel_pending_enqueues: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def BarrierIncompleteSize(*, handle: _Any, name: str | None = ...) -> _Tensor: ...
def BarrierInsertMany(
    *,
    handle: _Any,
    keys: _Any,
    values: _Any,
    T: _Any = ...,
    component_index: int,
    name: str | None = ...,
) -> _Operation: ...
def BarrierReadySize(*, handle: _Any, name: str | None = ...) -> _Tensor: ...
def BarrierTakeMany(
    *,
    handle: _Any,
    num_elements: _Any,
    component_types: _Sequence[_Any],
    allow_small_batch: bool | None = ...,
    wait_for_incomplete: bool | None = ...,
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def BatchDataset(
    *,
    input_dataset: _Any,
    batch_size: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def BatchDatasetV2(
    *,
    input_dataset: _Any,
    batch_size: _Any,
    drop_remainder: _Any,
    parallel_copy: bool | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def BatchMatMulV2(
    *,
    x: _Any,
    y: _Any,
    T: _Any = ...,
    adj_x: bool | None = ...,
    adj_y: bool | None = ...,
    grad_x: bool | None = ...,
    grad_y: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def BatchToSpace(
    *,
    input: _Any,
    crops: _Any,
    T: _Any = ...,
    block_size: int,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def BatchToSpaceND(
    *,
    input: _Any,
    block_shape: _Any,
    crops: _Any,
    T: _Any = ...,
    Tblock_shape: _Any = ...,
    Tcrops: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Betainc(*, a: _Any, b: _Any, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def BiasAdd(
    *,
    value: _Any,
    bias: _Any,
    T: _Any = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def BiasAddGrad(
    *,
    out_backprop: _Any,
    T: _Any = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Bitcast(*, input: _Any, T: _Any = ..., type: _Any, name: str | None = ...) -> _Tensor: ...
def BitwiseAnd(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def BitwiseOr(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def BitwiseXor(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def BroadcastGradientArgs(
    *,
    s0: _Any,
    s1: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def BroadcastTo(
    *,
    input: _Any,
    shape: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Bucketize(
    *,
    input: _Any,
    T: _Any = ...,
    boundaries: _Sequence[float],
    name: str | None = ...,
) -> _Tensor: ...
def CSVDataset(
    *,
    filenames: _Any,
    compression_type: _Any,
    buffer_size: _Any,
    header: _Any,
    field_delim: _Any,
    use_quote_delim: _Any,
    na_value: _Any,
    select_cols: _Any,
    record_defaults: _Sequence[_Any],
    output_types: _Sequence[_Any] | None = ...,
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def CTCBeamSearchDecoder(
    *,
    inputs: _Any,
    sequence_length: _Any,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def CTCGreedyDecoder(
    *,
    inputs: _Any,
    sequence_length: _Any,
    merge_repeated: bool | None = ...,
    blank_index: int | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def CTCLoss(
    *,
    inputs: _Any,
    labels_indices: _Any,
    labels_values: _Any,
    sequence_length: _Any,
    preprocess_collapse_repeated: bool | None = ...,
    ctc_merge_repeated: bool | None = ...,
    ignore_longer_outputs_than_inputs: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def CacheDataset(
    *,
    input_dataset: _Any,
    filename: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def CacheDatasetV2(
    *,
    input_dataset: _Any,
    filename: _Any,
    cache: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Case(
    *,
    branch_index: _Any,
    input: _Sequence[_Any],
    Tin: _Sequence[_Any] | None = ...,
    Tout: _Sequence[_Any],
    branches: _Sequence[_Any],
    output_shapes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def Cast(
    *,
    x: _Any,
    SrcT: _Any = ...,
    DstT: _Any,
    Truncate: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Ceil(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def CheckNumerics(
    *,
    tensor: _Any,
    T: _Any = ...,
    message: str | bytes,
    name: str | None = ...,
) -> _Tensor: ...
def Cholesky(*, input: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def CombinedNonMaxSuppression(
    *,
    boxes: _Any,
    scores: _Any,
    max_output_size_per_class: _Any,
    max_total_size: _Any,
    iou_threshold: _Any,
    score_threshold: _Any,
    pad_per_class: bool | None = ...,
    clip_boxes: bool | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Complex(
    *,
    real: _Any,
    imag: _Any,
    T: _Any = ...,
    Tout: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ComplexAbs(*, x: _Any, T: _Any = ..., Tout: _Any = ..., name: str | None = ...) -> _Tensor: ...
def ComputeAccidentalHits(
    *,
    true_classes: _Any,
    sampled_candidates: _Any,
    num_true: int,
    seed: int | None = ...,
    seed2: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def ConcatOffset(
    *,
    concat_dim: _Any,
    shape: _Sequence[_Any],
    N: int | None = ...,
    shape_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def ConcatV2(
    *,
    values: _Sequence[_Any],
    axis: _Any,
    N: int | None = ...,
    T: _Any = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ConcatenateDataset(
    *,
    input_dataset: _Any,
    another_dataset: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ConditionalAccumulator(
    *,
    dtype: _Any,
    shape: _Any,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    reduction_type: _Literal["MEAN", "SUM"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Conj(*, input: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Const(*, value: _Any, dtype: _Any, name: str | None = ...) -> _Tensor: ...
def ControlTrigger(*, name: str | None = ...) -> _Operation: ...
def Conv2D(
    *,
    input: _Any,
    filter: _Any,
    T: _Any = ...,
    strides: _Sequence[int],
    use_cudnn_on_gpu: bool | None = ...,
    padding: _Literal["SAME", "VALID", "EXPLICIT"],
    explicit_paddings: _Sequence[int] | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    dilations: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Conv2DBackpropFilter(
    *,
    input: _Any,
    filter_sizes: _Any,
    out_backprop: _Any,
    T: _Any = ...,
    strides: _Sequence[int],
    use_cudnn_on_gpu: bool | None = ...,
    padding: _Literal["SAME", "VALID", "EXPLICIT"],
    explicit_paddings: _Sequence[int] | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    dilations: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Conv2DBackpropInput(
    *,
    input_sizes: _Any,
    filter: _Any,
    out_backprop: _Any,
    T: _Any = ...,
    strides: _Sequence[int],
    use_cudnn_on_gpu: bool | None = ...,
    padding: _Literal["SAME", "VALID", "EXPLICIT"],
    explicit_paddings: _Sequence[int] | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    dilations: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Conv3D(
    *,
    input: _Any,
    filter: _Any,
    T: _Any = ...,
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID"],
    data_format: _Literal["NDHWC", "NCDHW"] | None = ...,
    dilations: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Conv3DBackpropFilterV2(
    *,
    input: _Any,
    filter_sizes: _Any,
    out_backprop: _Any,
    T: _Any = ...,
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID"],
    data_format: _Literal["NDHWC", "NCDHW"] | None = ...,
    dilations: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Conv3DBackpropInputV2(
    *,
    input_sizes: _Any,
    filter: _Any,
    out_backprop: _Any,
    T: _Any = ...,
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID"],
    data_format: _Literal["NDHWC", "NCDHW"] | None = ...,
    dilations: _Sequence[int] | None = ...,
    Tshape: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Cos(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Cosh(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def CountUpTo(*, ref: _Any, limit: int, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def CropAndResize(
    *,
    image: _Any,
    boxes: _Any,
    box_ind: _Any,
    crop_size: _Any,
    T: _Any = ...,
    method: _Literal["bilinear", "nearest"] | None = ...,
    extrapolation_value: float | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def CropAndResizeGradBoxes(
    *,
    grads: _Any,
    image: _Any,
    boxes: _Any,
    box_ind: _Any,
    T: _Any = ...,
    method: _Literal["bilinear"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def CropAndResizeGradImage(
    *,
    grads: _Any,
    boxes: _Any,
    box_ind: _Any,
    image_size: _Any,
    T: _Any,
    method: _Literal["bilinear", "nearest"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Cumprod(
    *,
    x: _Any,
    axis: _Any,
    exclusive: bool | None = ...,
    reverse: bool | None = ...,
    T: _Any = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Cumsum(
    *,
    x: _Any,
    axis: _Any,
    exclusive: bool | None = ...,
    reverse: bool | None = ...,
    T: _Any = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DatasetCardinality(
    *,
    input_dataset: _Any,
    cardinality_options: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DatasetToSingleElement(
    *,
    dataset: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def DatasetToTFRecord(
    *,
    input_dataset: _Any,
    filename: _Any,
    compression_type: _Any,
    name: str | None = ...,
) -> _Operation: ...
def DecodeAndCropJpeg(
    *,
    contents: _Any,
    crop_window: _Any,
    channels: int | None = ...,
    ratio: int | None = ...,
    fancy_upscaling: bool | None = ...,
    try_recover_truncated: bool | None = ...,
    acceptable_fraction: float | None = ...,
    dct_method: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DecodeBase64(*, input: _Any, name: str | None = ...) -> _Tensor: ...
def DecodeBmp(*, contents: _Any, channels: int | None = ..., name: str | None = ...) -> _Tensor: ...
def DecodeCSV(
    *,
    records: _Any,
    record_defaults: _Sequence[_Any],
    OUT_TYPE: _Sequence[_Any] | None = ...,
    field_delim: str | bytes | None = ...,
    use_quote_delim: bool | None = ...,
    na_value: str | bytes | None = ...,
    select_cols: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def DecodeCompressed(
    *,
    bytes: _Any,
    compression_type: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DecodeGif(*, contents: _Any, name: str | None = ...) -> _Tensor: ...
def DecodeImage(
    *,
    contents: _Any,
    channels: int | None = ...,
    dtype: _Any = ...,
    expand_animations: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DecodeJSONExample(*, json_examples: _Any, name: str | None = ...) -> _Tensor: ...
def DecodeJpeg(
    *,
    contents: _Any,
    channels: int | None = ...,
    ratio: int | None = ...,
    fancy_upscaling: bool | None = ...,
    try_recover_truncated: bool | None = ...,
    acceptable_fraction: float | None = ...,
    dct_method: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DecodePng(
    *,
    contents: _Any,
    channels: int | None = ...,
    dtype: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DecodeRaw(
    *,
    bytes: _Any,
    out_type: _Any,
    little_endian: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DepthToSpace(
    *,
    input: _Any,
    T: _Any = ...,
    block_size: int,
    data_format: _Literal["NHWC", "NCHW", "NCHW_VECT_C"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DepthwiseConv2dNative(
    *,
    input: _Any,
    filter: _Any,
    T: _Any = ...,
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID", "EXPLICIT"],
    explicit_paddings: _Sequence[int] | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    dilations: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DepthwiseConv2dNativeBackpropFilter(
    *,
    input: _Any,
    filter_sizes: _Any,
    out_backprop: _Any,
    T: _Any = ...,
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID", "EXPLICIT"],
    explicit_paddings: _Sequence[int] | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    dilations: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DepthwiseConv2dNativeBackpropInput(
    *,
    input_sizes: _Any,
    filter: _Any,
    out_backprop: _Any,
    T: _Any = ...,
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID", "EXPLICIT"],
    explicit_paddings: _Sequence[int] | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    dilations: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DeserializeManySparse(
    *,
    serialized_sparse: _Any,
    dtype: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def DeserializeSparse(
    *,
    serialized_sparse: _Any,
    dtype: _Any,
    Tserialized: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def DestroyResourceOp(
    *,
    resource: _Any,
    ignore_lookup_error: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def Diag(*, diagonal: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def DiagPart(*, input: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Digamma(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def DirectedInterleaveDataset(
    *,
    selector_input_dataset: _Any,
    data_input_datasets: _Sequence[_Any],
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    N: int | None = ...,
    stop_on_empty_dataset: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DisableCopyOnRead(*, resource: _Any, name: str | None = ...) -> _Operation: ...
def Div(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def DivNoNan(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def DrawBoundingBoxes(
    *,
    images: _Any,
    boxes: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DrawBoundingBoxesV2(
    *,
    images: _Any,
    boxes: _Any,
    colors: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def DummySeedGenerator(*, name: str | None = ...) -> _Tensor: ...
def DynamicPartition(
    *,
    data: _Any,
    partitions: _Any,
    num_partitions: int,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def DynamicStitch(
    *,
    indices: _Sequence[_Any],
    data: _Sequence[_Any],
    N: int | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def EditDistance(
    *,
    hypothesis_indices: _Any,
    hypothesis_values: _Any,
    hypothesis_shape: _Any,
    truth_indices: _Any,
    truth_values: _Any,
    truth_shape: _Any,
    normalize: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Elu(*, features: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def EluGrad(
    *,
    gradients: _Any,
    outputs: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def EmptyTensorList(
    *,
    element_shape: _Any,
    max_num_elements: _Any,
    element_dtype: _Any,
    shape_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def EncodeBase64(*, input: _Any, pad: bool | None = ..., name: str | None = ...) -> _Tensor: ...
def EncodeJpeg(
    *,
    image: _Any,
    format: _Literal["", "grayscale", "rgb"] | None = ...,
    quality: int | None = ...,
    progressive: bool | None = ...,
    optimize_size: bool | None = ...,
    chroma_downsampling: bool | None = ...,
    density_unit: _Literal["in", "cm"] | None = ...,
    x_density: int | None = ...,
    y_density: int | None = ...,
    xmp_metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def EncodeJpegVariableQuality(
    *,
    images: _Any,
    quality: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def EncodePng(
    *,
    image: _Any,
    compression: int | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Enter(
    *,
    data: _Any,
    T: _Any = ...,
    frame_name: str | bytes,
    is_constant: bool | None = ...,
    parallel_iterations: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Equal(
    *,
    x: _Any,
    y: _Any,
    T: _Any = ...,
    incompatible_shape_error: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Erf(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Erfc(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Exit(*, data: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Exp(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def ExpandDims(
    *,
    input: _Any,
    axis: _Any,
    T: _Any = ...,
    Tdim: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ExperimentalCSVDataset(
    *,
    filenames: _Any,
    compression_type: _Any,
    buffer_size: _Any,
    header: _Any,
    field_delim: _Any,
    use_quote_delim: _Any,
    na_value: _Any,
    select_cols: _Any,
    record_defaults: _Sequence[_Any],
    output_types: _Sequence[_Any] | None = ...,
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def ExperimentalIgnoreErrorsDataset(
    *,
    input_dataset: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    log_warning: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ExperimentalMapAndBatchDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    batch_size: _Any,
    num_parallel_calls: _Any,
    drop_remainder: _Any,
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    preserve_cardinality: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ExperimentalParallelInterleaveDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    cycle_length: _Any,
    block_length: _Any,
    sloppy: _Any,
    buffer_output_elements: _Any,
    prefetch_input_elements: _Any,
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def ExperimentalUnbatchDataset(
    *,
    input_dataset: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def Expm1(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def ExtractGlimpse(
    *,
    input: _Any,
    size: _Any,
    offsets: _Any,
    centered: bool | None = ...,
    normalized: bool | None = ...,
    uniform_noise: bool | None = ...,
    noise: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ExtractGlimpseV2(
    *,
    input: _Any,
    size: _Any,
    offsets: _Any,
    centered: bool | None = ...,
    normalized: bool | None = ...,
    uniform_noise: bool | None = ...,
    noise: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ExtractImagePatches(
    *,
    images: _Any,
    ksizes: _Sequence[int],
    strides: _Sequence[int],
    rates: _Sequence[int],
    T: _Any = ...,
    padding: _Literal["SAME", "VALID"],
    name: str | None = ...,
) -> _Tensor: ...
def ExtractJpegShape(
    *,
    contents: _Any,
    output_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def FFT(*, input: _Any, Tcomplex: _Any = ..., name: str | None = ...) -> _Tensor: ...
def FFT2D(*, input: _Any, Tcomplex: _Any = ..., name: str | None = ...) -> _Tensor: ...
def FFT3D(*, input: _Any, Tcomplex: _Any = ..., name: str | None = ...) -> _Tensor: ...
def FIFOQueue(
    *,
    shapes: _Sequence[_Any] | None = ...,
    capacity: int | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    component_types: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def FIFOQueueV2(
    *,
    shapes: _Sequence[_Any] | None = ...,
    capacity: int | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    component_types: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def Fill(
    *,
    dims: _Any,
    value: _Any,
    T: _Any = ...,
    index_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def FilterDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    predicate: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def FixedLengthRecordDataset(
    *,
    filenames: _Any,
    header_bytes: _Any,
    record_bytes: _Any,
    footer_bytes: _Any,
    buffer_size: _Any,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def FixedLengthRecordDatasetV2(
    *,
    filenames: _Any,
    header_bytes: _Any,
    record_bytes: _Any,
    footer_bytes: _Any,
    buffer_size: _Any,
    compression_type: _Any,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def FixedLengthRecordReader(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    header_bytes: int | None = ...,
    record_bytes: int,
    footer_bytes: int | None = ...,
    hop_bytes: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def FixedLengthRecordReaderV2(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    header_bytes: int | None = ...,
    record_bytes: int,
    footer_bytes: int | None = ...,
    hop_bytes: int | None = ...,
    encoding: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def FixedUnigramCandidateSampler(
    *,
    true_classes: _Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str | bytes | None = ...,
    distortion: float | None = ...,
    num_reserved_ids: int | None = ...,
    num_shards: int | None = ...,
    shard: int | None = ...,
    unigrams: _Sequence[float] | None = ...,
    seed: int | None = ...,
    seed2: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def FlatMapDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Floor(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def FloorDiv(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def FloorMod(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def FusedBatchNorm(
    *,
    x: _Any,
    scale: _Any,
    offset: _Any,
    mean: _Any,
    variance: _Any,
    T: _Any = ...,
    epsilon: float | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    is_training: bool | None = ...,
    exponential_avg_factor: float | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def FusedBatchNormGrad(
    *,
    y_backprop: _Any,
    x: _Any,
    scale: _Any,
    reserve_space_1: _Any,
    reserve_space_2: _Any,
    T: _Any = ...,
    epsilon: float | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    is_training: bool | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def FusedBatchNormGradV2(
    *,
    y_backprop: _Any,
    x: _Any,
    scale: _Any,
    reserve_space_1: _Any,
    reserve_space_2: _Any,
    T: _Any = ...,
    U: _Any = ...,
    epsilon: float | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    is_training: bool | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def FusedBatchNormGradV3(
    *,
    y_backprop: _Any,
    x: _Any,
    scale: _Any,
    reserve_space_1: _Any,
    reserve_space_2: _Any,
    reserve_space_3: _Any,
    T: _Any = ...,
    U: _Any = ...,
    epsilon: float | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    is_training: bool | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def FusedBatchNormV2(
    *,
    x: _Any,
    scale: _Any,
    offset: _Any,
    mean: _Any,
    variance: _Any,
    T: _Any = ...,
    U: _Any = ...,
    epsilon: float | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    is_training: bool | None = ...,
    exponential_avg_factor: float | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def FusedBatchNormV3(
    *,
    x: _Any,
    scale: _Any,
    offset: _Any,
    mean: _Any,
    variance: _Any,
    T: _Any = ...,
    U: _Any = ...,
    epsilon: float | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    is_training: bool | None = ...,
    exponential_avg_factor: float | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def GatherNd(
    *,
    params: _Any,
    indices: _Any,
    Tparams: _Any = ...,
    Tindices: _Any = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def GatherV2(
    *,
    params: _Any,
    indices: _Any,
    axis: _Any,
    batch_dims: int | None = ...,
    Tparams: _Any = ...,
    Tindices: _Any = ...,
    Taxis: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def GeneratorDataset(
    *,
    init_func_other_args: _Sequence[_Any],
    next_func_other_args: _Sequence[_Any],
    finalize_func_other_args: _Sequence[_Any],
    init_func: _Any,
    next_func: _Any,
    finalize_func: _Any,
    Tinit_func_args: _Sequence[_Any] | None = ...,
    Tnext_func_args: _Sequence[_Any] | None = ...,
    Tfinalize_func_args: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Greater(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def GreaterEqual(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def GroupByWindowDataset(
    *,
    input_dataset: _Any,
    key_func_other_arguments: _Sequence[_Any],
    reduce_func_other_arguments: _Sequence[_Any],
    window_size_func_other_arguments: _Sequence[_Any],
    key_func: _Any,
    reduce_func: _Any,
    window_size_func: _Any,
    Tkey_func_other_arguments: _Sequence[_Any] | None = ...,
    Treduce_func_other_arguments: _Sequence[_Any] | None = ...,
    Twindow_size_func_other_arguments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def HSVToRGB(*, images: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def HashTableV2(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    use_node_name_sharing: bool | None = ...,
    key_dtype: _Any,
    value_dtype: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def HistogramSummary(
    *,
    tag: _Any,
    values: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def IFFT(*, input: _Any, Tcomplex: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IFFT2D(*, input: _Any, Tcomplex: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IFFT3D(*, input: _Any, Tcomplex: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IRFFT(
    *,
    input: _Any,
    fft_length: _Any,
    Treal: _Any = ...,
    Tcomplex: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def IRFFT2D(
    *,
    input: _Any,
    fft_length: _Any,
    Treal: _Any = ...,
    Tcomplex: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def IRFFT3D(
    *,
    input: _Any,
    fft_length: _Any,
    Treal: _Any = ...,
    Tcomplex: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Identity(*, input: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IdentityN(
    *,
    input: _Sequence[_Any],
    T: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def IdentityReader(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def IdentityReaderV2(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def If(
    *,
    cond: _Any,
    input: _Sequence[_Any],
    Tcond: _Any = ...,
    Tin: _Sequence[_Any] | None = ...,
    Tout: _Sequence[_Any],
    then_branch: _Any,
    else_branch: _Any,
    output_shapes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def Igamma(*, a: _Any, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IgammaGradA(*, a: _Any, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Igammac(*, a: _Any, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IgnoreErrorsDataset(
    *,
    input_dataset: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    log_warning: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Imag(*, input: _Any, T: _Any = ..., Tout: _Any = ..., name: str | None = ...) -> _Tensor: ...
def ImageSummary(
    *,
    tag: _Any,
    tensor: _Any,
    max_images: int | None = ...,
    T: _Any = ...,
    bad_color: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def InTopK(
    *,
    predictions: _Any,
    targets: _Any,
    k: int,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def InTopKV2(
    *,
    predictions: _Any,
    targets: _Any,
    k: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def InitializeTableFromTextFileV2(
    *,
    table_handle: _Any,
    filename: _Any,
    key_index: int,
    value_index: int,
    vocab_size: int | None = ...,
    delimiter: str | bytes | None = ...,
    offset: int | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def InitializeTableV2(
    *,
    table_handle: _Any,
    keys: _Any,
    values: _Any,
    Tkey: _Any = ...,
    Tval: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def InterleaveDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    cycle_length: _Any,
    block_length: _Any,
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Invert(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def InvertPermutation(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IsFinite(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IsInf(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IsNan(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def IsVariableInitialized(*, ref: _Any, dtype: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Iterator(
    *,
    shared_name: str | bytes,
    container: str | bytes,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def IteratorFromStringHandle(
    *,
    string_handle: _Any,
    output_types: _Sequence[_Any] | None = ...,
    output_shapes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def IteratorFromStringHandleV2(
    *,
    string_handle: _Any,
    output_types: _Sequence[_Any] | None = ...,
    output_shapes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def IteratorGetNext(
    *,
    iterator: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def IteratorGetNextSync(
    *,
    iterator: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def IteratorToStringHandle(*, resource_handle: _Any, name: str | None = ...) -> _Tensor: ...
def IteratorV2(
    *,
    shared_name: str | bytes,
    container: str | bytes,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def L2Loss(*, t: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def LRN(
    *,
    input: _Any,
    depth_radius: int | None = ...,
    bias: float | None = ...,
    alpha: float | None = ...,
    beta: float | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def LRNGrad(
    *,
    input_grads: _Any,
    input_image: _Any,
    output_image: _Any,
    depth_radius: int | None = ...,
    bias: float | None = ...,
    alpha: float | None = ...,
    beta: float | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def LeakyRelu(
    *,
    features: _Any,
    alpha: float | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def LeakyReluGrad(
    *,
    gradients: _Any,
    features: _Any,
    alpha: float | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def LearnedUnigramCandidateSampler(
    *,
    true_classes: _Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = ...,
    seed2: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def LeftShift(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def LegacyParallelInterleaveDatasetV2(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    cycle_length: _Any,
    block_length: _Any,
    buffer_output_elements: _Any,
    prefetch_input_elements: _Any,
    f: _Any,
    deterministic: str | bytes | None = ...,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Less(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def LessEqual(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Lgamma(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Log(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Log1p(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def LogMatrixDeterminant(
    *,
    input: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def LogSoftmax(*, logits: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def LogUniformCandidateSampler(
    *,
    true_classes: _Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = ...,
    seed2: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def LogicalAnd(*, x: _Any, y: _Any, name: str | None = ...) -> _Tensor: ...
def LogicalNot(*, x: _Any, name: str | None = ...) -> _Tensor: ...
def LogicalOr(*, x: _Any, y: _Any, name: str | None = ...) -> _Tensor: ...
def LookupTableExportV2(
    *,
    table_handle: _Any,
    Tkeys: _Any,
    Tvalues: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def LookupTableFindV2(
    *,
    table_handle: _Any,
    keys: _Any,
    default_value: _Any,
    Tin: _Any = ...,
    Tout: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def LookupTableImportV2(
    *,
    table_handle: _Any,
    keys: _Any,
    values: _Any,
    Tin: _Any = ...,
    Tout: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def LookupTableInsertV2(
    *,
    table_handle: _Any,
    keys: _Any,
    values: _Any,
    Tin: _Any = ...,
    Tout: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def LookupTableRemoveV2(
    *,
    table_handle: _Any,
    keys: _Any,
    Tin: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def LookupTableSizeV2(*, table_handle: _Any, name: str | None = ...) -> _Tensor: ...
def LoopCond(*, input: _Any, name: str | None = ...) -> _Tensor: ...
def LowerBound(
    *,
    sorted_inputs: _Any,
    values: _Any,
    T: _Any = ...,
    out_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MakeIterator(*, dataset: _Any, iterator: _Any, name: str | None = ...) -> _Operation: ...
def MapAndBatchDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    batch_size: _Any,
    num_parallel_calls: _Any,
    drop_remainder: _Any,
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    preserve_cardinality: bool | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MapClear(
    *,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def MapDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    use_inter_op_parallelism: bool | None = ...,
    preserve_cardinality: bool | None = ...,
    force_synchronous: bool | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MapIncompleteSize(
    *,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MapPeek(
    *,
    key: _Any,
    indices: _Any,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def MapSize(
    *,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MapStage(
    *,
    key: _Any,
    indices: _Any,
    values: _Sequence[_Any],
    fake_dtypes: _Sequence[_Any] | None = ...,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def MapUnstage(
    *,
    key: _Any,
    indices: _Any,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def MapUnstageNoKey(
    *,
    indices: _Any,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def MatMul(
    *,
    a: _Any,
    b: _Any,
    transpose_a: bool | None = ...,
    transpose_b: bool | None = ...,
    T: _Any = ...,
    grad_a: bool | None = ...,
    grad_b: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MatchingFiles(*, pattern: _Any, name: str | None = ...) -> _Tensor: ...
def MatrixBandPart(
    *,
    input: _Any,
    num_lower: _Any,
    num_upper: _Any,
    T: _Any = ...,
    Tindex: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MatrixDeterminant(*, input: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def MatrixDiag(*, diagonal: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def MatrixDiagPart(*, input: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def MatrixInverse(
    *,
    input: _Any,
    adjoint: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MatrixSetDiag(
    *,
    input: _Any,
    diagonal: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MatrixSolve(
    *,
    matrix: _Any,
    rhs: _Any,
    adjoint: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MatrixTriangularSolve(
    *,
    matrix: _Any,
    rhs: _Any,
    lower: bool | None = ...,
    adjoint: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Max(
    *,
    input: _Any,
    axis: _Any,
    keep_dims: bool | None = ...,
    T: _Any = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MaxPool(
    *,
    input: _Any,
    T: _Any = ...,
    ksize: _Sequence[int],
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID", "EXPLICIT"],
    explicit_paddings: _Sequence[int] | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MaxPool3D(
    *,
    input: _Any,
    ksize: _Sequence[int],
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID"],
    data_format: _Literal["NDHWC", "NCDHW"] | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MaxPool3DGrad(
    *,
    orig_input: _Any,
    orig_output: _Any,
    grad: _Any,
    ksize: _Sequence[int],
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID"],
    data_format: _Literal["NDHWC", "NCDHW"] | None = ...,
    T: _Any = ...,
    TInput: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MaxPoolGrad(
    *,
    orig_input: _Any,
    orig_output: _Any,
    grad: _Any,
    ksize: _Sequence[int],
    strides: _Sequence[int],
    padding: _Literal["SAME", "VALID", "EXPLICIT"],
    explicit_paddings: _Sequence[int] | None = ...,
    data_format: _Literal["NHWC", "NCHW"] | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Maximum(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Mean(
    *,
    input: _Any,
    axis: _Any,
    keep_dims: bool | None = ...,
    T: _Any = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Merge(
    *,
    inputs: _Sequence[_Any],
    T: _Any = ...,
    N: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def MergeSummary(
    *,
    inputs: _Sequence[_Any],
    N: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MergeV2Checkpoints(
    *,
    checkpoint_prefixes: _Any,
    destination_prefix: _Any,
    delete_old_dirs: bool | None = ...,
    allow_missing_files: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def Min(
    *,
    input: _Any,
    axis: _Any,
    keep_dims: bool | None = ...,
    T: _Any = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Minimum(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def MirrorPad(
    *,
    input: _Any,
    paddings: _Any,
    T: _Any = ...,
    Tpaddings: _Any = ...,
    mode: _Literal["REFLECT", "SYMMETRIC"],
    name: str | None = ...,
) -> _Tensor: ...
def MirrorPadGrad(
    *,
    input: _Any,
    paddings: _Any,
    T: _Any = ...,
    Tpaddings: _Any = ...,
    mode: _Literal["REFLECT", "SYMMETRIC"],
    name: str | None = ...,
) -> _Tensor: ...
def ModelDataset(
    *,
    input_dataset: _Any,
    algorithm: int | None = ...,
    cpu_budget: int | None = ...,
    ram_budget: int | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def Mul(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Multinomial(
    *,
    logits: _Any,
    num_samples: _Any,
    seed: int | None = ...,
    seed2: int | None = ...,
    T: _Any = ...,
    output_dtype: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MutableHashTableOfTensorsV2(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    use_node_name_sharing: bool | None = ...,
    key_dtype: _Any,
    value_dtype: _Any,
    value_shape: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def MutableHashTableV2(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    use_node_name_sharing: bool | None = ...,
    key_dtype: _Any,
    value_dtype: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def NativeFunction(
    *,
    input: _Sequence[_Any],
    token: str | bytes,
    Tin: _Sequence[_Any] | None = ...,
    Tout: _Sequence[_Any],
    shape_of: _Sequence[int],
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def Neg(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def NextIteration(*, data: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def NoOp(*, name: str | None = ...) -> _Operation: ...
def NonMaxSuppression(
    *,
    boxes: _Any,
    scores: _Any,
    max_output_size: _Any,
    iou_threshold: float | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def NonMaxSuppressionV2(
    *,
    boxes: _Any,
    scores: _Any,
    max_output_size: _Any,
    iou_threshold: _Any,
    T: _Any = ...,
    T_threshold: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def NonMaxSuppressionV3(
    *,
    boxes: _Any,
    scores: _Any,
    max_output_size: _Any,
    iou_threshold: _Any,
    score_threshold: _Any,
    T: _Any = ...,
    T_threshold: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def NonMaxSuppressionV4(
    *,
    boxes: _Any,
    scores: _Any,
    max_output_size: _Any,
    iou_threshold: _Any,
    score_threshold: _Any,
    T: _Any = ...,
    T_threshold: _Any = ...,
    pad_to_max_output_size: bool | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def NonMaxSuppressionV5(
    *,
    boxes: _Any,
    scores: _Any,
    max_output_size: _Any,
    iou_threshold: _Any,
    score_threshold: _Any,
    soft_nms_sigma: _Any,
    T: _Any = ...,
    pad_to_max_output_size: bool | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def NonMaxSuppressionWithOverlaps(
    *,
    overlaps: _Any,
    scores: _Any,
    max_output_size: _Any,
    overlap_threshold: _Any,
    score_threshold: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def NotEqual(
    *,
    x: _Any,
    y: _Any,
    T: _Any = ...,
    incompatible_shape_error: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def OneHot(
    *,
    indices: _Any,
    depth: _Any,
    on_value: _Any,
    off_value: _Any,
    axis: int | None = ...,
    T: _Any = ...,
    TI: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def OneShotIterator(
    *,
    dataset_factory: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def OnesLike(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def OptimizeDataset(
    *,
    input_dataset: _Any,
    optimizations: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    optimization_configs: _Sequence[str | bytes] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def OptionalFromValue(
    *,
    components: _Sequence[_Any],
    Toutput_types: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def OptionalGetValue(
    *,
    optional: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def OptionalHasValue(*, optional: _Any, name: str | None = ...) -> _Tensor: ...
def OptionalNone(*, name: str | None = ...) -> _Tensor: ...
def OptionsDataset(
    *,
    input_dataset: _Any,
    serialized_options: str | bytes,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def OrderedMapClear(
    *,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def OrderedMapIncompleteSize(
    *,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def OrderedMapPeek(
    *,
    key: _Any,
    indices: _Any,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def OrderedMapSize(
    *,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def OrderedMapStage(
    *,
    key: _Any,
    indices: _Any,
    values: _Sequence[_Any],
    fake_dtypes: _Sequence[_Any] | None = ...,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def OrderedMapUnstage(
    *,
    key: _Any,
    indices: _Any,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def OrderedMapUnstageNoKey(
    *,
    indices: _Any,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Pack(
    *,
    values: _Sequence[_Any],
    N: int | None = ...,
    T: _Any = ...,
    axis: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Pad(
    *,
    input: _Any,
    paddings: _Any,
    T: _Any = ...,
    Tpaddings: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def PadV2(
    *,
    input: _Any,
    paddings: _Any,
    constant_values: _Any,
    T: _Any = ...,
    Tpaddings: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def PaddedBatchDataset(
    *,
    input_dataset: _Any,
    batch_size: _Any,
    padded_shapes: _Sequence[_Any],
    padding_values: _Sequence[_Any],
    Toutput_types: _Sequence[_Any] | None = ...,
    output_shapes: _Sequence[_Any],
    N: int | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def PaddedBatchDatasetV2(
    *,
    input_dataset: _Any,
    batch_size: _Any,
    padded_shapes: _Sequence[_Any],
    padding_values: _Sequence[_Any],
    drop_remainder: _Any,
    parallel_copy: bool | None = ...,
    Toutput_types: _Sequence[_Any] | None = ...,
    output_shapes: _Sequence[_Any],
    N: int | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def PaddingFIFOQueue(
    *,
    shapes: _Sequence[_Any] | None = ...,
    capacity: int | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    component_types: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def PaddingFIFOQueueV2(
    *,
    shapes: _Sequence[_Any] | None = ...,
    capacity: int | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    component_types: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor: ...
def ParallelBatchDataset(
    *,
    input_dataset: _Any,
    batch_size: _Any,
    num_parallel_calls: _Any,
    drop_remainder: _Any,
    parallel_copy: bool | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    deterministic: str | bytes | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ParallelDynamicStitch(
    *,
    indices: _Sequence[_Any],
    data: _Sequence[_Any],
    N: int | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ParallelInterleaveDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    cycle_length: _Any,
    block_length: _Any,
    sloppy: _Any,
    buffer_output_elements: _Any,
    prefetch_input_elements: _Any,
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ParallelInterleaveDatasetV2(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    cycle_length: _Any,
    block_length: _Any,
    num_parallel_calls: _Any,
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    sloppy: bool | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ParallelInterleaveDatasetV4(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    cycle_length: _Any,
    block_length: _Any,
    buffer_output_elements: _Any,
    prefetch_input_elements: _Any,
    num_parallel_calls: _Any,
    f: _Any,
    deterministic: str | bytes | None = ...,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ParallelMapDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    num_parallel_calls: _Any,
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    use_inter_op_parallelism: bool | None = ...,
    sloppy: bool | None = ...,
    preserve_cardinality: bool | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ParallelMapDatasetV2(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    num_parallel_calls: _Any,
    f: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    use_inter_op_parallelism: bool | None = ...,
    deterministic: str | bytes | None = ...,
    preserve_cardinality: bool | None = ...,
    use_unbounded_threadpool: bool | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ParseExample(
    *,
    serialized: _Any,
    names: _Any,
    sparse_keys: _Sequence[_Any],
    dense_keys: _Sequence[_Any],
    dense_defaults: _Sequence[_Any],
    Nsparse: int | None = ...,
    Ndense: int | None = ...,
    sparse_types: _Sequence[_Any],
    Tdense: _Sequence[_Any] | None = ...,
    dense_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> list[_Tensor]: ...
def ParseExampleV2(
    *,
    serialized: _Any,
    names: _Any,
    sparse_keys: _Any,
    dense_keys: _Any,
    ragged_keys: _Any,
    dense_defaults: _Sequence[_Any],
    Tdense: _Sequence[_Any] | None = ...,
    num_sparse: int,
    sparse_types: _Sequence[_Any],
    ragged_value_types: _Sequence[_Any],
    ragged_split_types: _Sequence[_Any],
    dense_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> list[_Tensor]: ...
def ParseSequenceExample(
    *,
    serialized: _Any,
    debug_name: _Any,
    context_dense_defaults: _Sequence[_Any],
    feature_list_dense_missing_assumed_empty: _Sequence[str | bytes],
    context_sparse_keys: _Sequence[str | bytes],
    context_dense_keys: _Sequence[str | bytes],
    feature_list_sparse_keys: _Sequence[str | bytes],
    feature_list_dense_keys: _Sequence[str | bytes],
    Ncontext_sparse: int | None = ...,
    Ncontext_dense: int | None = ...,
    Nfeature_list_sparse: int | None = ...,
    Nfeature_list_dense: int | None = ...,
    context_sparse_types: _Sequence[_Any] | None = ...,
    Tcontext_dense: _Sequence[_Any] | None = ...,
    feature_list_dense_types: _Sequence[_Any] | None = ...,
    context_dense_shapes: _Sequence[_Any] | None = ...,
    feature_list_sparse_types: _Sequence[_Any] | None = ...,
    feature_list_dense_shapes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def ParseSequenceExampleV2(
    *,
    serialized: _Any,
    debug_name: _Any,
    context_sparse_keys: _Any,
    context_dense_keys: _Any,
    context_ragged_keys: _Any,
    feature_list_sparse_keys: _Any,
    feature_list_dense_keys: _Any,
    feature_list_ragged_keys: _Any,
    feature_list_dense_missing_assumed_empty: _Any,
    context_dense_defaults: _Sequence[_Any],
    Ncontext_sparse: int | None = ...,
    Tcontext_dense: _Sequence[_Any] | None = ...,
    context_sparse_types: _Sequence[_Any] | None = ...,
    context_ragged_value_types: _Sequence[_Any] | None = ...,
    context_ragged_split_types: _Sequence[_Any] | None = ...,
    context_dense_shapes: _Sequence[_Any] | None = ...,
    Nfeature_list_sparse: int | None = ...,
    Nfeature_list_dense: int | None = ...,
    feature_list_dense_types: _Sequence[_Any] | None = ...,
    feature_list_sparse_types: _Sequence[_Any] | None = ...,
    feature_list_ragged_value_types: _Sequence[_Any] | None = ...,
    feature_list_ragged_split_types: _Sequence[_Any] | None = ...,
    feature_list_dense_shapes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def ParseSingleExample(
    *,
    serialized: _Any,
    dense_defaults: _Sequence[_Any],
    num_sparse: int,
    sparse_keys: _Sequence[str | bytes],
    dense_keys: _Sequence[str | bytes],
    sparse_types: _Sequence[_Any],
    Tdense: _Sequence[_Any] | None = ...,
    dense_shapes: _Sequence[_Any],
    name: str | None = ...,
) -> list[_Tensor]: ...
def ParseSingleSequenceExample(
    *,
    serialized: _Any,
    feature_list_dense_missing_assumed_empty: _Any,
    context_sparse_keys: _Sequence[_Any],
    context_dense_keys: _Sequence[_Any],
    feature_list_sparse_keys: _Sequence[_Any],
    feature_list_dense_keys: _Sequence[_Any],
    context_dense_defaults: _Sequence[_Any],
    debug_name: _Any,
    Ncontext_sparse: int | None = ...,
    Ncontext_dense: int | None = ...,
    Nfeature_list_sparse: int | None = ...,
    Nfeature_list_dense: int | None = ...,
    context_sparse_types: _Sequence[_Any] | None = ...,
    Tcontext_dense: _Sequence[_Any] | None = ...,
    feature_list_dense_types: _Sequence[_Any] | None = ...,
    context_dense_shapes: _Sequence[_Any] | None = ...,
    feature_list_sparse_types: _Sequence[_Any] | None = ...,
    feature_list_dense_shapes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def ParseTensor(*, serialized: _Any, out_type: _Any, name: str | None = ...) -> _Tensor: ...
def PartitionedCall(
    *,
    args: _Sequence[_Any],
    Tin: _Sequence[_Any] | None = ...,
    Tout: _Sequence[_Any],
    f: _Any,
    config: str | bytes | None = ...,
    config_proto: str | bytes | None = ...,
    executor_type: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def Placeholder(*, dtype: _Any, shape: _Any = ..., name: str | None = ...) -> _Tensor: ...
def PlaceholderWithDefault(
    *,
    input: _Any,
    dtype: _Any = ...,
    shape: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def Polygamma(*, a: _Any, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def PopulationCount(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Pow(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def PrefetchDataset(
    *,
    input_dataset: _Any,
    buffer_size: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    slack_period: int | None = ...,
    legacy_autotune: bool | None = ...,
    buffer_size_min: int | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def PreventGradient(
    *,
    input: _Any,
    T: _Any = ...,
    message: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Print(
    *,
    input: _Any,
    data: _Sequence[_Any],
    T: _Any = ...,
    U: _Sequence[_Any] | None = ...,
    message: str | bytes | None = ...,
    first_n: int | None = ...,
    summarize: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def PriorityQueue(
    *,
    component_types: _Sequence[_Any] | None = ...,
    shapes: _Sequence[_Any],
    capacity: int | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def PriorityQueueV2(
    *,
    component_types: _Sequence[_Any] | None = ...,
    shapes: _Sequence[_Any],
    capacity: int | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Prod(
    *,
    input: _Any,
    axis: _Any,
    keep_dims: bool | None = ...,
    T: _Any = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def PyFunc(
    *,
    input: _Sequence[_Any],
    token: str | bytes,
    Tin: _Sequence[_Any] | None = ...,
    Tout: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def PyFuncStateless(
    *,
    input: _Sequence[_Any],
    token: str | bytes,
    Tin: _Sequence[_Any] | None = ...,
    Tout: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def Qr(
    *,
    input: _Any,
    full_matrices: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def QueueClose(
    *,
    handle: _Any,
    cancel_pending_enqueues: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def QueueCloseV2(
    *,
    handle: _Any,
    cancel_pending_enqueues: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def QueueDequeue(
    *,
    handle: _Any,
    component_types: _Sequence[_Any],
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def QueueDequeueMany(
    *,
    handle: _Any,
    n: _Any,
    component_types: _Sequence[_Any],
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def QueueDequeueManyV2(
    *,
    handle: _Any,
    n: _Any,
    component_types: _Sequence[_Any],
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def QueueDequeueUpTo(
    *,
    handle: _Any,
    n: _Any,
    component_types: _Sequence[_Any],
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def QueueDequeueUpToV2(
    *,
    handle: _Any,
    n: _Any,
    component_types: _Sequence[_Any],
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def QueueDequeueV2(
    *,
    handle: _Any,
    component_types: _Sequence[_Any],
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def QueueEnqueue(
    *,
    handle: _Any,
    components: _Sequence[_Any],
    Tcomponents: _Sequence[_Any] | None = ...,
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def QueueEnqueueMany(
    *,
    handle: _Any,
    components: _Sequence[_Any],
    Tcomponents: _Sequence[_Any] | None = ...,
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def QueueEnqueueManyV2(
    *,
    handle: _Any,
    components: _Sequence[_Any],
    Tcomponents: _Sequence[_Any] | None = ...,
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def QueueEnqueueV2(
    *,
    handle: _Any,
    components: _Sequence[_Any],
    Tcomponents: _Sequence[_Any] | None = ...,
    timeout_ms: int | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def QueueIsClosed(*, handle: _Any, name: str | None = ...) -> _Tensor: ...
def QueueIsClosedV2(*, handle: _Any, name: str | None = ...) -> _Tensor: ...
def QueueSize(*, handle: _Any, name: str | None = ...) -> _Tensor: ...
def QueueSizeV2(*, handle: _Any, name: str | None = ...) -> _Tensor: ...
def RFFT(
    *,
    input: _Any,
    fft_length: _Any,
    Treal: _Any = ...,
    Tcomplex: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RFFT2D(
    *,
    input: _Any,
    fft_length: _Any,
    Treal: _Any = ...,
    Tcomplex: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RFFT3D(
    *,
    input: _Any,
    fft_length: _Any,
    Treal: _Any = ...,
    Tcomplex: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RGBToHSV(*, images: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def RaggedGather(
    *,
    params_nested_splits: _Sequence[_Any],
    params_dense_values: _Any,
    indices: _Any,
    Tvalues: _Any = ...,
    Tindices: _Any = ...,
    Tsplits: _Any = ...,
    PARAMS_RAGGED_RANK: int | None = ...,
    OUTPUT_RAGGED_RANK: int,
    name: str | None = ...,
) -> list[_Tensor]: ...
def RaggedRange(
    *,
    starts: _Any,
    limits: _Any,
    deltas: _Any,
    T: _Any = ...,
    Tsplits: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def RaggedTensorFromVariant(
    *,
    encoded_ragged: _Any,
    input_ragged_rank: int,
    output_ragged_rank: int,
    Tvalues: _Any,
    Tsplits: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def RaggedTensorToSparse(
    *,
    rt_nested_splits: _Sequence[_Any],
    rt_dense_values: _Any,
    RAGGED_RANK: int | None = ...,
    T: _Any = ...,
    Tsplits: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def RaggedTensorToTensor(
    *,
    shape: _Any,
    values: _Any,
    default_value: _Any,
    row_partition_tensors: _Sequence[_Any],
    T: _Any = ...,
    Tindex: _Any = ...,
    Tshape: _Any = ...,
    num_row_partition_tensors: int | None = ...,
    row_partition_types: _Sequence[str | bytes],
    name: str | None = ...,
) -> _Tensor: ...
def RaggedTensorToVariant(
    *,
    rt_nested_splits: _Sequence[_Any],
    rt_dense_values: _Any,
    RAGGED_RANK: int | None = ...,
    Tvalues: _Any = ...,
    Tsplits: _Any = ...,
    batched_input: bool,
    name: str | None = ...,
) -> _Tensor: ...
def RandomDataset(
    *,
    seed: _Any,
    seed2: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RandomGamma(
    *,
    shape: _Any,
    alpha: _Any,
    seed: int | None = ...,
    seed2: int | None = ...,
    S: _Any = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RandomShuffle(
    *,
    value: _Any,
    seed: int | None = ...,
    seed2: int | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RandomShuffleQueue(
    *,
    shapes: _Sequence[_Any] | None = ...,
    capacity: int | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    component_types: _Sequence[_Any],
    min_after_dequeue: int | None = ...,
    seed: int | None = ...,
    seed2: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RandomShuffleQueueV2(
    *,
    shapes: _Sequence[_Any] | None = ...,
    capacity: int | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    component_types: _Sequence[_Any],
    min_after_dequeue: int | None = ...,
    seed: int | None = ...,
    seed2: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RandomStandardNormal(
    *,
    shape: _Any,
    seed: int | None = ...,
    seed2: int | None = ...,
    dtype: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RandomUniform(
    *,
    shape: _Any,
    seed: int | None = ...,
    seed2: int | None = ...,
    dtype: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RandomUniformInt(
    *,
    shape: _Any,
    minval: _Any,
    maxval: _Any,
    seed: int | None = ...,
    seed2: int | None = ...,
    Tout: _Any = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Range(
    *,
    start: _Any,
    limit: _Any,
    delta: _Any,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RangeDataset(
    *,
    start: _Any,
    stop: _Any,
    step: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    replicate_on_split: bool | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Rank(*, input: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def ReadFile(*, filename: _Any, name: str | None = ...) -> _Tensor: ...
def ReadVariableOp(*, resource: _Any, dtype: _Any, name: str | None = ...) -> _Tensor: ...
def ReaderNumRecordsProduced(*, reader_handle: _Any, name: str | None = ...) -> _Tensor: ...
def ReaderNumRecordsProducedV2(*, reader_handle: _Any, name: str | None = ...) -> _Tensor: ...
def ReaderNumWorkUnitsCompleted(*, reader_handle: _Any, name: str | None = ...) -> _Tensor: ...
def ReaderNumWorkUnitsCompletedV2(*, reader_handle: _Any, name: str | None = ...) -> _Tensor: ...
def ReaderRead(
    *,
    reader_handle: _Any,
    queue_handle: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def ReaderReadUpTo(
    *,
    reader_handle: _Any,
    queue_handle: _Any,
    num_records: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def ReaderReadUpToV2(
    *,
    reader_handle: _Any,
    queue_handle: _Any,
    num_records: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def ReaderReadV2(
    *,
    reader_handle: _Any,
    queue_handle: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def ReaderReset(*, reader_handle: _Any, name: str | None = ...) -> _Operation: ...
def ReaderResetV2(*, reader_handle: _Any, name: str | None = ...) -> _Operation: ...
def ReaderRestoreState(
    *,
    reader_handle: _Any,
    state: _Any,
    name: str | None = ...,
) -> _Operation: ...
def ReaderRestoreStateV2(
    *,
    reader_handle: _Any,
    state: _Any,
    name: str | None = ...,
) -> _Operation: ...
def ReaderSerializeState(*, reader_handle: _Any, name: str | None = ...) -> _Tensor: ...
def ReaderSerializeStateV2(*, reader_handle: _Any, name: str | None = ...) -> _Tensor: ...
def Real(*, input: _Any, T: _Any = ..., Tout: _Any = ..., name: str | None = ...) -> _Tensor: ...
def RealDiv(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Reciprocal(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def ReciprocalGrad(*, y: _Any, dy: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def RecordInput(
    *,
    file_pattern: str | bytes,
    file_random_seed: int | None = ...,
    file_shuffle_shift_ratio: float | None = ...,
    file_buffer_size: int | None = ...,
    file_parallelism: int | None = ...,
    batch_size: int | None = ...,
    compression_type: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ReduceDataset(
    *,
    input_dataset: _Any,
    initial_state: _Sequence[_Any],
    other_arguments: _Sequence[_Any],
    f: _Any,
    Tstate: _Sequence[_Any] | None = ...,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    use_inter_op_parallelism: bool | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def ReduceJoin(
    *,
    inputs: _Any,
    reduction_indices: _Any,
    keep_dims: bool | None = ...,
    separator: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RefEnter(
    *,
    data: _Any,
    T: _Any = ...,
    frame_name: str | bytes,
    is_constant: bool | None = ...,
    parallel_iterations: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RefExit(*, data: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def RefMerge(
    *,
    inputs: _Sequence[_Any],
    T: _Any = ...,
    N: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def RefNextIteration(*, data: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def RefSwitch(
    *,
    data: _Any,
    pred: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def RegexFullMatch(*, input: _Any, pattern: _Any, name: str | None = ...) -> _Tensor: ...
def RegexReplace(
    *,
    input: _Any,
    pattern: _Any,
    rewrite: _Any,
    replace_global: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Relu(*, features: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Relu6(*, features: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Relu6Grad(
    *,
    gradients: _Any,
    features: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ReluGrad(
    *,
    gradients: _Any,
    features: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RepeatDataset(
    *,
    input_dataset: _Any,
    count: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Reshape(
    *,
    tensor: _Any,
    shape: _Any,
    T: _Any = ...,
    Tshape: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResizeArea(
    *,
    images: _Any,
    size: _Any,
    T: _Any = ...,
    align_corners: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResizeBicubic(
    *,
    images: _Any,
    size: _Any,
    T: _Any = ...,
    align_corners: bool | None = ...,
    half_pixel_centers: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResizeBicubicGrad(
    *,
    grads: _Any,
    original_image: _Any,
    T: _Any = ...,
    align_corners: bool | None = ...,
    half_pixel_centers: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResizeBilinear(
    *,
    images: _Any,
    size: _Any,
    T: _Any = ...,
    align_corners: bool | None = ...,
    half_pixel_centers: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResizeBilinearGrad(
    *,
    grads: _Any,
    original_image: _Any,
    T: _Any = ...,
    align_corners: bool | None = ...,
    half_pixel_centers: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResizeNearestNeighbor(
    *,
    images: _Any,
    size: _Any,
    T: _Any = ...,
    align_corners: bool | None = ...,
    half_pixel_centers: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResizeNearestNeighborGrad(
    *,
    grads: _Any,
    size: _Any,
    T: _Any = ...,
    align_corners: bool | None = ...,
    half_pixel_centers: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResourceAccumulatorApplyGradient(
    *,
    handle: _Any,
    local_step: _Any,
    gradient: _Any,
    dtype: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceAccumulatorNumAccumulated(*, handle: _Any, name: str | None = ...) -> _Tensor: ...
def ResourceAccumulatorSetGlobalStep(
    *,
    handle: _Any,
    new_global_step: _Any,
    name: str | None = ...,
) -> _Operation: ...
def ResourceAccumulatorTakeGradient(
    *,
    handle: _Any,
    num_required: _Any,
    dtype: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def ResourceApplyAdagrad(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    update_slots: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceApplyAdagradV2(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    epsilon: _Any,
    grad: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    update_slots: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceApplyAdam(
    *,
    var: _Any,
    m: _Any,
    v: _Any,
    beta1_power: _Any,
    beta2_power: _Any,
    lr: _Any,
    beta1: _Any,
    beta2: _Any,
    epsilon: _Any,
    grad: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    use_nesterov: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceApplyGradientDescent(
    *,
    var: _Any,
    alpha: _Any,
    delta: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceApplyKerasMomentum(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    momentum: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    use_nesterov: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceApplyMomentum(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    momentum: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    use_nesterov: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceApplyRMSProp(
    *,
    var: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    T: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceConditionalAccumulator(
    *,
    dtype: _Any,
    shape: _Any,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    reduction_type: _Literal["MEAN", "SUM"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResourceCountUpTo(
    *,
    resource: _Any,
    limit: int,
    T: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def ResourceGather(
    *,
    resource: _Any,
    indices: _Any,
    batch_dims: int | None = ...,
    validate_indices: bool | None = ...,
    dtype: _Any,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ResourceScatterAdd(
    *,
    resource: _Any,
    indices: _Any,
    updates: _Any,
    dtype: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceScatterDiv(
    *,
    resource: _Any,
    indices: _Any,
    updates: _Any,
    dtype: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceScatterMax(
    *,
    resource: _Any,
    indices: _Any,
    updates: _Any,
    dtype: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceScatterMin(
    *,
    resource: _Any,
    indices: _Any,
    updates: _Any,
    dtype: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceScatterMul(
    *,
    resource: _Any,
    indices: _Any,
    updates: _Any,
    dtype: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceScatterNdAdd(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceScatterNdSub(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceScatterNdUpdate(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceScatterSub(
    *,
    resource: _Any,
    indices: _Any,
    updates: _Any,
    dtype: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceScatterUpdate(
    *,
    resource: _Any,
    indices: _Any,
    updates: _Any,
    dtype: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceSparseApplyAdagrad(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    indices: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    update_slots: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceSparseApplyAdagradV2(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    update_slots: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceSparseApplyCenteredRMSProp(
    *,
    var: _Any,
    mg: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceSparseApplyKerasMomentum(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    indices: _Any,
    momentum: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    use_nesterov: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceSparseApplyMomentum(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    indices: _Any,
    momentum: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    use_nesterov: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceSparseApplyRMSProp(
    *,
    var: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ResourceStridedSliceAssign(
    *,
    ref: _Any,
    begin: _Any,
    end: _Any,
    strides: _Any,
    value: _Any,
    T: _Any = ...,
    Index: _Any = ...,
    begin_mask: int | None = ...,
    end_mask: int | None = ...,
    ellipsis_mask: int | None = ...,
    new_axis_mask: int | None = ...,
    shrink_axis_mask: int | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def Restore(
    *,
    file_pattern: _Any,
    tensor_name: _Any,
    dt: _Any,
    preferred_shard: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RestoreSlice(
    *,
    file_pattern: _Any,
    tensor_name: _Any,
    shape_and_slice: _Any,
    dt: _Any,
    preferred_shard: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RestoreV2(
    *,
    prefix: _Any,
    tensor_names: _Any,
    shape_and_slices: _Any,
    dtypes: _Sequence[_Any],
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def ReverseSequence(
    *,
    input: _Any,
    seq_lengths: _Any,
    seq_dim: int,
    batch_dim: int | None = ...,
    T: _Any = ...,
    Tlen: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ReverseV2(
    *,
    tensor: _Any,
    axis: _Any,
    Tidx: _Any = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def RightShift(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Roll(
    *,
    input: _Any,
    shift: _Any,
    axis: _Any,
    T: _Any = ...,
    Tshift: _Any = ...,
    Taxis: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Round(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Rsqrt(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def RsqrtGrad(*, y: _Any, dy: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def SampleDistortedBoundingBox(
    *,
    image_size: _Any,
    bounding_boxes: _Any,
    T: _Any = ...,
    seed: int | None = ...,
    seed2: int | None = ...,
    min_object_covered: float | None = ...,
    aspect_ratio_range: _Sequence[float] | None = ...,
    area_range: _Sequence[float] | None = ...,
    max_attempts: int | None = ...,
    use_image_if_no_bounding_boxes: bool | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SampleDistortedBoundingBoxV2(
    *,
    image_size: _Any,
    bounding_boxes: _Any,
    min_object_covered: _Any,
    T: _Any = ...,
    seed: int | None = ...,
    seed2: int | None = ...,
    aspect_ratio_range: _Sequence[float] | None = ...,
    area_range: _Sequence[float] | None = ...,
    max_attempts: int | None = ...,
    use_image_if_no_bounding_boxes: bool | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Save(
    *,
    filename: _Any,
    tensor_names: _Any,
    data: _Sequence[_Any],
    T: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def SaveSlices(
    *,
    filename: _Any,
    tensor_names: _Any,
    shapes_and_slices: _Any,
    data: _Sequence[_Any],
    T: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def SaveV2(
    *,
    prefix: _Any,
    tensor_names: _Any,
    shape_and_slices: _Any,
    tensors: _Sequence[_Any],
    dtypes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def ScalarSummary(
    *,
    tags: _Any,
    values: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScanDataset(
    *,
    input_dataset: _Any,
    initial_state: _Sequence[_Any],
    other_arguments: _Sequence[_Any],
    f: _Any,
    Tstate: _Sequence[_Any] | None = ...,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    preserve_cardinality: bool | None = ...,
    use_default_device: bool | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterAdd(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterDiv(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterMax(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterMin(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterMul(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterNd(
    *,
    indices: _Any,
    updates: _Any,
    shape: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterNdAdd(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterNdNonAliasingAdd(
    *,
    input: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterNdSub(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterNdUpdate(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterSub(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ScatterUpdate(
    *,
    ref: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SegmentMax(
    *,
    data: _Any,
    segment_ids: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SegmentMean(
    *,
    data: _Any,
    segment_ids: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SegmentMin(
    *,
    data: _Any,
    segment_ids: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SegmentProd(
    *,
    data: _Any,
    segment_ids: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SegmentSum(
    *,
    data: _Any,
    segment_ids: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Select(
    *,
    condition: _Any,
    x: _Any,
    y: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SelectV2(
    *,
    condition: _Any,
    t: _Any,
    e: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SelfAdjointEigV2(
    *,
    input: _Any,
    compute_v: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Selu(*, features: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def SeluGrad(
    *,
    gradients: _Any,
    outputs: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SerializeManySparse(
    *,
    sparse_indices: _Any,
    sparse_values: _Any,
    sparse_shape: _Any,
    T: _Any = ...,
    out_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SerializeSparse(
    *,
    sparse_indices: _Any,
    sparse_values: _Any,
    sparse_shape: _Any,
    T: _Any = ...,
    out_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SerializeTensor(*, tensor: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Shape(
    *,
    input: _Any,
    T: _Any = ...,
    out_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ShapeN(
    *,
    input: _Sequence[_Any],
    N: int | None = ...,
    T: _Any = ...,
    out_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def ShardDataset(
    *,
    input_dataset: _Any,
    num_shards: _Any,
    index: _Any,
    require_non_empty: bool | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ShardedFilename(
    *,
    basename: _Any,
    shard: _Any,
    num_shards: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def ShardedFilespec(*, basename: _Any, num_shards: _Any, name: str | None = ...) -> _Tensor: ...
def ShuffleAndRepeatDataset(
    *,
    input_dataset: _Any,
    buffer_size: _Any,
    seed: _Any,
    seed2: _Any,
    count: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    reshuffle_each_iteration: bool | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ShuffleDataset(
    *,
    input_dataset: _Any,
    buffer_size: _Any,
    seed: _Any,
    seed2: _Any,
    reshuffle_each_iteration: bool | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ShuffleDatasetV3(
    *,
    input_dataset: _Any,
    buffer_size: _Any,
    seed: _Any,
    seed2: _Any,
    seed_generator: _Any,
    reshuffle_each_iteration: bool | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Sigmoid(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def SigmoidGrad(*, y: _Any, dy: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Sign(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Sin(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Sinh(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Size(
    *,
    input: _Any,
    T: _Any = ...,
    out_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SkipDataset(
    *,
    input_dataset: _Any,
    count: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Slice(
    *,
    input: _Any,
    begin: _Any,
    size: _Any,
    T: _Any = ...,
    Index: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Softmax(*, logits: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def SoftmaxCrossEntropyWithLogits(
    *,
    features: _Any,
    labels: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Softplus(*, features: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def SoftplusGrad(
    *,
    gradients: _Any,
    features: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Softsign(*, features: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def SoftsignGrad(
    *,
    gradients: _Any,
    features: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SpaceToBatch(
    *,
    input: _Any,
    paddings: _Any,
    T: _Any = ...,
    Tpaddings: _Any = ...,
    block_size: int,
    name: str | None = ...,
) -> _Tensor: ...
def SpaceToBatchND(
    *,
    input: _Any,
    block_shape: _Any,
    paddings: _Any,
    T: _Any = ...,
    Tblock_shape: _Any = ...,
    Tpaddings: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SpaceToDepth(
    *,
    input: _Any,
    T: _Any = ...,
    block_size: int,
    data_format: _Literal["NHWC", "NCHW", "NCHW_VECT_C"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseAccumulatorApplyGradient(
    *,
    handle: _Any,
    local_step: _Any,
    gradient_indices: _Any,
    gradient_values: _Any,
    gradient_shape: _Any,
    dtype: _Any = ...,
    has_known_shape: bool,
    name: str | None = ...,
) -> _Operation: ...
def SparseAccumulatorTakeGradient(
    *,
    handle: _Any,
    num_required: _Any,
    dtype: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseAdd(
    *,
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b_indices: _Any,
    b_values: _Any,
    b_shape: _Any,
    thresh: _Any,
    T: _Any = ...,
    Treal: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseAddGrad(
    *,
    backprop_val_grad: _Any,
    a_indices: _Any,
    b_indices: _Any,
    sum_indices: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseApplyAdagrad(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    indices: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    update_slots: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseApplyCenteredRMSProp(
    *,
    var: _Any,
    mg: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseApplyMomentum(
    *,
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    indices: _Any,
    momentum: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    use_nesterov: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseApplyRMSProp(
    *,
    var: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    use_locking: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseConcat(
    *,
    indices: _Sequence[_Any],
    values: _Sequence[_Any],
    shapes: _Sequence[_Any],
    concat_dim: int,
    N: int | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseConditionalAccumulator(
    *,
    dtype: _Any,
    shape: _Any,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    reduction_type: _Literal["MEAN", "SUM"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseCross(
    *,
    indices: _Sequence[_Any],
    values: _Sequence[_Any],
    shapes: _Sequence[_Any],
    dense_inputs: _Sequence[_Any],
    N: int | None = ...,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    sparse_types: _Sequence[_Any] | None = ...,
    dense_types: _Sequence[_Any] | None = ...,
    out_type: _Any,
    internal_type: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseDenseCwiseAdd(
    *,
    sp_indices: _Any,
    sp_values: _Any,
    sp_shape: _Any,
    dense: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseDenseCwiseDiv(
    *,
    sp_indices: _Any,
    sp_values: _Any,
    sp_shape: _Any,
    dense: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseDenseCwiseMul(
    *,
    sp_indices: _Any,
    sp_values: _Any,
    sp_shape: _Any,
    dense: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseFillEmptyRows(
    *,
    indices: _Any,
    values: _Any,
    dense_shape: _Any,
    default_value: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseFillEmptyRowsGrad(
    *,
    reverse_index_map: _Any,
    grad_values: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseReduceMax(
    *,
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseReduceMaxSparse(
    *,
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseReduceSum(
    *,
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseReduceSumSparse(
    *,
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseReorder(
    *,
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseReshape(
    *,
    input_indices: _Any,
    input_shape: _Any,
    new_shape: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseSegmentMean(
    *,
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    Tsegmentids: _Any = ...,
    sparse_gradient: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSegmentMeanGrad(
    *,
    grad: _Any,
    indices: _Any,
    segment_ids: _Any,
    output_dim0: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    Tsegmentids: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSegmentMeanWithNumSegments(
    *,
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    Tnumsegments: _Any = ...,
    Tsegmentids: _Any = ...,
    sparse_gradient: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSegmentSqrtN(
    *,
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    Tsegmentids: _Any = ...,
    sparse_gradient: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSegmentSqrtNGrad(
    *,
    grad: _Any,
    indices: _Any,
    segment_ids: _Any,
    output_dim0: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    Tsegmentids: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSegmentSqrtNWithNumSegments(
    *,
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    Tnumsegments: _Any = ...,
    Tsegmentids: _Any = ...,
    sparse_gradient: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSegmentSum(
    *,
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    Tsegmentids: _Any = ...,
    sparse_gradient: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSegmentSumGrad(
    *,
    grad: _Any,
    indices: _Any,
    segment_ids: _Any,
    output_dim0: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    Tsegmentids: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSegmentSumWithNumSegments(
    *,
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    T: _Any = ...,
    Tidx: _Any = ...,
    Tnumsegments: _Any = ...,
    Tsegmentids: _Any = ...,
    sparse_gradient: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSlice(
    *,
    indices: _Any,
    values: _Any,
    shape: _Any,
    start: _Any,
    size: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseSliceGrad(
    *,
    backprop_val_grad: _Any,
    input_indices: _Any,
    input_start: _Any,
    output_indices: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSoftmax(
    *,
    sp_indices: _Any,
    sp_values: _Any,
    sp_shape: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseSoftmaxCrossEntropyWithLogits(
    *,
    features: _Any,
    labels: _Any,
    T: _Any = ...,
    Tlabels: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseSparseMaximum(
    *,
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b_indices: _Any,
    b_values: _Any,
    b_shape: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseSparseMinimum(
    *,
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b_indices: _Any,
    b_values: _Any,
    b_shape: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseSplit(
    *,
    split_dim: _Any,
    indices: _Any,
    values: _Any,
    shape: _Any,
    num_split: int,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def SparseTensorDenseAdd(
    *,
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseTensorDenseMatMul(
    *,
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    adjoint_a: bool | None = ...,
    adjoint_b: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def SparseToDense(
    *,
    sparse_indices: _Any,
    output_shape: _Any,
    sparse_values: _Any,
    default_value: _Any,
    validate_indices: bool | None = ...,
    T: _Any = ...,
    Tindices: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Split(
    *,
    axis: _Any,
    value: _Any,
    num_split: int,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def SplitV(
    *,
    value: _Any,
    size_splits: _Any,
    axis: _Any,
    num_split: int,
    T: _Any = ...,
    Tlen: _Any = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def Sqrt(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def SqrtGrad(*, y: _Any, dy: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Square(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def SquaredDifference(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Squeeze(
    *,
    input: _Any,
    T: _Any = ...,
    axis: _Sequence[int] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StackCloseV2(*, handle: _Any, name: str | None = ...) -> _Operation: ...
def StackPopV2(*, handle: _Any, elem_type: _Any, name: str | None = ...) -> _Tensor: ...
def StackPushV2(
    *,
    handle: _Any,
    elem: _Any,
    T: _Any = ...,
    swap_memory: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StackV2(
    *,
    max_size: _Any,
    elem_type: _Any,
    stack_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Stage(
    *,
    values: _Sequence[_Any],
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any] | None = ...,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def StageClear(
    *,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Operation: ...
def StagePeek(
    *,
    index: _Any,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def StageSize(
    *,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StatefulPartitionedCall(
    *,
    args: _Sequence[_Any],
    Tin: _Sequence[_Any] | None = ...,
    Tout: _Sequence[_Any],
    f: _Any,
    config: str | bytes | None = ...,
    config_proto: str | bytes | None = ...,
    executor_type: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def StatelessCase(
    *,
    branch_index: _Any,
    input: _Sequence[_Any],
    Tin: _Sequence[_Any] | None = ...,
    Tout: _Sequence[_Any],
    branches: _Sequence[_Any],
    output_shapes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def StatelessIf(
    *,
    cond: _Any,
    input: _Sequence[_Any],
    Tcond: _Any = ...,
    Tin: _Sequence[_Any] | None = ...,
    Tout: _Sequence[_Any],
    then_branch: _Any,
    else_branch: _Any,
    output_shapes: _Sequence[_Any] | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def StatelessMultinomial(
    *,
    logits: _Any,
    num_samples: _Any,
    seed: _Any,
    T: _Any = ...,
    Tseed: _Any = ...,
    output_dtype: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StatelessRandomNormal(
    *,
    shape: _Any,
    seed: _Any,
    dtype: _Any = ...,
    T: _Any = ...,
    Tseed: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StatelessRandomUniform(
    *,
    shape: _Any,
    seed: _Any,
    dtype: _Any = ...,
    T: _Any = ...,
    Tseed: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StatelessRandomUniformFullInt(
    *,
    shape: _Any,
    seed: _Any,
    dtype: _Any,
    T: _Any = ...,
    Tseed: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StatelessRandomUniformInt(
    *,
    shape: _Any,
    seed: _Any,
    minval: _Any,
    maxval: _Any,
    dtype: _Any = ...,
    T: _Any = ...,
    Tseed: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StatelessTruncatedNormal(
    *,
    shape: _Any,
    seed: _Any,
    dtype: _Any = ...,
    T: _Any = ...,
    Tseed: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StatelessWhile(
    *,
    input: _Sequence[_Any],
    T: _Sequence[_Any] | None = ...,
    cond: _Any,
    body: _Any,
    output_shapes: _Sequence[_Any] | None = ...,
    parallel_iterations: int | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def StaticRegexFullMatch(
    *,
    input: _Any,
    pattern: str | bytes,
    name: str | None = ...,
) -> _Tensor: ...
def StaticRegexReplace(
    *,
    input: _Any,
    pattern: str | bytes,
    rewrite: str | bytes,
    replace_global: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StopGradient(*, input: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def StridedSlice(
    *,
    input: _Any,
    begin: _Any,
    end: _Any,
    strides: _Any,
    T: _Any = ...,
    Index: _Any = ...,
    begin_mask: int | None = ...,
    end_mask: int | None = ...,
    ellipsis_mask: int | None = ...,
    new_axis_mask: int | None = ...,
    shrink_axis_mask: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StridedSliceAssign(
    *,
    ref: _Any,
    begin: _Any,
    end: _Any,
    strides: _Any,
    value: _Any,
    T: _Any = ...,
    Index: _Any = ...,
    begin_mask: int | None = ...,
    end_mask: int | None = ...,
    ellipsis_mask: int | None = ...,
    new_axis_mask: int | None = ...,
    shrink_axis_mask: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StridedSliceGrad(
    *,
    shape: _Any,
    begin: _Any,
    end: _Any,
    strides: _Any,
    dy: _Any,
    T: _Any = ...,
    Index: _Any = ...,
    begin_mask: int | None = ...,
    end_mask: int | None = ...,
    ellipsis_mask: int | None = ...,
    new_axis_mask: int | None = ...,
    shrink_axis_mask: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StringJoin(
    *,
    inputs: _Sequence[_Any],
    N: int | None = ...,
    separator: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StringLength(
    *,
    input: _Any,
    unit: _Literal["BYTE", "UTF8_CHAR"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StringLower(
    *,
    input: _Any,
    encoding: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StringSplit(
    *,
    input: _Any,
    delimiter: _Any,
    skip_empty: bool | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def StringSplitV2(
    *,
    input: _Any,
    sep: _Any,
    maxsplit: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def StringStrip(*, input: _Any, name: str | None = ...) -> _Tensor: ...
def StringToHashBucket(
    *,
    string_tensor: _Any,
    num_buckets: int,
    name: str | None = ...,
) -> _Tensor: ...
def StringToHashBucketFast(*, input: _Any, num_buckets: int, name: str | None = ...) -> _Tensor: ...
def StringToHashBucketStrong(
    *,
    input: _Any,
    num_buckets: int,
    key: _Sequence[int],
    name: str | None = ...,
) -> _Tensor: ...
def StringToNumber(
    *,
    string_tensor: _Any,
    out_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def StringUpper(
    *,
    input: _Any,
    encoding: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Sub(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Substr(
    *,
    input: _Any,
    pos: _Any,
    len: _Any,
    T: _Any = ...,
    unit: _Literal["BYTE", "UTF8_CHAR"] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Sum(
    *,
    input: _Any,
    axis: _Any,
    keep_dims: bool | None = ...,
    T: _Any = ...,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Svd(
    *,
    input: _Any,
    compute_uv: bool | None = ...,
    full_matrices: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Switch(*, data: _Any, pred: _Any, T: _Any = ..., name: str | None = ...) -> list[_Tensor]: ...
def TFRecordDataset(
    *,
    filenames: _Any,
    compression_type: _Any,
    buffer_size: _Any,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TFRecordDatasetV2(
    *,
    filenames: _Any,
    compression_type: _Any,
    buffer_size: _Any,
    byte_offsets: _Any,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TFRecordReader(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    compression_type: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TFRecordReaderV2(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    compression_type: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TakeDataset(
    *,
    input_dataset: _Any,
    count: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TakeWhileDataset(
    *,
    input_dataset: _Any,
    other_arguments: _Sequence[_Any],
    predicate: _Any,
    Targuments: _Sequence[_Any] | None = ...,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Tan(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Tanh(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def TanhGrad(*, y: _Any, dy: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def TensorArrayCloseV3(*, handle: _Any, name: str | None = ...) -> _Operation: ...
def TensorArrayGatherV3(
    *,
    handle: _Any,
    indices: _Any,
    flow_in: _Any,
    dtype: _Any,
    element_shape: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorArrayGradV3(
    *,
    handle: _Any,
    flow_in: _Any,
    source: str | bytes,
    name: str | None = ...,
) -> list[_Tensor]: ...
def TensorArrayReadV3(
    *,
    handle: _Any,
    index: _Any,
    flow_in: _Any,
    dtype: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def TensorArrayScatterV3(
    *,
    handle: _Any,
    indices: _Any,
    value: _Any,
    flow_in: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorArraySizeV3(*, handle: _Any, flow_in: _Any, name: str | None = ...) -> _Tensor: ...
def TensorArrayV3(
    *,
    size: _Any,
    dtype: _Any,
    element_shape: _Any = ...,
    dynamic_size: bool | None = ...,
    clear_after_read: bool | None = ...,
    identical_element_shapes: bool | None = ...,
    tensor_array_name: str | bytes | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def TensorArrayWriteV3(
    *,
    handle: _Any,
    index: _Any,
    value: _Any,
    flow_in: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorDataset(
    *,
    components: _Sequence[_Any],
    Toutput_types: _Sequence[_Any] | None = ...,
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListConcatV2(
    *,
    input_handle: _Any,
    element_shape: _Any,
    leading_dims: _Any,
    element_dtype: _Any,
    shape_type: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def TensorListElementShape(
    *,
    input_handle: _Any,
    shape_type: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListFromTensor(
    *,
    tensor: _Any,
    element_shape: _Any,
    element_dtype: _Any = ...,
    shape_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListGather(
    *,
    input_handle: _Any,
    indices: _Any,
    element_shape: _Any,
    element_dtype: _Any,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListGetItem(
    *,
    input_handle: _Any,
    index: _Any,
    element_shape: _Any,
    element_dtype: _Any,
    Tshape: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListLength(*, input_handle: _Any, name: str | None = ...) -> _Tensor: ...
def TensorListPopBack(
    *,
    input_handle: _Any,
    element_shape: _Any,
    element_dtype: _Any,
    name: str | None = ...,
) -> list[_Tensor]: ...
def TensorListPushBack(
    *,
    input_handle: _Any,
    tensor: _Any,
    element_dtype: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListReserve(
    *,
    element_shape: _Any,
    num_elements: _Any,
    element_dtype: _Any,
    shape_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListResize(*, input_handle: _Any, size: _Any, name: str | None = ...) -> _Tensor: ...
def TensorListScatterIntoExistingList(
    *,
    input_handle: _Any,
    tensor: _Any,
    indices: _Any,
    element_dtype: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListScatterV2(
    *,
    tensor: _Any,
    indices: _Any,
    element_shape: _Any,
    num_elements: _Any,
    element_dtype: _Any = ...,
    shape_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListSetItem(
    *,
    input_handle: _Any,
    index: _Any,
    item: _Any,
    element_dtype: _Any = ...,
    resize_if_index_out_of_bounds: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListSplit(
    *,
    tensor: _Any,
    element_shape: _Any,
    lengths: _Any,
    element_dtype: _Any = ...,
    shape_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorListStack(
    *,
    input_handle: _Any,
    element_shape: _Any,
    element_dtype: _Any,
    num_elements: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorScatterAdd(
    *,
    tensor: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorScatterSub(
    *,
    tensor: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorScatterUpdate(
    *,
    tensor: _Any,
    indices: _Any,
    updates: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    bad_indices_policy: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorSliceDataset(
    *,
    components: _Sequence[_Any],
    Toutput_types: _Sequence[_Any] | None = ...,
    output_shapes: _Sequence[_Any],
    is_files: bool | None = ...,
    metadata: str | bytes | None = ...,
    replicate_on_split: bool | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TensorSummaryV2(
    *,
    tag: _Any,
    tensor: _Any,
    serialized_summary_metadata: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TextLineDataset(
    *,
    filenames: _Any,
    compression_type: _Any,
    buffer_size: _Any,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TextLineReader(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    skip_header_lines: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TextLineReaderV2(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    skip_header_lines: int | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ThreadUnsafeUnigramCandidateSampler(
    *,
    true_classes: _Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = ...,
    seed2: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Tile(
    *,
    input: _Any,
    multiples: _Any,
    T: _Any = ...,
    Tmultiples: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def ToBool(*, input: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def TopKV2(
    *,
    input: _Any,
    k: _Any,
    sorted: bool | None = ...,
    T: _Any = ...,
    Tk: _Any = ...,
    index_type: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Transpose(
    *,
    x: _Any,
    perm: _Any,
    T: _Any = ...,
    Tperm: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TridiagonalMatMul(
    *,
    superdiag: _Any,
    maindiag: _Any,
    subdiag: _Any,
    rhs: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TridiagonalSolve(
    *,
    diagonals: _Any,
    rhs: _Any,
    partial_pivoting: bool | None = ...,
    perturb_singular: bool | None = ...,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def TruncateDiv(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def TruncateMod(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def TruncatedNormal(
    *,
    shape: _Any,
    seed: int | None = ...,
    seed2: int | None = ...,
    dtype: _Any,
    T: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def UnbatchDataset(
    *,
    input_dataset: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def UniformCandidateSampler(
    *,
    true_classes: _Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = ...,
    seed2: int | None = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Unique(
    *,
    x: _Any,
    T: _Any = ...,
    out_idx: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def UniqueWithCounts(
    *,
    x: _Any,
    T: _Any = ...,
    out_idx: _Any = ...,
    name: str | None = ...,
) -> list[_Tensor]: ...
def Unpack(
    *,
    value: _Any,
    num: int,
    T: _Any = ...,
    axis: int | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def UnravelIndex(
    *,
    indices: _Any,
    dims: _Any,
    Tidx: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def UnsortedSegmentMax(
    *,
    data: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    Tnumsegments: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def UnsortedSegmentMin(
    *,
    data: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    Tnumsegments: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def UnsortedSegmentProd(
    *,
    data: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    Tnumsegments: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def UnsortedSegmentSum(
    *,
    data: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    T: _Any = ...,
    Tindices: _Any = ...,
    Tnumsegments: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Unstage(
    *,
    capacity: int | None = ...,
    memory_limit: int | None = ...,
    dtypes: _Sequence[_Any],
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def UpperBound(
    *,
    sorted_inputs: _Any,
    values: _Any,
    T: _Any = ...,
    out_type: _Any = ...,
    name: str | None = ...,
) -> _Tensor: ...
def VarHandleOp(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    debug_name: str | bytes | None = ...,
    dtype: _Any,
    shape: _Any,
    allowed_devices: _Sequence[str | bytes] | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def VarIsInitializedOp(*, resource: _Any, name: str | None = ...) -> _Tensor: ...
def Variable(
    *,
    shape: _Any,
    dtype: _Any,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def VariableShape(*, input: _Any, out_type: _Any = ..., name: str | None = ...) -> _Tensor: ...
def VariableV2(
    *,
    shape: _Any,
    dtype: _Any,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def Where(*, condition: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def While(
    *,
    input: _Sequence[_Any],
    T: _Sequence[_Any] | None = ...,
    cond: _Any,
    body: _Any,
    output_shapes: _Sequence[_Any] | None = ...,
    parallel_iterations: int | None = ...,
    name: str | None = ...,
) -> _Tensor | list[_Tensor]: ...
def WholeFileReader(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def WholeFileReaderV2(
    *,
    container: str | bytes | None = ...,
    shared_name: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def WindowDataset(
    *,
    input_dataset: _Any,
    size: _Any,
    shift: _Any,
    stride: _Any,
    drop_remainder: _Any,
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def WriteFile(*, filename: _Any, contents: _Any, name: str | None = ...) -> _Operation: ...
def Xdivy(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Xlog1py(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Xlogy(*, x: _Any, y: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def ZerosLike(*, x: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def Zeta(*, x: _Any, q: _Any, T: _Any = ..., name: str | None = ...) -> _Tensor: ...
def ZipDataset(
    *,
    input_datasets: _Sequence[_Any],
    output_types: _Sequence[_Any],
    output_shapes: _Sequence[_Any],
    N: int | None = ...,
    metadata: str | bytes | None = ...,
    name: str | None = ...,
) -> _Tensor: ...
def __dir__() -> list[str]: ...
