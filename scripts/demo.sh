#!/usr/bin/env bash
# Shows SpeechGate's main job, line by line, with curl and two real recordings.
#
#   scripts/demo.sh
#
# Sets up, builds, starts the gateway beside a simulator of the platform with throwaway state, and then: a recording is
# scored, stored, replayed and billed once. Every sentence marked ✓ has been checked; the exit code is 0 only if all
# of them hold.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

for argument in "$@"; do
    case $argument in
        -h | --help) usage && exit 0 ;;
        *) log "unknown argument: $argument (--help)" && exit 64 ;;
    esac
done

work=$(mktemp -d -t speechgate-demo.XXXXXX)
sandbox_pid=
cleanup() {
    if [[ -n $sandbox_pid ]]; then
        kill -TERM "$sandbox_pid" 2>/dev/null || true
        wait "$sandbox_pid" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# How it speaks: plain text for a pipe, colours for a terminal.

bold='' faint='' green='' red='' plain='' colour=false
if [[ -t 1 ]]; then
    bold=$'\e[1m' faint=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m' colour=true
fi

step=0
heading() {
    step=$((step + 1))
    printf '\n%s%d  %s%s\n\n' "$bold" "$step" "$1" "$plain"
}
# Indented text; an empty argument is an empty line.
tell() {
    local text
    for text in "$@"; do printf '%s\n' "${text:+   $text}"; done
}

# A line of a command and, behind #, why it is there. A Chinese character is two columns wide, and printf's own
# padding would count bytes.
line() {
    local wide=${1//[^一-龥]/}
    printf '   %s%*s%s# %s%s\n' "$1" $((57 - ${#1} - ${#wide})) '' "$faint" "$2" "$plain"
}

fail() {
    printf '\n%s   ✗ step %d: %s%s\n' "$red" "$step" "$1" "$plain"
    if [[ -n ${state:-} ]]; then
        printf '\nThe last lines of the gateway'\''s log:\n'
        tail -n 15 "$state/gateway.log" || true
    fi
    exit 1
}

# holds CLAIM COMMAND…: says the claim when the command succeeds, else the demo ends here.
holds() {
    local claim=$1
    shift
    "$@" || fail "this does not hold: $claim"
    printf '   %s✓%s %s\n' "$green" "$plain" "$claim"
}
equal() {
    if [[ $1 == "$2" ]]; then return 0; fi
    printf '   %ssaw:    %s%s\n   %swanted: %s%s\n' "$red" "$1" "$plain" "$red" "$2" "$plain"
    return 1
}
# absent FILE-OR-FOLDER TEXT…: none of the texts stands in it.
absent() {
    local where=$1 text
    shift
    for text in "$@"; do
        if [[ -z $text ]] || grep -rqF -- "$text" "$where"; then return 1; fi
    done
}

# How it asks.

# call NAME ARGUMENTS…: one curl. What it said and heard stays in $work/NAME.trace, .head and .body.
call() {
    local name=$1
    shift
    status=$(curl -sS -v --max-time 60 -D "$work/$name.head" -o "$work/$name.body" -w '%{http_code}' "$@" \
        2>"$work/$name.trace") || fail "curl: $(tail -n 1 "$work/$name.trace")"
}
# field NAME HEADER: a header field of an answer.
field() { awk -F': *' -v name="$2" 'tolower($1) == tolower(name) { sub(/\r$/, "", $2); print $2 }' "$work/$1.head"; }
value() { jq -r "$2" "$work/$1.body"; }
evaluate() {
    call "$1" "$gateway/api/v1/evaluate" \
        -H "Authorization: Bearer $api_key" -H "SpeechGate-User: mei" -H "Idempotency-Key: $2" \
        -F "config=$3;type=application/json" -F "audio=@$recordings/$4"
}
asked() { curl -sS --max-time 10 "$simulator/__sim/log" | jq -c "$1"; }
bills() { curl -sS --max-time 10 "$simulator/__sim/billing" | jq -r "$1"; }
scores() { jq -r --argjson colour "$colour" -f "$root/scripts/scores.jq" "$work/$1.body"; }

# The demo.

recordings=$root/Tests/Recordings
mandarin='{"coreType":"sentence","language":"zh-CN","referenceText":"今天天气很好"}'
english='{"coreType":"sentence","language":"en-US","referenceText":"The early bird catches the worm"}'

"$root/scripts/setup.sh"
# Opened for both ends, so that neither side of the pipe waits for the other to open it.
mkfifo "$work/line"
exec 3<>"$work/line"
"$root/scripts/sandbox.sh" >&3 2>"$work/sandbox.log" &
sandbox_pid=$!
printf 'Building and starting the sandbox; a first build takes some minutes '
until read -r -t 2 -u 3 sandbox; do
    printf '.'
    kill -0 "$sandbox_pid" 2>/dev/null || { printf '\n' && tail -n 40 "$work/sandbox.log" && exit 1; }
done
printf '\n'
member() { jq -r "$1" <<<"$sandbox"; }
gateway=$(member .gateway) simulator=$(member .simulator) api_key=$(member .apiKey) state=$(member .stateDir)
platform_secret=$(<"$state/secrets/platform-secret")

heading "The stage"
tell "SpeechGate listens on $gateway. Behind it, on $simulator," \
    "a simulator plays the paid speech platform. The platform knows one account, and the secret of" \
    "that account lies in a file that only the gateway reads. Our own key was issued by the gateway:" \
    "" "   API_KEY=${api_key:0:11}…" ""
holds "the gateway is ready" equal "$(curl -sS -o "$work/ready" -w '%{http_code}' "$(member .ops)/readyz")" 200
holds "the platform has billed nothing yet" equal "$(bills .billed)" 0

heading "A Mandarin sentence is sent, with curl"
line "curl $gateway/api/v1/evaluate \\" "the platform's own path: its SDKs work unchanged"
line "  -H 'Authorization: Bearer \$API_KEY' \\" "who asks: a key of the gateway, not the platform's"
line "  -H 'SpeechGate-User: mei' \\" "for which of the app's users"
line "  -H 'Idempotency-Key: lesson-7' \\" "the name of this call: under it nothing is paid twice"
line "  -F config='{…\"referenceText\":\"今天天气很好\"}' \\" "what should have been said"
line "  -F audio=@Tests/Recordings/zh_sentence.wav" "what was said: WAV, 16 kHz, 2.4 seconds"
tell ""
evaluate first lesson-7 "$mandarin" zh_sentence.wav
holds "HTTP 200" equal "$status" 200
record=$(value first .recordId)
holds "the platform's record is $record" test -n "${record#null}"
holds "there is a score for each of the six syllables" \
    equal "$(value first '[.result.words[].word] | join("")')" "今天天气很好"
tell ""
scores first

heading "curl never had the platform's secret"
tell "The gateway signed the request with it, and made an idempotency key of its own. The platform saw:" "" \
    "   $(asked '.[0] | {appKey, timestamp, nonce, key}')" ""
holds "one request, and the platform accepted its signature" equal "$(asked 'map(.status)')" "[200]"
call unsigned "$simulator/api/v1/evaluate" \
    -F "config=$mandarin;type=application/json" -F "audio=@$recordings/zh_sentence.wav"
holds "without the gateway, the platform answers 401" equal "$status" 401
holds "the secret is in nothing that curl sent or received" absent "$work" "$platform_secret"
holds "the gateway logged our request" grep -qF "$(field first X-Request-Id)" "$state/gateway.log"
holds "without the secret, and without our API key" \
    absent "$state/gateway.log" "$platform_secret" "$api_key"

heading "What was paid for is kept"
tell "curl $gateway/v1/records/$record" ""
call record "$gateway/v1/records/$record" -H "Authorization: Bearer $api_key"
holds "HTTP 200" equal "$status" 200
holds "byte for byte the answer of step 2, out of SQLite ($(wc -c <"$work/record.body") bytes)" \
    cmp -s "$work/first.body" "$work/record.body"

heading "The same request again"
tell "The app lost its connection and asks again, with the same key and the same recording." ""
evaluate again lesson-7 "$mandarin" zh_sentence.wav
holds "HTTP 200" equal "$status" 200
holds "marked Idempotency-Replayed: true" equal "$(field again Idempotency-Replayed)" true
holds "byte for byte the first answer" cmp -s "$work/first.body" "$work/again.body"
holds "the platform has billed 1 evaluation, not 2" equal "$(bills .billed)" 1

heading "The same key for something else"
tell "A key names one call. Another recording under it is a mistake of the app, and it should hear of it." ""
evaluate other lesson-7 "$english" en_sentence.wav
holds "HTTP 409" equal "$status" 409
holds "with the platform's code 40903" equal "$(value other .code)" 40903
tell "" "What is known of the key:  curl $gateway/v1/keys/lesson-7 -H 'SpeechGate-User: mei'" ""
call key "$gateway/v1/keys/lesson-7" -H "Authorization: Bearer $api_key" -H "SpeechGate-User: mei"
holds "HTTP 200" equal "$status" 200
holds "state: answered" equal "$(value key .state)" answered
holds "recordId: $record" equal "$(value key .recordId)" "$record"
tell "  upstreamKey: $(value key .upstreamKey)  (what the platform's support would ask for)"

heading "The report on the record"
tell "curl $gateway/api/v1/report/$record" ""
call report "$gateway/api/v1/report/$record" -H "Authorization: Bearer $api_key"
holds "HTTP 200" equal "$status" 200
holds "from the platform, about our record" equal "$(value report .data.recordId)" "$record"
tell "  score: $(value report .data.score.overall)"
asked_before=$(asked length)
call foreign "$gateway/api/v1/report/eval_0123456789ab" -H "Authorization: Bearer $api_key"
holds "a record that is not ours is refused with 400, as the platform would" equal "$status" 400
holds "by the gateway alone: the platform was not asked" \
    equal "$(value foreign .source) $(asked length)" "gateway $asked_before"

heading "And in English"
evaluate english lesson-8 "$english" en_sentence.wav
holds "HTTP 200" equal "$status" 200
tell ""
scores english
tell ""
holds "the platform has billed 2 evaluations, one for each recording" equal "$(bills .billed)" 2

heading "Spoken live, over a connection that breaks"
tell "An app streams its microphone over a WebSocket, and 'speechgate stream' does the same with a recording, as fast as" \
    "it was spoken. The platform is told to cut its connection after half of the sentence." ""
curl -sS --max-time 10 -o "$work/cut" "$simulator/__sim/faults" \
    -d '{"faults":[{"match":"/api/v1/ws","fault":"ws-kill-bytes:40000"}]}'
line "speechgate stream Tests/Recordings/zh_sentence.wav \\" "what the microphone hears"
line "  --text 今天天气很好 --key lesson-9 --user mei" "the same names as ever"
tell ""
export SPEECHGATE_API_KEY=$api_key
"$root/.build/release/speechgate" stream "$recordings/zh_sentence.wav" --text 今天天气很好 --key lesson-9 --user mei \
    --gateway "$gateway" >"$work/stream.out" 2>"$work/stream.err" || fail "speechgate stream: $(tail -n 3 "$work/stream.err")"
sed 's/^/   /' "$work/stream.out"
tell ""
holds "the platform saw two connections, and cut the first" \
    equal "$(asked 'map(.session // empty) | map(.results)')" "[0,1]"
holds "what it scored is the whole recording, to the byte" \
    equal "$(bills '.records[-1].audioSha256')" "$(tail -c +45 "$recordings/zh_sentence.wav" | sha256sum | cut -d ' ' -f 1)"
holds "the platform has billed 3 evaluations: one for this recording, though it was sent one and a half times" \
    equal "$(bills .billed)" 3

printf '\n%sAll of this was checked.%s To play on: scripts/sandbox.sh keeps gateway and simulator running.\n' \
    "$bold" "$plain"
