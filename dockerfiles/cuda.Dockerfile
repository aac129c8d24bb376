# An environment that builds the bundled runtime with CUDA kernels, and nothing else.
#
#   docker build --tag tfbuild-cuda \
#     --build-arg USER_ID="$(id -u)" --build-arg GROUP_ID="$(id -g)" - < cuda.Dockerfile
#   docker run --rm --gpus all --interactive --tty --volume "$PWD:$PWD" --workdir "$PWD" tfbuild-cuda
#
# and inside, in a copy of the runtime's sources:
#
#   "python$PYTHON" configure.py --answers /opt/tfbuild/answers.json
#   bazel build --config=cuda //python:libtfbuild_runtime.so //python:_runtime.so \
#     //python:libtfbuild_cuda.so
#
# Compiling needs no GPU and no driver: leave `--gpus all` out where there is none. The toolkit comes
# from the package index, so any base will do; an image of NVIDIA's as the base brings its own.
#
# It needs BuildKit (Docker 23 and newer have it, Docker 20 with DOCKER_BUILDKIT=1) and nothing of the
# folder it lies in. Behind a mirror, a proxy or a private certificate authority, put apt.conf,
# pip.conf and what they name as /run/network/... (ca.pem, sources.list) into a folder network/ and
# give its parent as the context: `docker build ... --file cuda.Dockerfile .`. They are mounted while
# packages are fetched, and are in no layer of the image; `tfbuild env dockerfile --network` writes
# them as this machine has them. Podman wants that folder, be it empty. Where no registry answers,
# `tfbuild env base` makes a base of Debian's packages: --build-arg BASE=... takes its name.
#
# `tfbuild env dockerfile` writes this file for any plan: other defaults here, other pins below.

ARG BASE=debian:bookworm
ARG PYTHON=3.11
ARG GCC=12
ARG BAZEL=4.2.3
ARG ARCHITECTURES="sm_75 sm_80 sm_86 sm_89 sm_90 compute_90"
ARG PLAN=none
ARG VERSIONS=

# --- how to reach the outside -------------------------------------------------------------------

FROM ${BASE} AS network
WORKDIR /network
# The brackets let the folder be missing: then there is nothing to say, and apt and pip read nothing.
# apt fetches as a user of its own, who must be able to read the certificates.
COPY networ[k]/ ./
RUN touch apt.conf pip.conf && chmod --recursive a+rX .

# --- the distribution's packages ----------------------------------------------------------------

FROM ${BASE} AS packages
ARG PYTHON
ARG GCC
# apt is kept from two friendly lies: a package that the distribution does not have is an error, not
# a pattern that matches others, and so is a source that cannot be reached. Versions are those of
# the distribution's release: it takes old ones away, so pinning them exactly would break the file.
# hadolint ignore=DL3008
RUN --mount=type=bind,from=network,source=/network,target=/run/network \
    --mount=type=cache,target=/var/cache/apt,sharing=locked \
    export APT_CONFIG=/run/network/apt.conf DEBIAN_FRONTEND=noninteractive \
 && rm -f /etc/apt/apt.conf.d/docker-clean \
 && apt-get -o APT::Update::Error-Mode=any update \
 && apt-get -o APT::Cmd::Pattern-Only=true -o Dpkg::Use-Pty=0 \
      install --yes --no-install-recommends \
      "g++-${GCC}" \
      "python${PYTHON}-dev" \
      "python${PYTHON}-venv" \
      bazel-bootstrap \
      ca-certificates \
      git \
 && rm -rf /var/lib/apt/lists/* /var/log/apt/* /var/log/*.log /var/cache/ldconfig/aux-cache
ARG BAZEL
# What was asked for is what came: an image that is silently another costs days.
RUN check() { test "$2" = "$3" || { echo "$1 is $2, not $3" >&2; return 1; }; } \
 && check g++ "$("g++-${GCC}" -dumpversion)" "${GCC}" \
 && python="$("python${PYTHON}" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" \
 && check Python "${python}" "${PYTHON}" \
 && bazel="$(dpkg-query --show --showformat '${source:Upstream-Version}' bazel-bootstrap)" \
 && check Bazel "${bazel%%+*}" "${BAZEL}"

# --- files of the package index, each by its hash ------------------------------------------------

FROM packages AS wheels
ARG PYTHON
ARG GCC
ARG BAZEL
ARG ARCHITECTURES
WORKDIR /opt/tfbuild
RUN --mount=type=bind,from=network,source=/network,target=/run/network \
    --mount=type=cache,target=/var/cache/pip,sharing=locked \
    printf '%s\n' \
      'cmeel-eigen==3.4.1 --hash=sha256:0ccd7b73fe8a72e2729784253c982e75d1790e0a8c71f302eb5a1fb1dd3a8a90' \
      'comma-deps-libjpeg==3.1.0.post92 --hash=sha256:b47ff662cabd8a0c564fd12f64de451a8806990d80712193b6cd7c23fba2ce6f' \
      'nanobind==3.1.0 --hash=sha256:96984dbe8154ffb86e653b1b60aaeed6985c710c5e75ad0279eb87943c66292d' \
      'onednn-cpu-gomp==2023.2.0 --hash=sha256:2f22a54d6a890ed14bfa185d42a4be65d8b5b1df85dc1f0f3a9abe31620416fb' \
      'onednn-devel-cpu-gomp==2023.2.0 --hash=sha256:9763c69e8c907e119056bd52ad918ca84ac9ba939d130a99dfa95ccca3e5e284' \
      'nvidia-cublas==13.1.0.3 --hash=sha256:ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171' \
      'nvidia-cuda-cccl==13.0.85 --hash=sha256:e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649' \
      'nvidia-cuda-crt==13.0.88 --hash=sha256:2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4' \
      'nvidia-cuda-cuobjdump==13.2.86 --hash=sha256:d332c2ffe78e703ca0a3894be927f83124244e2acf0d792b8c12b4362d44d837' \
      'nvidia-cuda-nvcc==13.0.88 --hash=sha256:56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03' \
      'nvidia-cuda-runtime==13.0.96 --hash=sha256:7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548' \
      'nvidia-cudnn-cu13==9.14.0.64 --hash=sha256:024ce8f7571d322991ecadbe82907df2e89b5f36597d03436413ec6dd7c9fe54' \
      'nvidia-nvvm==13.0.88 --hash=sha256:c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0' \
      > /tmp/wheels.txt \
 && "python${PYTHON}" -m venv venv \
 && export PIP_CONFIG_FILE=/run/network/pip.conf PIP_CACHE_DIR=/var/cache/pip \
 && venv/bin/pip --disable-pip-version-check install \
      --require-hashes --no-deps --only-binary :all: --no-compile --ignore-requires-python \
      --requirement /tmp/wheels.txt
# One tree that nvcc and build systems know: <cuda>/{bin,include,lib64,nvvm}, cuDNN beside cuBLAS, every
# library under its plain name. In an image of NVIDIA's it is there, and only cuDNN joins it.
RUN if test -x /usr/local/cuda/bin/nvcc; then \
      cp -a /usr/local/cuda/. cuda \
   && find -L /usr/include -maxdepth 2 -name 'cudnn*.h' -exec cp -L {} cuda/include/ \; \
   && find -L /usr/lib -maxdepth 2 -name 'libcudnn*.so*' -exec cp -a {} cuda/lib64/ \; ; \
    else \
      mkdir cuda \
   && nvidia="venv/lib/python${PYTHON}/site-packages/nvidia" \
   && cp -al "${nvidia}/cu13/." "${nvidia}/cudnn/." cuda \
   && rm -r "${nvidia}" \
   && ln -s lib cuda/lib64 \
   && for library in cuda/lib/lib*.so.*; do \
        plain="${library%%.so.*}.so"; \
        test -e "${plain}" || ln -s "${library##*/}" "${plain}"; \
      done; \
    fi \
 && cuda/bin/nvcc --version \
 && test -e cuda/include/cudnn.h
# What configure.py of the runtime would ask.
RUN { echo '{' \
   && printf '  "%s": "%s",\n' \
        onednn /opt/tfbuild/venv \
        onednn_devel /opt/tfbuild/venv \
        libjpeg "/opt/tfbuild/venv/lib/python${PYTHON}/site-packages" \
        nanobind "/opt/tfbuild/venv/lib/python${PYTHON}/site-packages" \
        eigen "/opt/tfbuild/venv/lib/python${PYTHON}/site-packages" \
        python "/usr/bin/python${PYTHON}" \
        compiler "/usr/bin/g++-${GCC}" \
        bazel_version "${BAZEL}" \
        bazel_rules /usr/share/bazel \
        cuda /opt/tfbuild/cuda \
        architectures "${ARCHITECTURES}" \
   && printf '  "%s": "%s"\n}\n' device cuda; } > answers.json

# --- where `tfbuild build` compiles: it brings sources and wheels along, read-only -----------------

FROM packages AS toolchain
ARG BASE
ARG PYTHON
ARG GCC
ARG PLAN
ARG VERSIONS
ARG USER_ID=1000
ARG GROUP_ID=1000
# Your own numbers, so that what is written into a mounted folder is yours. They may be taken.
RUN groupadd --non-unique --gid "${GROUP_ID}" builder \
 && useradd --non-unique --no-log-init --create-home --shell /bin/bash \
      --uid "${USER_ID}" --gid "${GROUP_ID}" builder \
 && install --directory --owner="${USER_ID}" --group="${GROUP_ID}" /home/builder/.cache
ENV LANG=C.UTF-8 USER=builder PYTHON=${PYTHON} CC=/usr/bin/gcc-${GCC} CXX=/usr/bin/g++-${GCC}
LABEL org.opencontainers.image.title="tfbuild environment" \
      org.opencontainers.image.base.name="${BASE}" \
      org.tfbuild.plan="${PLAN}" \
      org.tfbuild.versions="${VERSIONS}"
USER ${USER_ID}:${GROUP_ID}
WORKDIR /home/builder

# --- everything, for work by hand -----------------------------------------------------------------

FROM toolchain AS environment
COPY --from=wheels /opt/tfbuild/ /opt/tfbuild/
ENV CUDA_HOME=/opt/tfbuild/cuda PATH=/opt/tfbuild/cuda/bin:${PATH}
CMD ["/bin/bash"]
