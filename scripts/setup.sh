#!/bin/sh
# Installs what a step needs and is missing, through the system's package manager. Steps: build (window and program),
# test (window and browser tests). Quick when everything is there. On macOS and Windows it says what is needed.
set -eu

step=${1:-build}

say() { printf 'setup: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }
root() {
	if [ "$(id -u)" = 0 ]; then "$@"; elif have sudo; then sudo "$@"; else
		say "needs root for: $*"
		exit 1
	fi
}

for tool in go node npm; do
	if ! have "$tool"; then
		say "$tool is missing. Install Go 1.26 or newer (https://go.dev/dl) and Node.js 20 or newer (https://nodejs.org), then run this again."
		exit 1
	fi
done

case "$(uname -s)" in
Darwin)
	xcode-select -p >/dev/null 2>&1 || { say "install the Xcode command line tools: xcode-select --install"; exit 1; }
	exit 0
	;;
Linux) ;;
*)
	say "on Windows build in a shell with Go, Node.js and the WebView2 runtime; nothing is installed here"
	exit 0
	;;
esac

present() { # library or program → is it there?
	case "$1" in
	lib:*) have pkg-config && pkg-config --exists "${1#lib:}" ;;
	font:*) have fc-list && fc-list | grep -qi "${1#font:}" ;;
	*) have "$1" ;;
	esac
}

missing=""
need() { # what, then its package on Debian, Fedora, Arch
	present "$1" && return 0
	shift $((manager - 1))
	missing="$missing $1"
}

if have apt-get; then manager=2; elif have dnf; then manager=3; elif have pacman; then manager=4; else
	say "no known package manager (apt, dnf, pacman); install GTK 3, WebKitGTK 4.1 with their headers, and pkg-config yourself"
	exit 0
fi

need pkg-config pkg-config pkgconf-pkg-config pkgconf
need cc gcc gcc gcc
need git git git git
need lib:gtk+-3.0 libgtk-3-dev gtk3-devel gtk3
need lib:webkit2gtk-4.1 libwebkit2gtk-4.1-dev webkit2gtk4.1-devel webkit2gtk-4.1
if [ "$step" = test ]; then
	need Xvfb xvfb xorg-x11-server-Xvfb xorg-server-xvfb
	need xauth xauth xorg-x11-xauth xorg-xauth
	need openbox openbox openbox openbox
	need xdotool xdotool xdotool xdotool
	need pgrep procps procps-ng procps-ng
	need dbus-run-session dbus dbus-daemon dbus
	need WebKitWebDriver webkit2gtk-driver webkit2gtk4.1-devel webkit2gtk-4.1
	have chromium || have chromium-browser || have google-chrome || need chromium chromium chromium chromium
	need fc-list fontconfig fontconfig fontconfig
	need font:dejavu fonts-dejavu-core dejavu-sans-fonts ttf-dejavu
fi

if [ -z "$missing" ]; then exit 0; fi
say "installing:$missing"
case $manager in
2)
	root apt-get update -qq
	# shellcheck disable=SC2086
	root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
	;;
3)
	# shellcheck disable=SC2086
	root dnf install -y -q $missing
	;;
4)
	# shellcheck disable=SC2086
	root pacman -Sy --noconfirm --needed $missing
	;;
esac
