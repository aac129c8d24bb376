# A system that has Python and nothing else: a wheel that works here needs no more than it says.
#
# Like the other files here it reads apt.conf of the folder network/ in its context, if there is one.

ARG BASE=debian:bookworm

FROM ${BASE} AS network
WORKDIR /network
COPY networ[k]/ ./
RUN touch apt.conf && chmod --recursive a+rX .

FROM ${BASE} AS trial
ARG PYTHON=3.11
# hadolint ignore=DL3008
RUN --mount=type=bind,from=network,source=/network,target=/run/network \
    --mount=type=cache,target=/var/cache/apt,sharing=locked \
    export APT_CONFIG=/run/network/apt.conf DEBIAN_FRONTEND=noninteractive \
 && rm -f /etc/apt/apt.conf.d/docker-clean \
 && apt-get -o APT::Update::Error-Mode=any update \
 && apt-get -o APT::Cmd::Pattern-Only=true -o Dpkg::Use-Pty=0 \
      install --yes --no-install-recommends "python${PYTHON}" \
 && rm -rf /var/lib/apt/lists/* /var/log/apt/* /var/log/*.log /var/cache/ldconfig/aux-cache
ENV LANG=C.UTF-8
USER 1000:1000
