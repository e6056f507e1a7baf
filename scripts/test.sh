#!/usr/bin/env bash
# Sets up, builds and runs all tests. The last line is the runner's own summary.
#
#   scripts/test.sh [arguments of 'swift test', for instance --filter StoreTests]
#
# Tests that need the shared material look for it in SPEECHGATE_SHARED, else beside the repository (../shared); without
# it they are listed as skipped, and with SPEECHGATE_REQUIRE_SHARED=1 that is a failure.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then usage && exit 0; fi

"$root/scripts/setup.sh" --tests
# The end-to-end tests start speechgate and speechsim: everything is built, not only what tests import.
swift build --package-path "$root" --build-tests "${strict_imports[@]}"
if (($# > 0)); then exec swift test --package-path "$root" --skip-build --disable-xctest "$@" 2>&1; fi
run_tests --skip-build
