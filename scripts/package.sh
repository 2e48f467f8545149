#!/bin/sh
# Makes the packages of build/bin in build/dist: a tarball with an installer, and where dpkg-deb is there a .deb. The same
# commit gives the same packages. Argument: the version, as git describe gives it.
set -eu
cd "$(dirname "$0")/.."

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
described=${1:-development}
case "$described" in
v[0-9]*) version=${described#v} ;;
*) version=0.1.0~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M).$described ;; # no release yet
esac
version=$(printf %s "$version" | tr -- - +)
arch=$(go env GOARCH)

for program in mobius mobius-headless; do
	[ -x "build/bin/$program" ] || { echo "build/bin/$program is missing; run make build first" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p build/dist

# What both packages hold, below a prefix.
share=$work/root/share
mkdir -p "$work/root/bin" "$share/applications" "$share/metainfo" "$share/doc/mobius" "$share/icons/hicolor/scalable/apps"
cp build/bin/mobius build/bin/mobius-headless "$work/root/bin/"
cp build/linux/mobius.desktop "$share/applications/"
sed -e "s/@VERSION@/$version/" -e "s/@DATE@/$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)/" build/linux/mobius.metainfo.xml >"$share/metainfo/app.mobius.Mobius.metainfo.xml"
cp build/icons/mobius.svg "$share/icons/hicolor/scalable/apps/mobius.svg"
for size in 16 32 48 64 128 256 512; do
	mkdir -p "$share/icons/hicolor/${size}x$size/apps"
	cp "build/icons/$size.png" "$share/icons/hicolor/${size}x$size/apps/mobius.png"
done
cp LICENSE "$share/doc/mobius/copyright"
cp README.md "$share/doc/mobius/"
cp -r docs "$share/doc/mobius/docs"
chmod -R u=rwX,go=rX "$work/root"

pack() { # folder, name inside, file
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$1" -cf - "$2" | gzip -9n >"$3"
}

name=mobius-$version-linux-$arch
cp -r "$work/root" "$work/$name"
cp build/linux/install.sh "$work/$name/"
pack "$work" "$name" "build/dist/$name.tar.gz"
echo "build/dist/$name.tar.gz"

if ! command -v dpkg-deb >/dev/null 2>&1; then
	echo "dpkg-deb is not here, so no .deb was made"
	exit 0
fi
deb=$work/deb
mkdir -p "$deb/DEBIAN"
cp -r "$work/root" "$deb/usr"
gzip -9n "$deb/usr/share/doc/mobius/README.md"
cat >"$deb/DEBIAN/control" <<CONTROL
Package: mobius
Version: $version
Architecture: $(dpkg --print-architecture)
Section: utils
Priority: optional
Installed-Size: $(du -sk "$deb/usr" | cut -f1)
Depends: libc6, libgtk-3-0 | libgtk-3-0t64, libwebkit2gtk-4.1-0
Recommends: xdg-utils, ripgrep
Suggests: gnome-keyring | keepassxc
Maintainer: The Mobius contributors <mobius@localhost>
Description: run a team of AI bots on your own computer
 Mobius is a desktop app with which one person runs a team of AI bots. It keeps
 everything on your computer, in one database. The same app runs in a browser
 (mobius serve), and has commands for scripts.
CONTROL
(cd "$deb" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
chmod 644 "$deb/DEBIAN/control" "$deb/DEBIAN/md5sums"
dpkg-deb --root-owner-group --build -Zxz "$deb" "build/dist/mobius_${version}_$(dpkg --print-architecture).deb" >/dev/null
echo "build/dist/mobius_${version}_$(dpkg --print-architecture).deb"
