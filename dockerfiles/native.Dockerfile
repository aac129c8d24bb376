# A distribution with some of its packages and nothing else: where native code is built or run.
#
#   docker build --tag tfbuild-native - < native.Dockerfile
#
# PACKAGES says what it is for; the default builds C++ with CMake. Like the other files here it
# reads apt.conf of the folder network/ in its context, if there is one.

ARG BASE=debian:bookworm
ARG PACKAGES="cmake ninja-build g++ binutils"

FROM ${BASE} AS network
WORKDIR /network
COPY networ[k]/ ./
RUN touch apt.conf && chmod --recursive a+rX .

FROM ${BASE} AS native
ARG PACKAGES
ARG USER_ID=1000
ARG GROUP_ID=1000
# The words of PACKAGES are meant to be several.
# hadolint ignore=DL3008,SC2086
RUN --mount=type=bind,from=network,source=/network,target=/run/network \
    --mount=type=cache,target=/var/cache/apt,sharing=locked \
    export APT_CONFIG=/run/network/apt.conf DEBIAN_FRONTEND=noninteractive \
 && rm -f /etc/apt/apt.conf.d/docker-clean \
 && apt-get -o APT::Update::Error-Mode=any update \
 && apt-get -o APT::Cmd::Pattern-Only=true -o Dpkg::Use-Pty=0 \
      install --yes --no-install-recommends ${PACKAGES} \
 && rm -rf /var/lib/apt/lists/* /var/log/apt/* /var/log/*.log /var/cache/ldconfig/aux-cache
ENV LANG=C.UTF-8
USER ${USER_ID}:${GROUP_ID}
