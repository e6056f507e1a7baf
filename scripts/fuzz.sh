#!/usr/bin/env bash
# Runs the fuzzers of Tests/Fuzz for a bounded time each, with the address sanitizer.
#
#   scripts/fuzz.sh [seconds for each] [parser ...]
#
# The default is 60 seconds for each parser. HTTPWire is pure, so its files are compiled together with an entry point.
# What is found is kept under .build/fuzz; an input that breaks a parser ends the run, and belongs into
# Tests/Fuzz/Corpus under a telling name, where the tests replay it.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then usage && exit 0; fi

seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    seconds=$1
    shift
fi
parsers=("$@")
if ((${#parsers[@]} == 0)); then
    for file in "$root"/Tests/Fuzz/Fuzz*.swift; do
        name=$(basename "$file" .swift)
        parsers+=("${name#Fuzz}")
    done
fi

work=$root/.build/fuzz
mapfile -t sources < <(find "$root/Sources/HTTPWire" -name '*.swift' | sort)
for parser in "${parsers[@]}"; do
    entry=$root/Tests/Fuzz/Fuzz$parser.swift
    [[ -f $entry ]] || fatal "no such fuzzer: $parser"
    mkdir -p "$work/$parser/found"
    log "compiling $parser"
    # The gold linker warns about every symbol of the sanitizer; lld does not.
    swiftc -O -wmo -swift-version 6 -parse-as-library -sanitize=fuzzer,address -use-ld=lld \
        -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny \
        -module-name "Fuzz$parser" -o "$work/$parser/fuzz" "${sources[@]}" "$entry"
    log "running $parser for $seconds s"
    # Swift's own backtracer would wait for a debugger.
    status=0
    (
        cd "$work/$parser"
        SWIFT_BACKTRACE=enable=no ./fuzz -max_total_time="$seconds" -max_len=600 -timeout=10 -rss_limit_mb=2048 \
            -print_final_stats=1 found "$root/Tests/Fuzz/Corpus/$parser" &>log
    ) || status=$?
    grep -E 'ERROR|SUMMARY|Fatal|Test unit written|executed_units|DONE' "$work/$parser/log" || true
    ((status == 0)) || fatal "$parser broke; the input and the log lie in $work/$parser"
done
