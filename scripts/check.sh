#!/usr/bin/env bash
# Everything that must hold before a change lands; .ci/run calls it. The cheap things come first, the tests last, so
# that the runner's summary is the last line.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then usage && exit 0; fi

cd "$root"
failures=0
stage() { printf '\n== %s\n' "$*"; }
report() {
    printf '%s\n' "$2" | sed 's/^/  /' >&2
    log "$1"
    failures=$((failures + 1))
}
# forbid WHY FOUND: FOUND must be empty.
forbid() { if [[ -n $2 ]]; then report "$1" "$2"; fi; }
swift_files() { git ls-files --cached --others --exclude-standard -- "$@" | grep '\.swift$' || true; }
text_files() { git ls-files --cached --others --exclude-standard | grep -v '\.wav$'; }
# matching PATTERN FILES…: lines, with file and number; none is no error.
matching() {
    local pattern=$1
    shift
    if (($# > 0)); then grep -nHE -- "$pattern" "$@" || true; fi
}

scripts/setup.sh --lint --tests

stage "Format"
swift format lint --strict --parallel --recursive Package.swift Sources Tests || failures=$((failures + 1))

stage "Rules that the compiler does not know"
mapfile -t sources < <(swift_files Sources)
with_foundation='^Sources/(GatewayCore|Provider[A-Za-z]*|Daemon|PlatformSimulator)/'
mapfile -t pure < <(swift_files Sources | grep -vE "$with_foundation")
mapfile -t all < <(swift_files Sources Tests)
mapfile -t texts < <(text_files)
# A check that looks at nothing finds nothing.
((${#pure[@]} > 0 && ${#all[@]} > 0 && ${#texts[@]} > 0)) || fatal "git lists no sources; is this a clone?"
access='(@[A-Za-z]+ +)*((public|package|internal|fileprivate|private) +)?'
forbid "Foundation belongs in GatewayCore, providers, Daemon and PlatformSimulator only" \
    "$(matching "^ *${access}import +(class |struct |enum |func )?Foundation" "${pure[@]}")"
forbid "C modules are imported privately or internally: no C type may reach a public signature" \
    "$(matching '^ *(@[A-Za-z]+ +)*(public|package) +import +(CCurl|CSQLite|COpenSSL|CLinux)\b' "${sources[@]}")"
forbid "no try! (in tests: throw, or try #require)" "$(matching '\btry!' "${all[@]}")"
vague='(Utils?|Manager|Helpers?|Common)'
forbid "no Utils, Manager, Helper or Common: name the thing" "$(
    printf '%s\n' "${all[@]}" | grep -E "$vague(\+[A-Za-z]+)?\.swift$" || true
    matching "\b(class|struct|enum|protocol|actor|typealias) +[A-Za-z0-9]*$vague\b" "${all[@]}"
)"
forbid "a promise to the compiler needs a comment that names the queue or lock, within the 3 lines above" "$(
    awk '
        FNR == 1 { delete said }
        { said[FNR % 4] = ($0 ~ /\/\//) }
        /@unchecked Sendable|nonisolated\(unsafe\)/ && $0 !~ /^ *\/\// {
            if (!(said[0] || said[1] || said[2] || said[3])) print FILENAME ":" FNR ":" $0
        }' "${all[@]}"
)"
# The pattern must not find itself.
forbid "paths of one machine do not belong in the tree" "$(matching '/(work|root|home)/[A-Za-z]' "${texts[@]}")"
forbid "a file of more than 600 lines has more than one topic" \
    "$(wc -l "${all[@]}" | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines" }')"

package=$(swift package describe --type json)
if ! imports=$(scripts/imports.py <<<"$package"); then
    report "a target imports what Package.swift lists for it, and lists what it imports" "$imports"
fi

stage "Scripts"
shellcheck .ci/run scripts/*.sh || failures=$((failures + 1))

if ((failures > 0)); then fatal "$failures of the checks above failed"; fi

stage "Release build, and the demo with it"
build_release
demo=$(mktemp)
if ! scripts/demo.sh >"$demo" 2>&1; then
    cat "$demo"
    rm -f "$demo"
    fatal "the demo does not work"
fi
rm -f "$demo"

stage "Debian package, on a system without Swift"
scripts/try-package.sh "$(scripts/package-deb.sh | tail -n 1)"

stage "WebSocket against the Autobahn test suite"
scripts/autobahn.sh

stage "Unit tests under the thread sanitizer"
# In a build directory of its own: the two kinds of object do not mix. The end-to-end tests measure times and start
# programs that are not instrumented; they run below, without it.
run_tests --scratch-path .build/thread-sanitizer --sanitize thread "${strict_imports[@]}" --skip EndToEndTests

stage "All tests"
exec scripts/test.sh
