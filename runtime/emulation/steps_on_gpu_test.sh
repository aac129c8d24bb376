#!/bin/bash
# Whole steps on emulated GPUs, with a pool of memory and with a block of its own for each tensor; with
# several seeds, since streams go on at any pace.
# And a kernel that is given memory of the host has to end the process.
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
if "$1" HostAddress 2>"$TEST_TMPDIR/said"; then echo "the process went on"; exit 1; fi
grep -q 'which is memory of the host' "$TEST_TMPDIR/said"
