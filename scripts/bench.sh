#!/usr/bin/env bash
# Benchmarks SpeechGate beside nginx, HAProxy, Node and a Go ReverseProxy that proxy to the same platform in the same run.
#
#   scripts/bench.sh [--quick] [--json [FILE]] [--state DIR] [ROW …]
#
#   --quick      P1, P1.go, P2, P2.go, P3a, P3b and P5.idle in 3 rounds of 1 s (else of 5 s)
#   --json FILE  writes [{"id","what","value","unit","bar","met","peers":{…}}]; to stdout without FILE
#   --state DIR  where the gateway's state lies (default: $TMPDIR, else /tmp); /dev/shm is memory, mostly
#
# All rows without arguments; P1 also means P1.go. P1 to P3: 3 interleaved rounds of a closed loop; value is the median of
# the rounds' ratios, met compares it with bar, and the rates beside are medians too. So is CPU per request: on few cores,
# which the load generator and the platform share, ratios of rates flatter the slower. HAProxy and Node stand beside
# without a bar. P4: latency that the gateway adds at 500 requests a second, open loop, on tmpfs and on disk. P5: memory. P6:
# 1,000 realtime sessions at the pace of speech, 5 % of them broken once, beside nginx relaying the same. P7 and P8: start
# and evaluations with a million records in the store, which takes 4 GiB of disk and two minutes.
# Exit code 0 when the run was made, whether bars were met or not. Tests/Benchmarks holds what runs here. SPEECHGATE_BIN
# names a directory with finished programs.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

for argument in "$@"; do
    if [[ $argument == -h || $argument == --help ]]; then usage && exit 0; fi
done

"$root/scripts/setup.sh" --bench
binaries=${SPEECHGATE_BIN:-$root/.build/release}
if [[ -z ${SPEECHGATE_BIN:-} ]]; then build_release; fi
export PYTHONPATH=$root/scripts
exec python3 "$root/Tests/Benchmarks/bench.py" --binaries "$binaries" --peers "$root/.build/benchmarks" "$@"
