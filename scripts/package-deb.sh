#!/usr/bin/env bash
# Builds a Debian package of SpeechGate: the program with Swift's runtime in it, units, manual page, completions.
#
#   scripts/package-deb.sh [DIRECTORY]   writes DIRECTORY/speechgate_VERSION_ARCH.deb (default: .build/package)
#
# The last line of standard output is the package's path. It needs no Swift where it is installed.

# shellcheck source=prelude.sh
source "$(dirname "$0")/prelude.sh"

case ${1:-} in
    -h | --help) usage && exit 0 ;;
    -*) log "unknown option: $1 (--help lists them)" && exit 64 ;;
esac
output=${1:-$root/.build/package}
"$root/scripts/setup.sh" --package
mkdir -p "$output"

log "building (release, with Swift's runtime; a first build takes some minutes)"
built=(--package-path "$root" --scratch-path "$root/.build/static" -c release --static-swift-stdlib)
swift build "${built[@]}" "${strict_imports[@]}" --product speechgate >&2
program=$(swift build "${built[@]}" --show-bin-path)/speechgate
version=$("$program" --version | awk '{ print $NF }')
architecture=$(dpkg --print-architecture)

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"
install -D -m 755 "$program" "$tree/usr/bin/speechgate"
strip --strip-unneeded "$tree/usr/bin/speechgate"
install -D -m 640 "$root/config/debian/speechgate.json5" "$tree/etc/speechgate/speechgate.json5"
for unit in "$root"/config/systemd/*.{service,socket,timer}; do
    install -D -m 644 "$unit" "$tree/lib/systemd/system/${unit##*/}"
done

doc=$tree/usr/share/doc/speechgate
install -D -m 644 "$root/config/speechgate.json5" "$doc/speechgate.json5"
install -D -m 644 "$root/README.md" "$doc/README.md"
for example in config/proxies/nginx.conf config/proxies/Caddyfile config/systemd/notify-reload.conf config/logrotate.conf; do
    install -D -m 644 "$root/$example" "$doc/examples/${example##*/}"
done

made() { python3 "$root/scripts/command_help.py" "$tree/usr/bin/speechgate" "$1"; }
install -d "$tree/usr/share/man/man8" "$tree/usr/share/bash-completion/completions" \
    "$tree/usr/share/zsh/vendor-completions" "$tree/usr/share/fish/vendor_completions.d"
made man | gzip -9n >"$tree/usr/share/man/man8/speechgate.8.gz"
made bash >"$tree/usr/share/bash-completion/completions/speechgate"
made zsh >"$tree/usr/share/zsh/vendor-completions/_speechgate"
made fish >"$tree/usr/share/fish/vendor_completions.d/speechgate.fish"

install -d "$tree/DEBIAN"
install -m 755 "$root"/config/debian/{postinst,prerm,postrm} "$tree/DEBIAN/"
echo /etc/speechgate/speechgate.json5 >"$tree/DEBIAN/conffiles"
cat >"$tree/DEBIAN/control" <<CONTROL
Package: speechgate
Version: $version
Architecture: $architecture
Maintainer: SpeechGate <speechgate@localhost>
Section: net
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$tree" | cut -f1)
Depends: libc6, libstdc++6, libcurl4, libsqlite3-0, libssl3, libzstd1, passwd, ca-certificates
Suggests: nginx | caddy
Description: gateway between apps and paid speech platforms
 SpeechGate keeps the keys of speech platforms on the server, signs and forwards
 calls, makes sure that nothing is billed twice, and keeps the records.
CONTROL

package=$output/speechgate_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$tree" "$package" >&2
echo "$package"
