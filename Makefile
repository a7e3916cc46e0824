# Everything here is plain make and sh. It needs Go. With a C compiler the first build compiles
# SQLite, which takes a minute or two; without one SQLite in Go is used.

GO = go
TAGS = sqlite_fts5
PREFIX = /usr/local
PACKAGES = ./...
# Packages tested at a time: one more than a small machine has processors, as many tests wait.
AT_ONCE = 3
# Benchmarks are a module of their own. They run from here.
benchmark = $(GO) build -C bench -tags $(TAGS) -o ../bin/bench-$(subst /,-,$(1)) ./$(1) && bin/bench-$(subst /,-,$(1))

help: ## list what make can do
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' Makefile | while read name text; do printf '  make %-13s %s\n' "$$name" "$$text"; done

build: ## build bin/pictx
	$(GO) build -tags $(TAGS) -o bin/pictx ./cmd/pictx

test: ## vet and test everything, or PACKAGES
	$(GO) vet -tags $(TAGS) $(PACKAGES)
	GO=$(GO) sh scripts/test.sh -vet=off -tags $(TAGS) -timeout 30m -p $(AT_ONCE) $(PACKAGES)
	$(if $(filter ./...,$(PACKAGES)),cd bench && $(GO) vet -tags $(TAGS) ./... && $(GO) test -tags $(TAGS) ./...)

demo: build ## show what it does, on recorded sessions and in a temporary directory
	@sh scripts/demo.sh

bench: build ## measure: the packages, then whole processes next to a reference
	-$(GO) test -tags $(TAGS) -run '^$$' -bench . -benchmem ./core/... ./jsonl/... ./hooks/... ./sqlite/... ./commands
	$(call benchmark,proc)
	bin/bench-proc -hooks
	-node --no-warnings bench/extension/latency.mjs bin/pictx # needs Node 22

bench-kota: build ## measure questions about code on 7,000 files; BENCH="-files 20000"
	$(call benchmark,kota) $(BENCH)

bench-corpus: build ## ask questions about public repositories, cloned at pinned commits; BENCH="-only report -v"
	$(call benchmark,kota/corpus) $(BENCH)

bench-history: build ## measure how history is kept and found; BENCH="-n 1000000", SESSIONS=DIR to ask about other sessions
	$(call benchmark,history) $(if $(SESSIONS),-sessions $(SESSIONS)) $(BENCH)

bench-replay: build ## what pruning would do in the sessions of a directory; BENCH="-plans DIR"
	$(call benchmark,replay) $(BENCH)

SOAK_MINUTES ?= 60
SOAK_SEED ?=
soak: build ## kill ten agents and a user at random for SOAK_MINUTES, then compare everything with the truth; SOAK_SEED repeats a run
	$(call benchmark,soak) -minutes $(SOAK_MINUTES) $(if $(SOAK_SEED),-seed $(SOAK_SEED)) $(BENCH)

generate: ## write man, completions and JSON schemas from the commands
	$(GO) run man/gen.go
	UPDATE_GOLDEN=1 $(GO) test -tags $(TAGS) -count 1 -run TestJSONTypesHaveTheListedFields ./commands/...

lint: ## check form: needs gofumpt and staticcheck
	@test -z "$$(gofumpt -l .)" || { gofumpt -d .; exit 1; }
	staticcheck -tags $(TAGS) ./...
	$(GO) vet -tags $(TAGS) ./...
	$(GO) vet ./...

acceptance: ## list what has to hold with the tests that hold it
	@$(GO) run ./internal/acceptance/list.go

vuln: ## look for known vulnerabilities, or say that they cannot be looked up from here
	@scripts/vuln

cover: ## how much of each package the tests run
	$(GO) test -tags $(TAGS) -p 2 -cover ./...

install: build ## install the program, its manual and its completions below PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -d $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 bin/pictx $(DESTDIR)$(PREFIX)/bin/pictx
	install -m 644 man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 man/*.7 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 completions/pictx.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/pictx
	install -m 644 completions/pictx.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_pictx
	install -m 644 completions/pictx.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/pictx.fish

clean: ## remove what was built
	rm -rf bin dist

.PHONY: help build test demo bench bench-history bench-kota bench-corpus generate lint acceptance vuln cover install clean
