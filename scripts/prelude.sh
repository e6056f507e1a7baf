# shellcheck shell=bash
# Read by every script here (source): strict mode, the root of the repository, and how a script speaks.

set -euo pipefail

# The tables and the recordings speak Chinese; a C locale would count bytes instead of characters.
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Checked whenever we build: an import that Package.swift does not declare is an error.
# shellcheck disable=SC2034  # used by the scripts that read this file
strict_imports=(--explicit-target-dependency-import-check error)

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
