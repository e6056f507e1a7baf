#!/usr/bin/env bash
# Runs the Autobahn test suite (RFC 6455, section by section) against our WebSocket.
#
#   scripts/autobahn.sh [server] [client]      which ends; all without argument
#
# Everything must pass but the cases of compression, which we decline (12.*, 13.*). The mass cases (9.*: messages of up
# to 16 MiB, in up to 65,536 fragments) are run behind the others and stated separately. Reports lie under
# .build/autobahn.
#
# The suite comes with the shared material (tools/autobahn.sh in SPEECHGATE_SHARED, else ../shared), which fetches an old
# Python for it once. Where that is not possible this script says so and ends well; without the shared material too,
# unless SPEECHGATE_REQUIRE_SHARED=1.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then usage && exit 0; fi

ends=("$@")
if ((${#ends[@]} == 0)); then ends=(server client); fi

suite=${SPEECHGATE_SHARED:-$root/../shared}/tools/autobahn.sh
if [[ ! -x $suite ]]; then
    [[ ${SPEECHGATE_REQUIRE_SHARED:-} != 1 ]] || fatal "the suite is missing: $suite"
    log "NOT RUN: there is no $suite"
    exit 0
fi
if ! "$suite" setup >&2; then
    log "NOT RUN: the suite cannot be set up here (it needs Debian's and PyPI's packages); see above"
    exit 0
fi

swift build --package-path "$root" -c release "${strict_imports[@]}" --product WebSocketEcho >&2
echo_program=$root/.build/release/WebSocketEcho
reports=$root/.build/autobahn
failures=0
server=
trap '[[ -z $server ]] || kill "$server"' EXIT

# judge END CASES RUN...: runs the suite and tells what came of it in one line.
judge() {
    local end=$1 cases=$2 output status=0
    shift 2
    output=$("$@" 2>&1) || status=$?
    if ((status > 1)); then
        printf '%s\n' "$output" >&2
        fatal "the suite could not be run"
    fi
    if ((status == 1)); then
        printf '%s\n' "$output" >&2
        failures=$((failures + 1))
    fi
    printf '%s, %s: %s\n' "$end" "$cases" "$(tail -n 1 <<<"$output")"
}

test_server() {
    local url
    mkdir -p "$reports"
    : >"$reports/server.url"
    "$echo_program" server >"$reports/server.url" &
    server=$!
    for _ in {1..100}; do
        url=$(cat "$reports/server.url")
        [[ -z $url ]] || break
        sleep 0.1
    done
    judge server "all but 9.*, 12.*, 13.*" \
        "$suite" server-under-test --url "$url" --out "$reports/server"
    judge server "9.*" \
        "$suite" server-under-test --url "$url" --out "$reports/server-mass" --cases '9.*' --exclude ''
}

test_client() {
    # A free port, found by taking one and letting it go.
    local port
    port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    judge client "all but 9.*, 12.*, 13.*" \
        "$suite" client-under-test --port "$port" --out "$reports/client" -- "$echo_program" client
    judge client "9.*" \
        "$suite" client-under-test --port "$port" --out "$reports/client-mass" --cases '9.*' --exclude '' \
        -- "$echo_program" client
}

for end in "${ends[@]}"; do
    case $end in
        server) test_server ;;
        client) test_client ;;
        *) log "unknown end: $end (--help lists them)" && exit 64 ;;
    esac
done
((failures == 0)) || fatal "cases failed; the reports lie in $reports"
