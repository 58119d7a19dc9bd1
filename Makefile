# Everything there is to do with this repository. `make help` lists it.
# Only Go is needed; whatever else is used is built from pinned Go modules.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

GO ?= go
# Programs, tests and lint use the same flags, so that they share one build cache. Providers are
# released without cgo, too: programs need no C library, and use less memory.
export CGO_ENABLED := 0
# Debugging information takes the compiler about a seventh of its time, and no program or test that is made
# here keeps any. For a debugger, build without this: go build ./cmd/landbridge.
export GOFLAGS := $(shell $(GO) env GOFLAGS) -gcflags=all=-dwarf=false
# The released version, such as v0.5.0. Defaults to the tag or commit that the build was made from.
VERSION ?=
LDFLAGS := -ldflags='-s -w $(if $(VERSION),-X github.com/landbridge-io/landbridge/internal/version.version=$(VERSION))'
BUILD := $(GO) build
TOOL := $(GO) tool -modfile=$(CURDIR)/tools/go.mod
LINT := $(GO) tool -modfile=$(CURDIR)/tools/lint/go.mod golangci-lint

# The race detector needs a C compiler. `make test RACE=` runs without it.
RACE ?= $(if $(shell command -v "$$($(GO) env CC)" 2>/dev/null),-race,)
# The same for the nested modules, which would compile Terraform's SDKs a second time.
NESTED_RACE ?=
# And for test/e2e, whose controllers take several times as long with it.
E2E_RACE ?= $(RACE)
# Packages without concurrency, in which the race detector would find nothing and take several times as long.
# internal/architecture checks that neither they nor their tests start goroutines.
SEQUENTIAL := config internal/crd internal/desired internal/evolution internal/hcltext internal/inference internal/instance \
	internal/terraform/engine/objchange internal/terraform/planview internal/translate internal/wire
sequential := $(addprefix ./,$(SEQUENTIAL))
# Packages tested at once: some start an API server of their own.
PARALLEL ?= 2
TESTFLAGS ?=
# go vet is part of lint. Without debugging information, a test program is linked in two thirds of the time.
TEST := test -vet=off -ldflags=-w -p $(PARALLEL) -timeout 30m
race = $(if $(1),CGO_ENABLED=1) $(GO)

# Modules besides the root and the playground.
MODULES := $(patsubst %/go.mod,%,$(wildcard test/*/go.mod examples/*/go.mod)) tools/git tools/release tools/xpkg
# Those whose tests `make test` runs. The chart, the tables of behaviours, conformance and attacks, the world, upgrades and downgrades are test runs of their own.
TESTED := $(filter-out test/alerts test/behaviour test/chart test/conformance test/downgrade test/kinds test/tenancy test/ui test/upgrades test/world,$(MODULES))

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: bin/landbridge bin/playground tour-providers ## The whole story in one command: install real providers, apply, change, drift, repair, delete
	@bin/playground demo

# Flags of the controller, such as UP_FLAGS='--webhook-port 9443 --cli terraform'. PROVIDERS= installs none of the example providers.
UP_FLAGS ?=
PROVIDERS ?= random local time
# EXAMPLECLOUD=1 runs the example cloud, too. The controller's mirror has its provider, landbridge-io/examplecloud.
EXAMPLECLOUD ?=
EXAMPLECLOUD_PORT ?= 8480
.PHONY: up
up: bin/landbridge bin/playground bin/tofu tour-providers $(if $(EXAMPLECLOUD),examplecloud) ## Run a cluster with Landbridge and real providers for kubectl, until Ctrl-C (state is kept in .playground/): UP_FLAGS=flags of the controller, EXAMPLECLOUD=1, PROVIDERS=
	@bin/playground up $(if $(EXAMPLECLOUD),--examplecloud --examplecloud-address 127.0.0.1:$(EXAMPLECLOUD_PORT)) $(if $(PROVIDERS),,--install-providers=false) -- $(UP_FLAGS)

# These have memory for processor time, and so have the programs that they run.
test lint behaviours conformance chaos: export GOGC ?= 400

.PHONY: test
test: build ## All tests, against real provider binaries and a real API server
	$(if $(RACE),,@echo "note: no C compiler found, so the tests run without the race detector")
	@# Its tests start API servers of their own: nothing else runs beside them.
	$(call race,$(E2E_RACE)) $(TEST) $(E2E_RACE) $(TESTFLAGS) ./test/e2e
	@# make front-door runs the pages, whose programs are as slow as a reader's.
	packages=$$($(GO) list ./... | grep -vxF "$$($(GO) list ./test/e2e ./test/frontdoor $(if $(RACE),$(sequential)))"); $(call race,$(RACE)) $(TEST) $(RACE) $(TESTFLAGS) $$packages
	$(if $(RACE),$(GO) $(TEST) $(TESTFLAGS) $(sequential))
	@# The race detector is too slow for what is large.
	$(if $(RACE),$(GO) $(TEST) $(TESTFLAGS) -run '^TestLarge' ./internal/generator ./internal/provider/pool ./internal/scheduler ./internal/scheduler/store)
	@$(MAKE) --jobs=2 --output-sync=target $(addsuffix /test,playground $(TESTED))

.PHONY: $(addsuffix /test,playground $(TESTED))
# Without -race, which would compile all of Kubernetes a second time.
playground/test:
	$(GO) -C playground $(TEST) $(LDFLAGS) $(TESTFLAGS) ./...
$(addsuffix /test,$(TESTED)): %/test:
	$(call race,$(NESTED_RACE)) -C $* $(TEST) $(NESTED_RACE) $(TESTFLAGS) ./...

.PHONY: lint
lint: ## golangci-lint (.golangci.yaml) over every module, and no function that is never called
	@for module in . playground $(MODULES); do (cd $$module && set -x && $(LINT) run ./...); done
	@# Nested modules use what is below internal/testing.
	@dead=$$($(GO) tool -modfile=$(CURDIR)/tools/lint/go.mod deadcode -test -filter '^github.com/landbridge-io/landbridge/internal/' ./...); \
		! grep -v '^internal/testing/' <<<"$$dead"

.PHONY: verify
verify: ## Everything at full length: what CI runs, and all that takes longer; takes hours
	@bash .ci/verify

.PHONY: bench
bench: build ## Benchmarks, about half an hour; one JSON object per figure, also written to docs/performance.md
	@$(GO) run ./test/bench -write docs/performance.md

RESOURCES ?= 10000
.PHONY: bench-large
bench-large: build ## What RESOURCES=n resources cost, and how long a restart and commands take: about twelve minutes for 10000
	@$(GO) run ./test/bench -only large,commands -resources $(RESOURCES) -write docs/performance.md

.PHONY: bench-replicas
bench-replicas: build ## How much faster three replicas are that share the work, in about six minutes
	@$(GO) run ./test/bench -only replicas -write docs/performance.md

.PHONY: bench-crds
bench-crds: build ## What CRDs cost the API server, in about three minutes
	@$(GO) run ./test/bench -only crds -write docs/performance.md

.PHONY: bench-scale
bench-scale: build ## The same for a provider with more than a thousand types; builds it first (ten minutes and more)
	@$(GO) run ./internal/testing/providertest/build azurerm >/dev/null
	@$(GO) run ./test/bench -only scale -write docs/performance.md

.PHONY: fuzz-short
fuzz-short: ## Every fuzz target for ten seconds
	@GO='$(GO)' .ci/fuzz

.PHONY: contract-drift
contract-drift: ## What Terraform's plugin protocol has and Landbridge's messages have not: TERRAFORM=a checkout of Terraform
	@$(GO) run -C test/contract ./cmd/drift -protocol '$(if $(TERRAFORM),$(abspath $(TERRAFORM))/docs/plugin-protocol)'

# The output of `make test TESTFLAGS=-json`: what is in it need not run again.
RESULTS ?=
.PHONY: vectors
vectors: $(if $(RESULTS),,build) ## The contract's test vectors, through every way of running a provider
	@$(GO) run -C test/contract ./cmd/vectors $(if $(RESULTS),-results $(abspath $(RESULTS)))

CASES ?= 2000
SEED ?= 1
REPLICAS ?= 1
# Kinds of schedules: accounts, approvals, brake, references, triggers, versions or unmanaged.
SCHEDULES ?=
.PHONY: differential
differential: ## The engine against OpenTofu: CASES=n random cases of SEED=s, driven by both
	@$(GO) run -C test/contract ./cmd/differential -cases $(CASES) -seed $(SEED)

.PHONY: simulate
simulate: ## Simulated failures in virtual time, against the real scheduler, store and reconciler: OPS=n operations of SEED=s, by REPLICAS=n that share the work, in SCHEDULES=accounts, approvals, brake, references, triggers, versions or unmanaged (actions, ephemeral resources and data sources), and what was lost
	@$(GO) run ./test/simulation/cmd/simulate -ops $(if $(filter command line environment,$(origin OPS)),$(OPS),1000000) -seed $(SEED) -replicas $(REPLICAS) $(SCHEDULES:%=-%)

.PHONY: simulate-mutants
simulate-mutants: ## Deliberate faults, one after the other, and how many of them the simulation finds: ONLY='name; name' for some of them
	@$(GO) run ./test/simulation/cmd/mutants -seed $(SEED) $(if $(ONLY),-only "$$ONLY")

PLANS ?= 3000
.PHONY: plans
plans: ## Random edits, approvals, failures and restarts: whether only approved plans are applied, in PLANS=n cases, and in the simulation
	@$(GO) run ./test/simulation/cmd/simulate -approvals -ops $$(($(PLANS) * 10)) -seed $(SEED)
	@out=$$($(GO) $(TEST) -count=1 -v -run '^(TestOnlyApprovedPlansAreApplied|TestApprov|TestConcurrentApproval|TestPlanHash)' ./internal/scheduler -plans $(PLANS)) || { echo "$$out"; exit 1; }; \
	echo "$$out" | grep '^plans: '

N ?= 10000
.PHONY: history-test
history-test: ## Random edits, failures, crashes and changes from outside: whether the change record equals what was seen from outside, at N=n instants, and whether it has a planted secret
	@$(GO) $(TEST) -count=1 -run '^TestHistory' ./internal/history ./internal/controller/managed >/dev/null
	@out=$$($(GO) $(TEST) -count=1 -v -run '^TestHistory' ./internal/scheduler -instants $(N)) || { echo "$$out"; exit 1; }; \
	echo "$$out" | grep -o 'history: .* instants, .* wrong, .* secrets'

ROADS ?= 100
.PHONY: roads
roads: bin/landbridge bin/playground ## Round trips: an estate of ROADS=n resources from Terraform into a cluster and back, and whether anything changed
	@out=$$($(GO) $(TEST) -count=1 -v -run '^(TestRoads|TestExport)$$' ./test/e2e -roads $(ROADS)) || { echo "$$out"; exit 1; }; \
	echo "$$out" | grep '^roads: '

CHECK ?=
.PHONY: conformance
conformance: bin/playground ## Every way of execution does the same: OpenTofu's and Terraform's command line, plugin, in process; writes the table in docs/execution.md (CHECK=1 compares it)
	@$(GO) run -C test/conformance ./cmd/conformance $(if $(CHECK),-check)

.PHONY: inference
inference: bin/landbridge ## How many of azurerm's references are inferred from its documentation, and how many rightly; builds the provider
	@$(GO) run ./test/inference

OPS ?= 1000
EXECUTION ?= Plugin
.PHONY: chaos
chaos: bin/playground ## Users work while everything around Landbridge breaks: OPS=n operations of SEED=s with EXECUTION=Plugin or CLI, by REPLICAS=n that share the work, and what was lost
	@$(GO) run ./test/chaos/cmd/chaos -ops $(OPS) -seed $(SEED) -execution $(EXECUTION) -replicas $(REPLICAS) $(if $(filter command line environment,$(origin RACE)),$(if $(RACE),-race))

.PHONY: behaviours
behaviours: bin/playground ## Every behaviour with every form of provider, as a plugin and in process; writes the tables in docs (CHECK=1 compares them)
	@$(GO) run -C test/behaviour ./cmd/behaviours $(if $(CHECK),-check)

.PHONY: identity-matrix
identity-matrix: bin/playground ## The same of resource identity alone
	@$(GO) run -C test/behaviour ./cmd/behaviours -table identity $(if $(CHECK),-check)

.PHONY: tenancy
tenancy: bin/playground ## Attacks of tenants with the role edit in one namespace, and of authors of modules; fails if one succeeds
	@$(GO) test -C test/tenancy -vet=off -c -o $(CURDIR)/bin/test/tenancy.test .
	@cd test/tenancy && $(CURDIR)/bin/test/tenancy.test -test.timeout=20m

.PHONY: health
health: bin/playground ## Every situation of an object, and the health that kstatus, Argo CD and Flux compute of it; fails if one is wrong
	@$(GO) test -C test/health -vet=off -c -o $(CURDIR)/bin/test/health.test .
	@cd test/health && $(CURDIR)/bin/test/health.test -test.timeout=20m

.PHONY: kinds
kinds: bin/playground ## Everything of a provider that is no resource type, in a cluster: data sources, ephemeral resources, actions, and functions in references
	@$(call race,$(NESTED_RACE)) test -C test/kinds $(NESTED_RACE) -vet=off -c -o $(CURDIR)/bin/test/kinds.test .
	@cd test/kinds && $(CURDIR)/bin/test/kinds.test -test.timeout=30m

.PHONY: ui-pictures
ui-pictures: bin/landbridge bin/playground ## Make the pictures of the page in README.md anew
	@mkdir -p docs/pictures
	@UI_PICTURES=$(CURDIR)/docs/pictures $(MAKE) --no-print-directory ui-test RUN='^TestPictures$$'

.PHONY: ui-test
ui-test: bin/landbridge bin/playground ## The page of landbridge ui in Chromium, which it installs if need be: flows, and every view in both themes; RUN=tests, UI_SCREENSHOTS=directory keeps pictures
	@$(GO) test -C test/ui -vet=off -c -o $(CURDIR)/bin/test/ui.test .
	@cd test/ui && $(CURDIR)/bin/test/ui.test -test.timeout=30m -test.run '$(RUN)'

WAYS ?=
.PHONY: world
world: bin/playground bin/tofu ## Every behaviour of clouds in docs/faults.md, in a cluster with the native way, the command line and a module: what was lost, doubled or failed; ONLY=behaviours, WAYS=ways
	@$(GO) test -C test/world -vet=off -c -o $(CURDIR)/bin/test/world.test .
	@cd test/world && $(CURDIR)/bin/test/world.test -test.timeout=60m -only '$(ONLY)' -ways '$(WAYS)'

# The commit or tag of another release to go back to than that in test/downgrade/former, which `make release` writes.
FORMER ?=
.PHONY: downgrade
downgrade: bin/landbridge bin/playground bin/tofu ## Upgrade, downgrade and upgrade again, from and to the release before this one, whose program is built from the history: what was lost, doubled or written unasked; FORMER=commit or tag
	@$(GO) test -C test/downgrade -vet=off -c -o $(CURDIR)/bin/test/downgrade.test .
	@cd test/downgrade && $(CURDIR)/bin/test/downgrade.test -test.timeout=60m -former '$(FORMER)'

.PHONY: upgrades
upgrades: bin/landbridge bin/playground ## Planted breakages of a provider's next release, and whether the preview of the upgrade finds them: planted, found, invented and written
	@$(GO) test -C test/upgrades -vet=off -c -o $(CURDIR)/bin/test/upgrades.test .
	@cd test/upgrades && $(CURDIR)/bin/test/upgrades.test -test.timeout=30m

.PHONY: install-test
install-test: ## Providers from registries and mirrors: every source, and everything that can break between a publisher and this machine
	@$(GO) test -vet=off -c -o $(CURDIR)/bin/test/install.test ./internal/provider/install
	@cd internal/provider/install && $(CURDIR)/bin/test/install.test -test.run '^Test(Sources|Faults)$$' -test.timeout=5m

.PHONY: modules
modules: bin/playground ## Modules in the shape of public ones (examples/modules): each created, changed, planned to no changes, and destroyed
	@$(GO) test -vet=off -ldflags=-w -c -o $(CURDIR)/bin/test/modules.test ./test/e2e
	@out=$$(cd test/e2e && $(CURDIR)/bin/test/modules.test -test.run '^TestModules$$' -test.timeout=15m -modules) || { echo "$$out"; exit 1; }; \
	echo "$$out" | grep '^modules: '

PAGES ?=
UPDATE ?=
.PHONY: front-door
front-door: ## The first pages as a newcomer runs them, in a fresh clone: README, tutorial, plans, modules, install; PAGES=files, separated by commas; UPDATE=1 writes outputs anew
	@$(GO) test -vet=off -ldflags=-w -c -o $(CURDIR)/bin/test/frontdoor.test ./test/frontdoor
	@cd test/frontdoor && $(CURDIR)/bin/test/frontdoor.test -test.timeout=3h -summary -pages '$(PAGES)' $(if $(UPDATE),-update)

ONLY ?=
.PHONY: generated-repos
generated-repos: bin/playground ## Make, build, test and run a generated repository for each of several providers: ONLY=names
	@$(GO) run ./test/generated -only '$(ONLY)'

.PHONY: figures-in-process
figures-in-process: bin/playground ## The same of those that link their providers; writes the figures in docs/execution.md
	@$(GO) run ./test/generated -in-process -parallel 1 -write docs/execution.md

.PHONY: build
build: bin/landbridge bin/playground providers ## Build all programs and test providers into bin/

# The go command knows best what is up to date.
.PHONY: bin/landbridge
bin/landbridge:
	@$(BUILD) $(LDFLAGS) -o $@ ./cmd/landbridge

.PHONY: bin/playground
bin/playground: | bin
	@test -x $@ || echo "building the playground: Kubernetes' API server takes about five minutes the first time"
	@$(BUILD) -C playground $(LDFLAGS) -o ../bin/ ./cmd/playground

# Only modules and spec.execution: CLI need it. The flags are those of internal/testing/testbin, whose tests use the same program.
bin/tofu: test/contract/tofu/go.mod | bin
	@echo "building OpenTofu for modules: it takes about three minutes the first time"
	@$(BUILD) -C test/contract/tofu -ldflags='-s -w -X github.com/opentofu/opentofu/version.dev=no' -o ../../../bin/ github.com/opentofu/opentofu/cmd/tofu
	@touch $@

.PHONY: providers
providers: ## Build the real providers into bin/providers, a filesystem mirror
	@$(GO) run ./internal/testing/providertest/build >/dev/null

# What `make demo` and `make up` install.
.PHONY: tour-providers
tour-providers:
	@$(GO) run ./internal/testing/providertest/build random local time >/dev/null

# The example cloud and releases of its provider, as a mirror: docs/identity.md installs them.
EXAMPLECLOUD_PLATFORM = $(shell $(GO) env GOOS)_$(shell $(GO) env GOARCH)
.PHONY: examplecloud
examplecloud: ## Build the example cloud and three releases of its provider into bin/examplecloud
	@$(BUILD) -C examples/examplecloud $(LDFLAGS) -o ../../bin/examplecloud/ ./cmd/examplecloud
	@for release in 0 1 2; do \
		$(BUILD) -C examples/examplecloud \
			-ldflags="-s -w -X github.com/landbridge-io/landbridge/examples/examplecloud/provider/release.linked=$$release" \
			-o ../../bin/examplecloud/mirror/registry.terraform.io/landbridge-io/examplecloud/$$((release + 1)).0.0/$(EXAMPLECLOUD_PLATFORM)/terraform-provider-examplecloud \
			./cmd/terraform-provider-examplecloud-framework6; \
	done

bin:
	@mkdir -p $@

.PHONY: generate
generate: ## Run go generate in every module
	@for module in . playground $(MODULES); do $(GO) -C $$module generate ./...; done

# What images are made for (a release: both; else this machine's processor), and further flags of `go run -C tools/release . image`, such as
# --push. OPENTOFU=1 makes the variant with OpenTofu, too. Without a version, the tag is the one that the chart of a checkout asks for.
RELEASED_IMAGE_PLATFORMS := linux/amd64,linux/arm64
IMAGE_PLATFORMS ?= linux/$(shell $(GO) env GOARCH)
OPENTOFU ?=
IMAGE_FLAGS ?=
.PHONY: image
image: ## Make the container image in dist/: an OCI layout, a tar archive of it, an SBOM; OPENTOFU=1 its variant with OpenTofu, too
	@$(GO) run -C tools/release . image --root $(CURDIR) --output $(CURDIR)/dist --version '$(or $(VERSION),dev)' --platforms $(IMAGE_PLATFORMS) $(if $(OPENTOFU),--opentofu) $(IMAGE_FLAGS)

.PHONY: manifests
manifests: ## Write the CRDs of Landbridge's own kinds into the chart, and render it to deploy/install.yaml
	@$(GO) run -C tools/release . manifests --root $(CURDIR)

QUICK ?=
.PHONY: chart-test
chart-test: bin/landbridge bin/playground ## Every combination of the chart's values, and the image as a container by runc, as root (QUICK=1 without both)
	@$(if $(QUICK),,$(GO) run ./internal/testing/providertest/build random >/dev/null)
	@$(GO) test -C test/chart -vet=off -c -o $(CURDIR)/bin/test/chart.test .
	@cd test/chart && $(if $(QUICK),,$(if $(filter 0,$(shell id -u)),,sudo -E env "PATH=$$PATH")) $(CURDIR)/bin/test/chart.test \
		-test.timeout=20m $(if $(QUICK),-test.skip='^Test(Combinations|Container)$$',-summary)

.PHONY: alerts
alerts: ## The chart's alerts and dashboard, by Prometheus' engine over recorded series
	@$(GO) test -C test/alerts $(TESTFLAGS) ./...

# What programs are released for, a private key to sign the checksums with, and further flags, such as --push or --no-images.
PLATFORMS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64
PLAYGROUND_PLATFORMS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64
KEY ?=
RELEASE_FLAGS ?=
.PHONY: release
release: ## Make the release VERSION=v0.N.0 in dist/: programs with completions, krew manifest, images, chart, manifests, SBOMs, checksums; signed with KEY=file
	@test -n "$(VERSION)" || { echo "give the version: make release VERSION=v0.N.0"; exit 1; }
	@rm -rf dist
	@$(GO) run -C tools/release . release --root $(CURDIR) --output $(CURDIR)/dist --version '$(VERSION)' --platforms $(PLATFORMS) --playground-platforms '$(PLAYGROUND_PLATFORMS)' --image-platforms $(if $(filter command line environment,$(origin IMAGE_PLATFORMS)),$(IMAGE_PLATFORMS),$(RELEASED_IMAGE_PLATFORMS)) \
		$(if $(KEY),--key '$(abspath $(KEY))') $(RELEASE_FLAGS)

.PHONY: crds
crds: ## Make the CRDs of Landbridge's own types anew
	@$(GO) generate ./apis/...

.PHONY: clean
clean: ## Remove what was built, and the data of `make up`
	@rm -rf bin dist .playground
