#!/bin/sh
# Runs the tests of the real window on a display of their own, with a window manager. The programs are built before:
# build/bin/mobius as it is shipped, and build/test/mobius-webdriver, the same but open to a WebDriver.
set -eu
cd "$(dirname "$0")/.."

if [ "${1:-}" != inside ]; then
	exec dbus-run-session -- xvfb-run -a -s "-screen 0 1280x800x24" sh scripts/window-test.sh inside
fi
openbox >/dev/null 2>&1 &
manager=$!
trap 'kill $manager 2>/dev/null; wait $manager 2>/dev/null || true' EXIT
go test -tags window -count=1 -timeout 5m ${WINDOW_TEST_FLAGS:-} ./backend/desktop/windowtest
