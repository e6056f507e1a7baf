# shellcheck shell=bash
# Read by every script here (source): strict mode, the root of the repository, and how a script speaks.

set -euo pipefail

# The tables and the recordings speak Chinese; a C locale would count bytes instead of characters.
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Checked whenever we build: an import that Package.swift does not declare is an error.
# shellcheck disable=SC2034  # used by the scripts that read this file
strict_imports=(--explicit-target-dependency-import-check error)

# Runs all tests in three parts, each behind the other: parsers that are tried at every cut take all cores for seconds,
# and sockets with deadlines and whole programs, one test after the other, need a core when their time has come. The
# arguments are the runner's. Each part has twenty minutes, its build included: a test that hangs would hang for ever.
run_tests() {
    local pure='^(CryptographyTests|HTTPWireTests|JSONScanTests|ProviderYuguTests|SpeechAudioTests|TelemetryTests)\.'
    # Realtime rounds in memory have deadlines, too.
    local sockets='^(EventLoopTests|HTTPServerTests|UpstreamClientTests|EndToEndTests|(ProviderYugu|PlatformSimulator)Tests\.Realtime[A-Za-z]*)[./]'
    # All tests are Swift Testing's; XCTest would only add "Executed 0 tests".
    local test=(timeout --foreground --kill-after=10 1200 swift test --package-path "$root" --disable-xctest "$@")
    "${test[@]}" --filter "$pure" --skip "$sockets" 2>&1
    "${test[@]}" --no-parallel --filter "$sockets" 2>&1
    "${test[@]}" --skip "$pure" --skip "$sockets" 2>&1
}

# Everything that is not a result goes to standard error.
log() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

fatal() {
    log "$*"
    exit 1
}

# Prints the comment at the top of the script that calls it: its --help.
usage() { sed -n '2,/^[^#]/ s/^# \{0,1\}//p' "$0"; }

# Builds speechgate and speechsim for release and prints nothing on standard output.
build_release() {
    log "building (release; a first build takes some minutes)"
    local program
    for program in speechgate speechsim; do
        swift build --package-path "$root" -c release "${strict_imports[@]}" --product "$program" >&2
    done
}
