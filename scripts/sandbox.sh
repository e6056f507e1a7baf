#!/usr/bin/env bash
# Runs SpeechGate beside its platform simulator, with throwaway state, on loopback.
#
#   scripts/sandbox.sh [--port N]     N: the gateway's port (any free one without it)
#
# Builds both programs, starts them and prints ONE line of JSON on standard output when the gateway is ready:
#
#   {"gateway","ops","simulator"       http://127.0.0.1:PORT each
#    "apiKey"                          of a client with every scope
#    "appKey","secretKey"              its signing credential, issued by the gateway
#    "config","stateDir"               files; stateDir also holds gateway.log and simulator.log
#    "pids":{"gateway","simulator"}}
#
# Then it stays until SIGINT, SIGTERM or SIGHUP, and cleans up. A gateway that dies does not end it:
# 'speechgate serve --config' of the same file starts it again. SPEECHGATE_BIN names a directory with finished
# programs; then nothing is built.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

for argument in "$@"; do
    if [[ $argument == -h || $argument == --help ]]; then usage && exit 0; fi
done

binaries=${SPEECHGATE_BIN:-$root/.build/release}
if [[ -z ${SPEECHGATE_BIN:-} ]]; then
    "$root/scripts/setup.sh"
    build_release
fi
exec python3 "$root/scripts/sandbox.py" --binaries "$binaries" "$@"
