#!/bin/bash
# The tests of the CUDA device on emulated GPUs.
#   device_on_gpu_test.sh PROGRAM
set -euo pipefail
export TFBUILD_GPU_ALGORITHMS=""
export EMULATION_STRICT=1
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$1")
"$1" CudaDevice | tee "$TEST_TMPDIR/said"
! grep -q '^skipped' "$TEST_TMPDIR/said" || { echo "no GPU was found"; exit 1; }
