#!/bin/sh
# From a bare machine to tfbuild: makes a virtual environment beside this script, installs tfbuild
# into it and hands over.
#
#   ./bootstrap.sh build [OPTIONS]   build, audit, smoke-test and measure a wheel
#   ./bootstrap.sh test [OPTIONS]    run the tests (options are pytest's; without any, on all cores)
#   ./bootstrap.sh COMMAND ...       any other tfbuild command, for example: doctor
#
# As root on Debian or Ubuntu it installs the few system packages that are missing; without rights,
# or where apt fails, it names them and ends with 4. TFBUILD_VENV names another folder for the environment.
set -eu

# Programs are looked for in folders by their whole path alone: any other entry of PATH is a place
# in the current folder.
whole_entries() {
    entries= rest=$PATH:
    while [ -n "$rest" ]; do
        case $rest in /*) entries="${entries:+$entries:}${rest%%:*}" ;; esac
        rest=${rest#*:}
    done
    printf '%s\n' "$entries"
}
PATH=$(whole_entries)

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv=${TFBUILD_VENV:-$root/.venv}

say() { printf '%s\n' "$*" >&2; }

# The newest Python that tfbuild runs on, or nothing.
find_python() {
    for name in ${TFBUILD_PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        path=$(command -v "$name" 2>/dev/null) || continue
        if "$path" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$path"
            return
        fi
    done
}

has_venv() { "$1" -I -c 'import ensurepip, venv' 2>/dev/null; }

has_headers() {
    "$1" -I -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}

# The Debian packages that are missing, on one line.
missing_packages() {
    python=$(find_python)
    if [ -z "$python" ]; then
        printf 'python3 python3-venv python3-dev '
    else
        has_venv "$python" || printf 'python3-venv '
        has_headers "$python" || printf 'python3-dev '
    fi
    command -v g++ >/dev/null 2>&1 || printf 'g++ '
    [ -z "$for_tests" ] || command -v patch >/dev/null 2>&1 || printf 'patch '
    [ -e /etc/ssl/certs/ca-certificates.crt ] || printf 'ca-certificates '
}

install_packages() {
    packages=$(missing_packages)
    [ -n "$packages" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        say "Missing: a Python 3.11 or newer with venv and headers, or g++."
        say "Install them with your package manager, then run this again."
        exit 4
    fi
    if [ "$(id -u)" -ne 0 ]; then
        say "Missing system packages. Install them, then run this again:"
        say "  sudo apt-get update && sudo apt-get install --no-install-recommends $packages"
        exit 4
    fi
    say "Installing system packages: $packages(one to two minutes)"
    said=$(mktemp)
    # Packages are names of our own, one word each.
    # shellcheck disable=SC2086
    if apt-get update -qq >"$said" 2>&1 &&
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $packages \
            >>"$said" 2>&1; then
        rm -f "$said"
        return 0
    fi
    cat "$said" >&2
    rm -f "$said"
    say "apt-get failed, as it says above. See that its network, mirror and proxy are right, then:"
    say "  apt-get update && apt-get install --no-install-recommends $packages"
    say "and run this again."
    exit 4
}

# What a mark in the environment says: whose code is installed where, and for which pyproject.toml.
state() {
    printf '# %s in %s\n' "$root" "$venv"
    cat "$root/pyproject.toml"
}

# Whether the environment was made in another folder, and copied or moved here.
is_moved() {
    for found in "$venv"/installed*.pyproject.toml; do
        [ -e "$found" ] || continue
        IFS= read -r first <"$found" || :
        case $first in *" in $venv") ;; *) return 0 ;; esac
    done
    return 1
}

# Makes the environment where it is not there, was left half made, or leads elsewhere.
make_venv() {
    python=$(find_python)
    if [ -z "$python" ]; then
        say "No Python 3.11 or newer was found. This release's own Python is older: install a newer"
        say "one and name it with TFBUILD_PYTHON=/path/to/python3."
        exit 4
    fi
    begun="$venv/bootstrap.begun"
    if [ -e "$begun" ] || is_moved; then
        "$python" -I -m venv --clear --without-pip "$venv"
    elif [ -x "$venv/bin/python" ]; then
        return 0
    fi
    mkdir -p "$venv"
    : >"$begun"
    "$python" -I -m venv "$venv"
    rm "$begun"
}

# Installs tfbuild with the given extra once for each state of pyproject.toml; a run that was
# killed leaves no mark, so the next one starts again. Two runs take turns.
install_tfbuild() {
    extra=$1
    mark="$venv/installed$extra.pyproject.toml"
    exec 9<"$root/bootstrap.sh"
    if command -v flock >/dev/null 2>&1; then flock 9; fi
    if state | cmp -s - "$mark" && [ -x "$venv/bin/tfbuild" ]; then
        exec 9<&-
        return 0
    fi
    make_venv
    say "Installing tfbuild into $venv (less than a minute)"
    "$venv/bin/python" -I -m pip install --quiet --disable-pip-version-check --editable "$root$extra" >&2
    state >"$mark.part"
    mv "$mark.part" "$mark"
    exec 9<&-
}

for_tests=
if [ "${1:-}" = test ]; then for_tests=yes; fi
install_packages
case ${1:-} in
test)
    shift
    install_tfbuild '[dev]'
    cd "$root"
    [ $# -gt 0 ] || set -- --numprocesses=auto
    exec "$venv/bin/python" -m pytest "$@"
    ;;
*)
    install_tfbuild ''
    exec "$venv/bin/tfbuild" "$@"
    ;;
esac
