#!/bin/bash
# Tensors of more than 2^32 elements on an emulated GPU of a million processors and 64 GB, of which
# only what is touched is there.
#   large_on_gpu_test.sh PROGRAM
set -euo pipefail
export TFBUILD_GPU_ALGORITHMS=""
export LD_LIBRARY_PATH EMULATION_GPUS=1048576 EMULATION_GIGABYTES=64 EMULATION_BLOCKS=1024
LD_LIBRARY_PATH=$(dirname "$1")
TFBUILD_GPU_POOL=0 "$1" Large | tee "$TEST_TMPDIR/said"
! grep -q '^skipped' "$TEST_TMPDIR/said" || { echo "no large GPU was found"; exit 1; }
