#!/usr/bin/env bash
# Tries the Debian package on a system without Swift: installs it into a fresh Debian, runs a call through it, installs
# it once more over a changed configuration, removes and purges it.
#
#   scripts/try-package.sh PACKAGE
#
# The fresh Debian is made by debootstrap in a directory, from the mirror that apt is configured with; root is needed.
# The platform is the simulator, outside.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

case ${1:-} in
    -h | --help) usage && exit 0 ;;
    '') log "which package? (--help)" && exit 64 ;;
esac
package=$(realpath "$1")
((EUID == 0)) || fatal "root is needed for debootstrap and chroot"
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

codename=$(awk -F= '$1 == "VERSION_CODENAME" { print $2 }' /etc/os-release)
# shellcheck disable=SC2016  # apt's own variables
mirror=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 == "main" && $1 !~ /security/ { print $1; exit }')
log "installing Debian $codename into a directory"
debootstrap --variant=minbase "$codename" "$system" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 20 "$work/debootstrap.log" >&2 && fatal "debootstrap failed"; }
mount -t proc proc "$system/proc"
cp /etc/resolv.conf "$system/etc/resolv.conf"
# How this machine reaches its mirror is how the new system does.
if [[ -d /etc/apt/apt.conf.d ]]; then cp -r /etc/apt/apt.conf.d/. "$system/etc/apt/apt.conf.d/"; fi
inside() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
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

cp "$package" "$system/speechgate.deb"
install_package() {
    inside apt-get install -y --no-install-recommends /speechgate.deb >"$work/install.log" 2>&1 ||
        { tail -n 20 "$work/install.log" >&2 && fatal "the package cannot be installed"; }
}
inside apt-get update >/dev/null 2>&1
install_package
expect "no Swift is there" test ! -e "$system/usr/lib/libswiftCore.so"
expect "the program runs" inside speechgate --version
expect "the account exists" inside getent passwd speechgate
expect "the secrets are root's alone" test "$(inside stat -c '%U %a' /etc/speechgate/master.secret)" = "root 600"
expect "the manual page is readable" sh -c "gzip -dc '$system/usr/share/man/man8/speechgate.8.gz' | grep -q 'client add'"
expect "the completion is" bash -n "$system/usr/share/bash-completion/completions/speechgate"

swift build --package-path "$root" -c release "${strict_imports[@]}" --product speechsim >&2
"$(swift build --package-path "$root" -c release --show-bin-path)/speechsim" --listen 127.0.0.1:0 >"$work/simulator" &
pids+=($!)
await "$work/simulator"
account=$(head -n 1 "$work/simulator")

# What an operator changes: the account. systemd hands over the secrets as credentials; here a directory does.
jq -r .secretKey <<<"$account" >"$system/etc/speechgate/account.secret"
sed -i "s/YOUR_APP_KEY/$(jq -r .appKey <<<"$account")/; s#\"fd:gateway\"#\"127.0.0.1:0\"#
    s#^  yugu: {#  operations: {listen: \"127.0.0.1:0\"},\n  yugu: {\n    baseURL: \"$(jq -r .http <<<"$account")\",#" \
    "$system/etc/speechgate/speechgate.json5"
inside install -d -o speechgate -g speechgate -m 700 /var/lib/speechgate /run/credentials
for secret in master upstream-key account; do
    inside install -o speechgate -m 400 "/etc/speechgate/$secret.secret" "/run/credentials/$secret.secret"
done
as_speechgate() {
    inside setpriv --reuid speechgate --regid speechgate --clear-groups env CREDENTIALS_DIRECTORY=/run/credentials "$@"
}
as_speechgate speechgate serve >"$work/serving" 2>"$work/log" &
pids+=($!)
await "$work/serving"
[[ -s $work/serving ]] || { cat "$work/log" >&2 && fatal "the daemon does not start"; }
key=$(as_speechgate speechgate client add school | jq -r .apiKey)
curl -sS "$(jq -r .gateway "$work/serving")/api/v1/evaluate" -H "Authorization: Bearer $key" \
    -F 'config={"coreType":"sentence","referenceText":"The early bird catches the worm.","language":"en-US"};type=application/json' \
    -F "audio=@$root/Tests/Recordings/en_sentence.wav;type=audio/wav" >"$work/answer"
score=$(jq -r '[.. | .overall? // empty][0]' "$work/answer")
[[ $score != null ]] || { cat "$work/answer" >&2 && fatal "the recording was not scored"; }
log "seen: a recording is scored: $score"
kill "${pids[-1]}"
wait "${pids[-1]}" || true
unset 'pids[-1]'

before=$(sha256sum "$system"/etc/speechgate/*)
install_package
inside apt-get install -y --reinstall /speechgate.deb >/dev/null 2>&1
expect "a second installation changes neither configuration nor secrets" test "$before" = "$(sha256sum "$system"/etc/speechgate/*)"
inside apt-get purge -y speechgate >/dev/null 2>&1
expect "purging leaves nothing" test -z "$(find "$system/etc/speechgate" "$system/var/lib/speechgate" "$system/usr/bin/speechgate" 2>/dev/null)"
expect "nor the account" test -z "$(inside getent passwd speechgate)"
