#!/bin/sh
# Checks that generated code is what the sources give: the page's bindings, and the queries if sqlc can be built.
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

differs() {
	echo "$1 is not fresh; run: $2" >&2
	exit 1
}

cp -r frontend/wailsjs "$work/wailsjs"
CGO_ENABLED=0 go run -tags bindings . >"$work/bindings.log" 2>&1 || { cat "$work/bindings.log" >&2; exit 1; }
diff -r frontend/wailsjs "$work/wailsjs" >/dev/null || differs frontend/wailsjs "CGO_ENABLED=0 go run -tags bindings . and commit"

# Generated files name the queries they come from. Comparing hashes of the sources costs nothing; sqlc itself takes
# minutes to build, so it runs only when the sources or the files themselves have changed since they were generated.
sum=$(cat backend/store/sqlc.yaml backend/store/migrations/*.sql backend/store/queries/*.sql backend/store/db/*.go | sha256sum | cut -d' ' -f1)
if [ "$(cat backend/store/db/.sources 2>/dev/null)" != "$sum" ]; then
	differs backend/store/db "sh scripts/generate.sh and commit"
fi
