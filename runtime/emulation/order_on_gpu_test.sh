#!/bin/bash
# Which results change with the order in which a GPU's threads come. First those of the ops that add in
# any order, which must change, so that the rest means something. Then, with TF_DETERMINISTIC_OPS=1,
# those, and whatever the tests of all kernels copy back from GPUs: the same bytes with another seed.
#   order_on_gpu_test.sh ORDER_TEST KERNELS_TEST
set -euo pipefail
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TFBUILD_GPU_ALGORITHMS=$scratch/algorithms

"$1" Order | tee "$scratch/said"
! grep -q '^skipped' "$scratch/said" || { echo "no GPU was found"; exit 1; }
export TF_DETERMINISTIC_OPS=1
"$1" Order
for seed in 1 2; do
  EMULATION_SEED=$seed EMULATION_COPIES=$scratch/copies-$seed "$2" >"$scratch/said-$seed" ||
      { cat "$scratch/said-$seed"; exit 1; }
done
[ "$(wc -l <"$scratch/copies-1")" -gt 1000 ] || { echo "too few copies from GPUs"; exit 1; }
diff "$scratch/copies-1" "$scratch/copies-2"
