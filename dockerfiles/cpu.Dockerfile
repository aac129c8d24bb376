# An environment that builds the bundled runtime for the CPU, and nothing else.
#
#   docker build --tag tfbuild-cpu \
#     --build-arg USER_ID="$(id -u)" --build-arg GROUP_ID="$(id -g)" - < cpu.Dockerfile
#   docker run --rm --interactive --tty --volume "$PWD:$PWD" --workdir "$PWD" tfbuild-cpu
#
# and inside, in a copy of the runtime's sources:
#
#   "python$PYTHON" configure.py --answers /opt/tfbuild/answers.json
#   bazel build //python:libtfbuild_runtime.so //python:_runtime.so
#
# It needs BuildKit (Docker 23 and newer have it, Docker 20 with DOCKER_BUILDKIT=1) and nothing of the
# folder it lies in. Behind a mirror, a proxy or a private certificate authority, put apt.conf,
# pip.conf and what they name as /run/network/... (ca.pem, sources.list) into a folder network/ and
# give its parent as the context: `docker build ... --file cpu.Dockerfile .`. They are mounted while
# packages are fetched, and are in no layer of the image; `tfbuild env dockerfile --network` writes
# them as this machine has them. Podman wants that folder, be it empty. Where no registry answers,
# `tfbuild env base` makes a base of Debian's packages: --build-arg BASE=... takes its name.
#
# `tfbuild env dockerfile` writes this file for any plan: other defaults here, other pins below.

ARG BASE=debian:bookworm
ARG PYTHON=3.11
ARG GCC=12
ARG BAZEL=4.2.3
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
WORKDIR /opt/tfbuild
RUN --mount=type=bind,from=network,source=/network,target=/run/network \
    --mount=type=cache,target=/var/cache/pip,sharing=locked \
    printf '%s\n' \
      'cmeel-eigen==3.4.1 --hash=sha256:0ccd7b73fe8a72e2729784253c982e75d1790e0a8c71f302eb5a1fb1dd3a8a90' \
      'comma-deps-libjpeg==3.1.0.post92 --hash=sha256:b47ff662cabd8a0c564fd12f64de451a8806990d80712193b6cd7c23fba2ce6f' \
      'nanobind==3.1.0 --hash=sha256:96984dbe8154ffb86e653b1b60aaeed6985c710c5e75ad0279eb87943c66292d' \
      'onednn-cpu-gomp==2023.2.0 --hash=sha256:2f22a54d6a890ed14bfa185d42a4be65d8b5b1df85dc1f0f3a9abe31620416fb' \
      'onednn-devel-cpu-gomp==2023.2.0 --hash=sha256:9763c69e8c907e119056bd52ad918ca84ac9ba939d130a99dfa95ccca3e5e284' \
      > /tmp/wheels.txt \
 && "python${PYTHON}" -m venv venv \
 && export PIP_CONFIG_FILE=/run/network/pip.conf PIP_CACHE_DIR=/var/cache/pip \
 && venv/bin/pip --disable-pip-version-check install \
      --require-hashes --no-deps --only-binary :all: --no-compile --ignore-requires-python \
      --requirement /tmp/wheels.txt
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
   && printf '  "%s": "%s"\n}\n' device cpu; } > answers.json

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
CMD ["/bin/bash"]
