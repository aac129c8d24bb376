#!/bin/bash
# All tests of the kernels on emulated GPUs: with a pool of memory, then with a block of its own for
# each tensor, which ends where nobody can read on; then those of sums that have kernels of their own
# where the same bits are asked for each time, and convolutions by cuDNN's functions alone. Fails where a kernel of the sources never ran.
#   kernels_on_gpu_test.sh PROGRAM SOURCE...
set -euo pipefail
program=$1
shift
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$program")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TFBUILD_GPU_ALGORITHMS=$scratch/algorithms
export EMULATION_COVERAGE=$scratch/coverage

"$program"
TFBUILD_GPU_POOL=0 "$program"
for sums in Segment ScatterNd; do
    TF_DETERMINISTIC_OPS=1 TFBUILD_GPU_POOL=0 "$program" $sums
done

TFBUILD_CUDNN_GRAPHS=0 TFBUILD_GPU_POOL=0 "$program" Conv

sort -u "$EMULATION_COVERAGE" >"$scratch/functions"
# A kernel is a function whose name stands behind __global__ void; each has many types.
# The probe is there to be asked about, not to run.
grep -hoP '__global__ void \K\w+' "$@" | grep -vx ProbeKernel | sort -u >"$scratch/kernels"
[ -s "$scratch/kernels" ] || { echo "no kernel in the sources: has the word changed?"; exit 1; }
sed 's/.*/^\\(ran\\|idle\\) &\\(<\\|$\\)/' "$scratch/kernels" >"$scratch/patterns"
grep -f "$scratch/patterns" "$scratch/functions" >"$scratch/found"
# What ran in one of the runs is idle in another.
sed -n 's/^ran //p' "$scratch/found" | sort -u >"$scratch/ran"
sed -n 's/^idle //p' "$scratch/found" | sort -u | comm -23 - "$scratch/ran" >"$scratch/idle"
names=$(sed 's/<.*//' "$scratch/ran" | sort -u)
missing=$(comm -23 "$scratch/kernels" <(echo "$names"))
echo "$(wc -l <"$scratch/kernels") kernels in the sources; $(wc -l <"$scratch/ran") of" \
    "$(($(wc -l <"$scratch/ran") + $(wc -l <"$scratch/idle"))) functions that they are made into ran"
[ -z "$missing" ] || { echo "never ran: "$missing; exit 1; }
cat "$scratch/idle"
