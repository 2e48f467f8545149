#!/bin/sh
# Generates code: the queries of backend/store with sqlc (built at its pinned version, which takes minutes the first
# time), and the page's bindings.
set -eu
cd "$(dirname "$0")/.."
if command -v sqlc >/dev/null 2>&1 && [ "$(sqlc version)" = v1.31.1 ]; then
	(cd backend/store && sqlc generate)
else
	(cd backend/store && GOFLAGS=-mod=mod go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate)
fi
cat backend/store/sqlc.yaml backend/store/migrations/*.sql backend/store/queries/*.sql backend/store/db/*.go | sha256sum | cut -d' ' -f1 >backend/store/db/.sources
CGO_ENABLED=0 go run -tags bindings .
