#!/usr/bin/env bash
# Installs the Debian packages that SpeechGate is built and tried with, as far as they are missing.
#
#   scripts/setup.sh               what building and the demo need
#   scripts/setup.sh --tests       and what end-to-end tests use: Caddy, and a WebSocket client from PyPI into .build/python
#   scripts/setup.sh --bench       and the peers and the load generator of scripts/bench.sh
#   scripts/setup.sh --lint        and shellcheck, for scripts/check.sh
#   scripts/setup.sh --package     and what makes and tries the Debian package
#   scripts/setup.sh --recordings  and what made the WAV files in Tests/Recordings
#
# Says nothing when nothing is missing. The Swift toolchain (6.3 or later) is not a Debian package: this script only
# looks whether it is there.

source "$(dirname "$0")/prelude.sh"

# "thing:package": a program by its name, a library by "pkg-config name" with a leading +. Asking for the thing and
# not for the package leaves alone what came from elsewhere.
wanted=(
    pkg-config:pkg-config +libcurl:libcurl4-openssl-dev +sqlite3:libsqlite3-dev +libzstd:libzstd-dev +libcrypto:libssl-dev
    curl:curl jq:jq python3:python3 openssl:openssl git:git unshare:util-linux systemd-analyze:systemd nginx:nginx-light promtool:prometheus
)
wants_python=no
for option in "$@"; do
    case $option in
        --tests) wants_python=yes && wanted+=(caddy:caddy) ;;
        --bench) wanted+=(haproxy:haproxy node:nodejs wrk:wrk go:golang-go) ;;
        --lint) wanted+=(shellcheck:shellcheck) ;;
        --package) wanted+=(debootstrap:debootstrap dpkg-deb:dpkg strip:binutils) ;;
        --recordings) wanted+=(espeak-ng:espeak-ng sox:sox) ;;
        -h | --help) usage && exit 0 ;;
        *) log "unknown option: $option (--help lists them)" && exit 64 ;;
    esac
done

present() {
    case $1 in
        +*) command -v pkg-config >/dev/null && pkg-config --exists "${1#+}" ;;
        # Debian keeps daemons where a plain user's PATH does not look.
        *) PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null ;;
    esac
}

# As root directly, else through sudo.
as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

install_packages() {
    command -v apt-get >/dev/null ||
        fatal "missing: $*. This is not Debian: install the same by your system's means and run this again."
    if ((EUID != 0)) && ! command -v sudo >/dev/null; then
        fatal "missing: $*. Neither root nor sudo here; have someone run: apt-get install --no-install-recommends $*"
    fi
    log "installing $*"
    local output policy=/usr/sbin/policy-rc.d policy_is_ours=no
    output=$(mktemp)
    # Tests and benchmarks need nginx, Caddy, HAProxy and Prometheus the programs; without this, Debian would also start the services.
    if [[ " $* " =~ " "(nginx|caddy|haproxy|prometheus) ]] && [[ ! -e $policy ]]; then
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
        policy_is_ours=yes
    fi
    local status=0
    {
        as_root apt-get -o Acquire::Retries=3 update || true
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get -o Acquire::Retries=3 install -y --no-install-recommends "$@" || status=$?
    } >"$output" 2>&1 </dev/null
    if [[ $policy_is_ours == yes ]]; then as_root rm -f "$policy"; fi
    if ((status != 0)); then
        tail -n 15 "$output" >&2
        rm -f "$output"
        fatal "apt-get could not install: $*"
    fi
    rm -f "$output"
}

missing=()
for pair in "${wanted[@]}"; do
    present "${pair%%:*}" || missing+=("${pair#*:}")
done
# Whichever python3 comes first in PATH: it is the one that the tests run.
if [[ $wants_python == yes ]] && ! python3 -m pip --version >/dev/null 2>&1; then missing+=(python3-pip); fi
if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi

# Beside the build and not into the system: nobody else's Python changes. The wheel without compiled parts runs on any.
if [[ $wants_python == yes ]]; then
    requirements=$root/Tests/RealtimeClient/requirements.txt
    packages=$root/.build/python
    if ! cmp -s "$requirements" "$packages/requirements.txt"; then
        log "installing websockets from PyPI into .build/python"
        rm -rf "$packages"
        output=$(python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
            --target "$packages" --only-binary :all: --platform any --require-hashes -r "$requirements" 2>&1) ||
            fatal "pip could not install websockets: $output"
        cp "$requirements" "$packages/requirements.txt"
    fi
fi

command -v swift >/dev/null ||
    fatal "Swift is not installed or not in PATH. SpeechGate needs the Swift 6.3 toolchain for Debian 12 (swift.org," \
        "Install, Linux); unpack it and put its usr/bin in front of PATH."
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
[[ -n $version ]] ||
    fatal "'swift --version' does not say its version; is the toolchain complete? It needs to be 6.3 or later."
if [[ $(printf '6.3\n%s\n' "$version" | sort -V | head -n 1) != 6.3 ]]; then
    fatal "this is Swift $version ($(command -v swift)); SpeechGate needs 6.3 or later"
fi
