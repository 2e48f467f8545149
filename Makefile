# Every target does its own set-up on a fresh machine. See README.md.

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
LDFLAGS := -s -w -X main.version=$(VERSION)
# The version says which commit it is; asking Git again while building fails where the clone belongs to somebody else.
BUILD := -trimpath -buildvcs=false
DESKTOP := desktop,production
ifeq ($(shell uname -s),Linux)
DESKTOP := desktop,production,webkit2_41
endif
PAGE := frontend/dist/index.html
STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: run build page test test-go test-page test-e2e test-window check bench soak package clean setup setup-test

run: build
	build/bin/mobius

setup:
	@sh scripts/setup.sh build

setup-test:
	@sh scripts/setup.sh test

# npm ci leaves its mark in node_modules, so it runs again only when the lock file is newer.
frontend/node_modules/.package-lock.json: frontend/package-lock.json
	npm ci --prefix frontend --no-audit --no-fund
	@touch $@

page: $(PAGE)

$(PAGE): frontend/node_modules/.package-lock.json $(shell find frontend/src frontend/public -type f 2>/dev/null) frontend/index.html frontend/vite.config.ts
	npm run build --prefix frontend

build: setup $(PAGE)
	CGO_ENABLED=0 go build $(BUILD) -ldflags "$(LDFLAGS)" -o build/bin/mobius-headless .
	go build $(BUILD) -tags $(DESKTOP) -ldflags "$(LDFLAGS)" -o build/bin/mobius .

test: setup-test test-go test-page test-e2e test-window

# The engine with the race detector, and once more without cgo.
test-go: $(PAGE)
	go test -race -timeout 15m ./...
	CGO_ENABLED=0 go test -timeout 15m ./...

test-page: frontend/node_modules/.package-lock.json
	npm test --prefix frontend

test-e2e: build
	node frontend/e2e/run.mjs

# The window is steered in a program of its own: the shipped one cannot be.
test-window: build
	go build $(BUILD) -tags $(DESKTOP),webdriver -ldflags "-X main.version=$(VERSION)" -o build/test/mobius-webdriver .
	sh scripts/window-test.sh

check: setup frontend/node_modules/.package-lock.json $(PAGE)
	@test -z "$$(gofmt -l *.go backend bench 2>/dev/null)" || { gofmt -l *.go backend bench; echo "run gofmt -w on these"; exit 1; }
	CGO_ENABLED=0 go vet ./...
	go vet -tags $(DESKTOP),webdriver,window . ./backend/desktop/...
	$(STATICCHECK) ./...
	$(STATICCHECK) -tags $(DESKTOP),webdriver,window . ./backend/desktop/...
	npm run lint --prefix frontend
	sh scripts/fresh.sh

bench: build
	go run ./bench

soak: $(PAGE)
	MOBIUS_SOAK=30m go test -race -timeout 60m -run 'Soak|Crash|Property' ./...

package: build
	sh scripts/package.sh "$(VERSION)"

clean:
	rm -rf build/bin build/dist build/test frontend/node_modules
	find frontend/dist -mindepth 1 ! -name .gitkeep -delete
