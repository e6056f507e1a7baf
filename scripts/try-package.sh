#!/usr/bin/env bash
# Tries the Debian package on a system without Swift: installs it into a fresh Debian, runs a call through it, installs
# it once more over a changed configuration, removes and purges it.
#
#   scripts/try-package.sh PACKAGE
#
# The fresh Debian is made by debootstrap in a directory, from the mirror that apt is configured with; root is needed.
# Where none can be made (no mirror, no chroot), the package is unpacked instead and its program runs with the Swift
# toolchain hidden behind an empty file system; installing and purging are not tried then, and the last line says so.
# The platform is the simulator, outside; SPEECHGATE_BIN names a directory with a finished one, which is not built then.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

case ${1:-} in
    -h | --help) usage && exit 0 ;;
    '') log "which package? (--help)" && exit 64 ;;
esac
package=$(realpath "$1")
((EUID == 0)) || fatal "root is needed for debootstrap, chroot and mount"
"$root/scripts/setup.sh" --package

work=$(mktemp -d)
system=$work/system
pids=()
finish() {
    if ((${#pids[@]} > 0)); then kill "${pids[@]}" 2>/dev/null || true; fi
    wait 2>/dev/null || true
    if mountpoint -q "$system/proc"; then umount "$system/proc"; fi
    rm -rf "$work"
}
trap finish EXIT

# Waits for a file to have something in it.
await() {
    local tries=100
    while [[ ! -s $1 ]] && ((tries-- > 0)); do sleep 0.1; done
}
expect() {
    local what=$1
    shift
    "$@" || fatal "$what"
    log "seen: $what"
}

# Makes a fresh Debian; what stands in its way is in $work/debootstrap.log.
make_system() {
    local codename mirror
    codename=$(awk -F= '$1 == "VERSION_CODENAME" { print $2 }' /etc/os-release)
    # shellcheck disable=SC2016  # apt's own variables
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' 'Created-By: Packages' |
        awk '$2 == "main" && $1 !~ /security/ { print $1; exit }')
    log "installing Debian $codename into a directory"
    {
        debootstrap --variant=minbase "$codename" "$system" "$mirror" &&
            mount -t proc proc "$system/proc" && chroot "$system" true
    } >"$work/debootstrap.log" 2>&1
}

if make_system; then
    fresh=yes
    inside=(chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8)
    as_speechgate=(
        "${inside[@]}" setpriv --reuid speechgate --regid speechgate --clear-groups
        env CREDENTIALS_DIRECTORY=/run/credentials
    )
    credentials=$system/run/credentials
    # How this machine reaches its mirror is how the new system does.
    cp /etc/resolv.conf "$system/etc/resolv.conf"
    if [[ -d /etc/apt/apt.conf.d ]]; then cp -r /etc/apt/apt.conf.d/. "$system/etc/apt/apt.conf.d/"; fi
    cp "$package" "$system/speechgate.deb"
    "${inside[@]}" apt-get -o Acquire::Retries=3 update >"$work/update.log" 2>&1 ||
        { tail -n 5 "$work/update.log" >&2 && fatal "the fresh Debian does not reach its mirror"; }
else
    fresh=no
    tail -n 3 "$work/debootstrap.log" >&2
    log "no fresh Debian can be made here; the package is unpacked and the Swift toolchain hidden instead"
    if mountpoint -q "$system/proc"; then umount "$system/proc"; fi
    rm -rf "$system"
    runtime=$(swift -print-target-info | jq -r .paths.runtimeResourcePath)
    credentials=$work/credentials
    # shellcheck disable=SC2016  # the inner shell's own variables
    inside=(
        unshare -m sh -ec 'mount -t tmpfs tmpfs "$1" && shift && exec "$@"' sh "$runtime"
        env -i "PATH=$system/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin" LC_ALL=C.UTF-8
        "SPEECHGATE_CONFIG=$system/etc/speechgate/speechgate.json5" "CREDENTIALS_DIRECTORY=$credentials"
    )
    as_speechgate=("${inside[@]}")
fi

install_package() {
    "${inside[@]}" apt-get -o Acquire::Retries=3 install -y --no-install-recommends "$@" /speechgate.deb >"$work/install.log" 2>&1 ||
        { tail -n 20 "$work/install.log" >&2 && fatal "the package cannot be installed"; }
}
if [[ $fresh == yes ]]; then
    install_package
    expect "no Swift is there" test ! -e "$system/usr/lib/libswiftCore.so"
    expect "the account exists" "${inside[@]}" getent passwd speechgate
    expect "the secrets are root's alone" \
        test "$("${inside[@]}" stat -c '%U %a' /etc/speechgate/master.secret)" = "root 600"
else
    dpkg-deb -x "$package" "$system"
    expect "no Swift is there" "${inside[@]}" test ! -e "$runtime/linux/libswiftCore.so"
    for secret in master upstream-key; do openssl rand -hex 32 >"$system/etc/speechgate/$secret.secret"; done
fi
expect "the program runs" "${inside[@]}" speechgate --version
expect "the manual page is readable" sh -c "gzip -dc '$system/usr/share/man/man8/speechgate.8.gz' | grep -q 'client add'"
expect "the completion is" bash -n "$system/usr/share/bash-completion/completions/speechgate"

binaries=${SPEECHGATE_BIN:-$root/.build/release}
if [[ -z ${SPEECHGATE_BIN:-} ]]; then
    swift build --package-path "$root" -c release "${strict_imports[@]}" --product speechsim >&2
fi
"$binaries/speechsim" --listen 127.0.0.1:0 >"$work/simulator" &
pids+=($!)
await "$work/simulator"
account=$(head -n 1 "$work/simulator")

# What an operator changes: the account. systemd hands over the secrets as credentials; here a directory does.
jq -r .secretKey <<<"$account" >"$system/etc/speechgate/account.secret"
sed -i "s/YOUR_APP_KEY/$(jq -r .appKey <<<"$account")/; s#\"fd:gateway\"#\"127.0.0.1:0\"#
    s#^  yugu: {#  operations: {listen: \"127.0.0.1:0\"},\n  yugu: {\n    baseURL: \"$(jq -r .http <<<"$account")\",#" \
    "$system/etc/speechgate/speechgate.json5"
install -d "$credentials"
for secret in master upstream-key account; do
    install -m 400 "$system/etc/speechgate/$secret.secret" "$credentials/$secret.secret"
done
if [[ $fresh == yes ]]; then
    "${inside[@]}" install -d -o speechgate -g speechgate -m 700 /var/lib/speechgate /var/log/speechgate
    "${inside[@]}" chown -R speechgate:speechgate /run/credentials
else
    sed -i "s#^  operations:#  stateDirectory: \"$work/state\",\n  operations:#" "$system/etc/speechgate/speechgate.json5"
fi
"${as_speechgate[@]}" speechgate serve >"$work/serving" 2>"$work/log" &
daemon=$!
pids+=("$daemon")
await "$work/serving"
[[ -s $work/serving ]] || { cat "$work/log" >&2 && fatal "the daemon does not start"; }
key=$("${as_speechgate[@]}" speechgate client add school | jq -r .apiKey)
curl -sS "$(jq -r .gateway "$work/serving")/api/v1/evaluate" -H "Authorization: Bearer $key" \
    -F 'config={"coreType":"sentence","referenceText":"The early bird catches the worm.","language":"en-US"};type=application/json' \
    -F "audio=@$root/Tests/Recordings/en_sentence.wav;type=audio/wav" >"$work/answer"
score=$(jq -r '[.. | .overall? // empty][0]' "$work/answer")
[[ $score != null ]] || { cat "$work/answer" >&2 && fatal "the recording was not scored"; }
log "seen: a recording is scored: $score"
kill "$daemon"
expect "the daemon ends when it is told to" wait "$daemon"
unset 'pids[-1]'

if [[ $fresh == no ]]; then
    log "not tried: installing and purging, for want of a fresh Debian"
    exit 0
fi
before=$(sha256sum "$system"/etc/speechgate/*)
install_package --reinstall
expect "a second installation changes neither configuration nor secrets" test "$before" = "$(sha256sum "$system"/etc/speechgate/*)"
"${inside[@]}" apt-get purge -y speechgate >/dev/null 2>&1
expect "purging leaves nothing" test -z "$(find "$system"/etc/speechgate "$system"/var/{lib,log}/speechgate "$system"/usr/bin/speechgate 2>/dev/null)"
expect "nor the account" test -z "$("${inside[@]}" getent passwd speechgate)"
