#!/bin/bash
# Whole steps on emulated GPUs, with a pool of memory and with a block of its own for each tensor; with
# several seeds, since streams go on at any pace.
#   steps_on_gpu_test.sh PROGRAM
set -euo pipefail
export EMULATION_STRICT=1
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$1")
for seed in 1 2 3; do
  EMULATION_SEED=$seed "$1" Steps | tee "$TEST_TMPDIR/said"
  ! grep -q '^skipped' "$TEST_TMPDIR/said" || { echo "no two GPUs were found"; exit 1; }
done
TFBUILD_GPU_POOL=0 "$1" Steps
