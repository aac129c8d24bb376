#!/bin/bash
# Graphs of convolutions by cuDNN itself, for GPUs that are described to it.
#   cudnn_graphs_test.sh PROGRAM LIBRARY...
set -euo pipefail
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$(readlink -f "$2")")
"$1"
