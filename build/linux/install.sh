#!/bin/sh
# Installs Mobius for the current user, or below PREFIX: PREFIX=/usr/local ./install.sh. With --remove it takes away what
# it installed; conversations and keys stay where they are.
set -eu
cd "$(dirname "$0")"
prefix=${PREFIX:-$HOME/.local}

files=$(find bin share -type f)
if [ "${1:-}" = --remove ]; then
	for file in $files; do rm -f "$prefix/$file"; done
	echo "Mobius was removed from $prefix. Its data was kept; mobius doctor tells where it is."
	exit 0
fi
for file in $files; do
	mkdir -p "$prefix/$(dirname "$file")"
	cp "$file" "$prefix/$file"
done
command -v update-desktop-database >/dev/null && update-desktop-database -q "$prefix/share/applications" || true
command -v gtk-update-icon-cache >/dev/null && gtk-update-icon-cache -q -t "$prefix/share/icons/hicolor" 2>/dev/null || true
echo "Mobius was installed below $prefix. Start it from the menu of applications, or with: $prefix/bin/mobius"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "To start it as 'mobius', add $prefix/bin to PATH." ;; esac
