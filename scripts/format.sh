#!/usr/bin/env bash
# Formats all Swift sources in place, by .swift-format.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then usage && exit 0; fi

cd "$root"
swift format format --in-place --parallel --recursive Package.swift Sources Tests
