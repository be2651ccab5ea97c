# make test is what every change has to pass. It needs Go, and a C compiler for
# the race detector (without one the tests run without it, and it says so).

GO          ?= go
STATICCHECK := 0.8.2
# Of deadcode and gopackages.
TOOLS       := 0.52.0
# The race detector needs cgo; go turns that off where there is no C compiler.
RACE        ?= $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
# Packages tested at the same time: one more than processors, because some tests wait for real time.
JOBS        ?= $(shell expr $$(getconf _NPROCESSORS_ONLN || echo 2) + 1)
# A benchmark runs this long, and this many times, ready for benchstat.
BENCHTIME   ?= 1s
COUNT       ?= 1
# Each fuzz target runs this long, and soak as long in all.
FUZZTIME    ?= 1m
SOAKTIME    ?= 10m
GOVULNCHECK := 1.6.0
# Where the program is built for, beside this host; its tests run where they can.
PLATFORMS   := linux/arm64 darwin/arm64 windows/amd64 freebsd/amd64

.PHONY: build mpi mpi-test test race whole conform goldens lint prose estimates mutate bench 386 single types platforms dist pictures fuzz soak hostile vuln clean

build:
	$(GO) build -o hybridtop ./cmd/hybridtop

# The program of an MPI job. It loads the MPI library at run time, and needs no C compiler.
mpi:
	CGO_ENABLED=0 $(GO) build -o hybridtop-mpi ./cmd/hybridtop-mpi

test: lint race

# Everything that reads the code without running it.
lint: prose
	$(GO) build ./...
	$(GO) vet ./...
	@echo 'gofmt -l .'; unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	@if staticcheck -version 2>/dev/null | grep -qF '($(STATICCHECK))'; then \
		echo 'staticcheck ./...'; staticcheck ./...; \
	else \
		echo '$(GO) run honnef.co/go/tools/cmd/staticcheck@v$(STATICCHECK) ./...'; \
		$(GO) run honnef.co/go/tools/cmd/staticcheck@v$(STATICCHECK) ./...; \
	fi
	@echo '$(GO) run golang.org/x/tools/cmd/deadcode@v$(TOOLS) ./cmd/...'; \
	dead=$$($(GO) run golang.org/x/tools/cmd/deadcode@v$(TOOLS) ./cmd/...) || exit 1; \
	if [ -n "$$dead" ]; then echo "no command reaches:"; echo "$$dead"; exit 1; fi
	$(GO) mod tidy -diff

# Checks the texts of changed lines and commit subjects for the rules of docs/style.md. The
# changes are those since PROSE_BASE: the branch's start, or the last commit without a remote.
PROSE_BASE ?= $(shell git merge-base HEAD origin/HEAD 2>/dev/null || git rev-parse -q --verify HEAD 2>/dev/null)
prose:
	@if [ -n "$(PROSE_BASE)" ]; then \
		echo '$(GO) run ./internal/prose -base $(PROSE_BASE)'; $(GO) run ./internal/prose -base $(PROSE_BASE); \
	else echo 'prose: no git history, skipped'; fi

# Packages that start no goroutine, or only simulate. Workloads run under the race detector in engine/workload/all.
UNRACED := /hybridtop/(models|presets|cluster/sim|engine/(advise|algorithm|calibrate|explain|lesson|reproduce|study|tuner|workload)|tui/(export|grid|overlay|pane))(/|$$$$)

# The short tests under the race detector, which is ten times slower, and those of UNRACED without it. SHORT= runs
# the latter at their full size; make whole then takes their results from the cache.
SHORT ?= -short
race:
	@$(if $(RACE),:,echo 'without the race detector, which needs a C compiler:')
	$(GO) test $(RACE) -p $(JOBS) -short -vet=off $$($(GO) list ./... | grep -Ev '$(UNRACED)') ./engine/workload/all
	$(GO) test $(SHORT) -p $(JOBS) -vet=off $$($(GO) list ./... | grep -E '$(UNRACED)' | grep -v '/workload/all$$')

# Every test at its full size, the papers' claims with them.
whole:
	$(GO) test -p $(JOBS) -vet=off ./...

# What takes many minutes: builds for all platforms, every test at its full size under the
# race detector, and every algorithm of the collectives on every team of its table, an hour
# of one core.
conform: platforms
	$(GO) test $(RACE) -timeout 0 ./...
	$(MAKE) 386 PACKAGES_386=./...
	$(MAKE) single SINGLE='./cluster/coll ./tui'
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^(TestOracle|TestCounts|TestPredictions|TestACubeOfThePaper)$$' ./cluster/coll ./engine/workload/heat
	CONFORM=1 $(GO) test -count=1 -timeout 0 ./engine/workload/multigrid
	CONFORM=1 $(GO) test $(RACE) -short -count=1 -timeout 0 -run '^TestConformanceOverProcesses$$' ./cluster/live
	CONFORM=1 $(GO) test $(RACE) -count=1 -timeout 0 -run '^TestConformance$$' ./cluster/live
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^TestQuotients$$' ./cluster/sim
	CONFORM=1 $(GO) test -count=1 -timeout 0 ./engine/explain
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^TestPapers$$' ./engine/advise
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^(TestPerturbations|TestNoPassHasARefutedRow)$$' ./engine/reproduce
	$(MAKE) estimates
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^(TestEmulationEqualsSimulation|TestEmulatedStepsEqualSimulatedSteps|TestFirstTurn|TestExpectations|TestQuestions)$$' ./engine/workload/all
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^(TestRandomScenariosStayUnderTheLimit|TestGrowth|TestRowsOfApplications)$$' ./engine/session ./engine/bench
	$(MAKE) hostile
	CONFORM=1 $(GO) test -count=1 -timeout 0 ./internal/revert
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^(TestChromiumDraws|TestFirstMinute|TestMinuteOnABusyHost|TestPairsWithoutADifference)' ./cmd/hybridtop
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^TestNothingIsCutOffOrDrawnOver$$' ./tui
	$(MAKE) goldens
	CONFORM=1 $(GO) test -count=1 -timeout 0 -v -run '^TestRelease$$' ./internal/release

# Runs every workload over the processes of Open MPI and of MPICH, and the conformance suite over processes connected
# by sockets. It skips a library that is not installed.
mpi-test:
	CONFORM=1 $(GO) test -count=1 -timeout 0 -v -run '^TestMPI' ./cmd/hybridtop-mpi
	CONFORM=1 $(GO) test -short -count=1 -timeout 0 -run '^TestConformanceOverProcesses$$' ./cluster/live

# Makes forty small errors in the workloads and collectives, one at a time, and counts those that a run reports: about
# half an hour. MUTATE='-seed 7' repeats the errors of a seed.
mutate:
	$(GO) run ./internal/mutate $(MUTATE)

# Compares the cost model of collectives with simulations of drawn calls, and the default choice with
# the best algorithm. ESTIMATES=all takes all calls, which is many hours of one core.
ESTIMATES ?= 1
estimates:
	CONFORM=$(ESTIMATES) $(GO) test -count=1 -timeout 0 -v -run '^TestEstimates$$' ./engine/algorithm

# Changes the drawing of each pane in turn and prints the golden files that differ: one each.
goldens:
	CONFORM=1 $(GO) test -count=1 -timeout 0 -v -run '^TestAChangeOfOnePaneChangesOneGolden$$' ./tui/pane/all

# The short tests of the packages that compute, as a 32-bit program. PACKAGES_386=./... takes all packages.
# On a kernel without 32-bit programs it is vet alone.
PACKAGES_386 ?= ./cluster/... ./engine ./engine/algorithm ./engine/session ./engine/study ./engine/workload/... ./models/... ./presets/...
386:
	GOARCH=386 CGO_ENABLED=0 $(GO) vet $(PACKAGES_386)
	@if GOARCH=386 CGO_ENABLED=0 $(GO) test -run '^$$' -vet=off ./cluster/match >/dev/null 2>&1; then \
		echo 'GOARCH=386 $(GO) test -short'; \
		GOARCH=386 CGO_ENABLED=0 $(GO) test -short -vet=off $(PACKAGES_386); \
	else \
		echo '386: this kernel does not run 32-bit programs, the tests are skipped'; \
	fi

# The short tests of the packages whose threads wait for each other, where one thread runs at a time; two
# packages side by side, or go would take GOMAXPROCS for their number. SINGLE='./cluster/coll ./tui' adds packages.
SINGLE ?=
single:
	GOMAXPROCS=1 $(GO) test -p 2 -short -vet=off ./cluster/live/... ./engine/session $(SINGLE)

# Checks the types of every package and its tests for another system with 32 bits, without compiling anything.
types:
	@echo 'gopackages ./... for windows/386'; \
	all=$$($(GO) run -exec 'env GOOS=windows GOARCH=386 CGO_ENABLED=0' golang.org/x/tools/go/packages/gopackages@v$(TOOLS) -mode=allsyntax -test ./...) || exit 1; \
	if echo "$$all" | grep -E '^	(/|[A-Z]:|-: ).*: |has an error'; then exit 1; fi

platforms:
	@for p in $(PLATFORMS); do \
		echo "$(GO) build ./... for $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 $(GO) build ./... || exit 1; \
	done

# A release of the checked-out commit in dist/: static programs for four platforms in archives, packages for
# deb and rpm, and checksums. It needs git, and a clone without changes. nfpm comes from the module proxy.
dist:
	$(GO) run ./internal/release

# The pictures of the documents: the first minute, played on a terminal, and the report of a sweep in Chromium.
pictures:
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^(TestFirstMinute|TestChromiumDrawsASweep)$$' ./cmd/hybridtop -update

# Every fuzz target, one after another. What breaks one is written to its testdata.
# Inputs are shortened by ten trials: by the minute of the default a machine file takes all the time.
fuzz:
	@$(GO) test -vet=off -list '^Fuzz' $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u) | awk '/^Fuzz/ { names = names " " $$1 } /^ok/ { split(names, all, " "); for (i in all) print $$2, all[i]; names = "" }' | \
	while read -r pkg name; do \
		echo "$$name in $$pkg for $(FUZZTIME)"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$pkg" </dev/null || exit 1; \
	done

# A monkey at the screen, and random programs with ends of all kinds, side by side. At
# the end memory, goroutines, files and the terminal are as before. Then hostile files and kills. A seed that
# fails is printed: SOAKSEED=n SOAKTIME=1s make soak.
soak:
	SOAKTIME=$(SOAKTIME) $(GO) test -count=1 -v -p 3 -timeout 0 -run '^(TestMixtures|TestMonkey)$$' ./cluster/live ./cluster/sim ./tui > soak.log 2>&1 || { grep -v '^=== \|^ *--- PASS' soak.log; exit 1; }
	@grep 'rounds from seed\|resident memory\|^ok' soak.log; rm -f soak.log
	$(MAKE) hostile

# Damaged files for every decoder, 2,000 each, damaged recordings, and a hundred kills of a program that records.
hostile:
	CONFORM=1 $(GO) test -count=1 -timeout 0 -run '^(TestMutatedFiles|TestMutatedFigures|TestStore|TestKilled|TestDamageDoesNoHarm)$$' ./cmd/hybridtop ./presets ./tui/state ./engine/reproduce ./engine/recording

# Known vulnerabilities in what the program calls. The database is on the network.
vuln:
	@$(GO) run golang.org/x/vuln/cmd/govulncheck@v$(GOVULNCHECK) ./... > vuln.log 2>&1; code=$$?; cat vuln.log; \
	if [ $$code -ne 0 ] && grep -q 'dial tcp\|no such host\|connection refused\|i/o timeout\|fetching vulnerabilities\|server response' vuln.log; then \
		echo 'vuln: the database of vulnerabilities could not be reached: nothing was checked'; \
	fi; rm -f vuln.log; exit $$code

bench:
	$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) -count $(COUNT) ./...

clean:
	rm -f hybridtop
	rm -rf dist
