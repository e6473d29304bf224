# libmam. `make` lists the targets; scripts/ does the work; docs/building.md explains.

VERSION := $(shell sed -n 's/^.define MAM_VERSION "\(.*\)"$$/\1/p' include/mam.h)

DESTDIR    =
PREFIX     = /usr/local
BINDIR     = $(PREFIX)/bin
LIBDIR     = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
MANDIR     = $(PREFIX)/share/man
DATADIR    = $(PREFIX)/share
DOCDIR     = $(DATADIR)/doc/mam
BASHDIR    = $(DATADIR)/bash-completion/completions
ZSHDIR     = $(DATADIR)/zsh/site-functions
FISHDIR    = $(DATADIR)/fish/vendor_completions.d
INSTALL    = install

man1   := $(wildcard docs/man/*.1)
pages  := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE bindings/python/README.md $(wildcard docs/*.md docs/decisions/*.md docs/pictures/*.svg) \
    $(wildcard examples/c/*.c examples/cpp/*.cpp examples/python/*.py examples/shell/*.sh examples/policies/*.json \
    examples/policies/*.plist $(addprefix examples/integrate/,*/*.patch */test* */before/*.c */before/*.py */before/Makefile python/split.py loops/*.c* loops/*.py))
headers := mam.h mam.hpp
suppressions := $(wildcard packaging/suppressions/libmam.*)
# Targets of the pages' links that are installed elsewhere: symbolic links to them.
linked = $(addprefix $(DOCDIR)/docs/man/,$(notdir $(man1))) $(addprefix $(DOCDIR)/include/,$(headers))
directories = $(BINDIR) $(LIBDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR) $(MANDIR)/man1 $(DATADIR)/mam $(BASHDIR) $(ZSHDIR) \
    $(FISHDIR) $(sort $(dir $(addprefix $(DOCDIR)/,$(pages)) $(linked)))
made = $(DATADIR)/mam/directories
completions = $(addprefix dist/completions/,mamctl _mamctl mamctl.fish)
PREFIXED = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
configured = sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(call PREFIXED,$(LIBDIR))|' \
    -e 's|@INCLUDEDIR@|$(call PREFIXED,$(INCLUDEDIR))|; s|@VERSION@|$(VERSION)|' packaging/$(1).in \
    > "$(DESTDIR)$(LIBDIR)/pkgconfig/$(1)"

.DEFAULT_GOAL := help
.PHONY: help deps build stage install install-static uninstall wheel static deb test-packages release reproduce test test-service soak fuzz \
    demo demo-service bench bench-service lint abi-check clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-13s %s\n", $$1, $$2}' Makefile

deps:  ## install what building and testing need (MAM_NO_DEPS=1: not with apt)
	@scripts/deps.sh apt python

build:  ## libmam.so and mamctl, optimised, in dist/
	@scripts/build.sh

stage: build  ## install into stage/usr/local, to try or test
	@rm -rf stage
	@$(MAKE) --no-print-directory install DESTDIR= PREFIX="$(CURDIR)/stage/usr/local"

install: dist/libmam.so dist/mamctl $(completions)  ## install under DESTDIR and PREFIX (/usr/local)
	@scripts/install-directories.sh "$(DESTDIR)" "$(made)" $(foreach directory,$(directories),"$(directory:%/=%)")
	@$(INSTALL) -m 644 dist/libmam.so "$(DESTDIR)$(LIBDIR)/libmam.so.$(VERSION)"
	@ln -sf libmam.so.$(VERSION) "$(DESTDIR)$(LIBDIR)/libmam.so.0"
	@ln -sf libmam.so.0 "$(DESTDIR)$(LIBDIR)/libmam.so"
	@$(INSTALL) -m 755 dist/mamctl "$(DESTDIR)$(BINDIR)/mamctl"
	@$(INSTALL) -m 644 $(addprefix include/,$(headers)) "$(DESTDIR)$(INCLUDEDIR)/"
	@$(call configured,mam.pc)
	@for page in $(man1); do $(INSTALL) -m 644 $$page "$(DESTDIR)$(MANDIR)/man1/"; done
	@for page in $(pages); do $(INSTALL) -m 644 $$page "$(DESTDIR)$(DOCDIR)/$$page"; done
	@for page in $(notdir $(man1)); do ln -sfr "$(DESTDIR)$(MANDIR)/man1/$$page" "$(DESTDIR)$(DOCDIR)/docs/man/$$page"; done
	@for header in $(headers); do ln -sfr "$(DESTDIR)$(INCLUDEDIR)/$$header" "$(DESTDIR)$(DOCDIR)/include/$$header"; done
	@$(INSTALL) -m 644 bindings/shell/mam.sh $(suppressions) "$(DESTDIR)$(DATADIR)/mam/"
	@$(INSTALL) -m 644 dist/completions/mamctl "$(DESTDIR)$(BASHDIR)/mamctl"
	@$(INSTALL) -m 644 dist/completions/_mamctl "$(DESTDIR)$(ZSHDIR)/_mamctl"
	@$(INSTALL) -m 644 dist/completions/mamctl.fish "$(DESTDIR)$(FISHDIR)/mamctl.fish"

# Not part of `install`: most hosts load the shared library.
install-static: dist/libmam.a  ## install libmam.a and mam-static.pc as well
	@$(INSTALL) -d "$(DESTDIR)$(LIBDIR)/pkgconfig"
	@$(INSTALL) -m 644 dist/libmam.a "$(DESTDIR)$(LIBDIR)/libmam.a"
	@$(call configured,mam-static.pc)

uninstall:  ## remove what install put there, and the directories it made
	@rm -f "$(DESTDIR)$(LIBDIR)/libmam.so.$(VERSION)" "$(DESTDIR)$(LIBDIR)/libmam.so.0" "$(DESTDIR)$(LIBDIR)/libmam.so" \
	    "$(DESTDIR)$(LIBDIR)/libmam.a" "$(DESTDIR)$(LIBDIR)/pkgconfig/mam.pc" "$(DESTDIR)$(LIBDIR)/pkgconfig/mam-static.pc" \
	    "$(DESTDIR)$(BINDIR)/mamctl"
	@for header in $(headers); do rm -f "$(DESTDIR)$(INCLUDEDIR)/$$header"; done
	@for page in $(notdir $(man1)); do rm -f "$(DESTDIR)$(MANDIR)/man1/$$page"; done
	@for page in $(pages); do rm -f "$(DESTDIR)$(DOCDIR)/$$page"; done
	@rm -f $(foreach link,$(linked),"$(DESTDIR)$(link)")
	@for file in mam.sh $(notdir $(suppressions)); do rm -f "$(DESTDIR)$(DATADIR)/mam/$$file"; done
	@rm -f "$(DESTDIR)$(BASHDIR)/mamctl" "$(DESTDIR)$(ZSHDIR)/_mamctl" "$(DESTDIR)$(FISHDIR)/mamctl.fish"
	@[ ! -e "$(DESTDIR)$(made)" ] || { list=$$(tac "$(DESTDIR)$(made)") && rm -f "$(DESTDIR)$(made)" && \
	    printf '%s\n' "$$list" | while IFS= read -r directory; do \
	        rmdir --ignore-fail-on-non-empty "$(DESTDIR)$$directory"; done; }

wheel: export MAM_PORTABLE = 1
wheel: stage  ## the Python package with libmam in it, as a manylinux wheel in dist/
	@scripts/deps.sh python
	@scripts/wheel.sh

# `sudo make install` after `make build` must not need Swift.
dist/libmam.so dist/mamctl $(completions) &:
	@scripts/build.sh

dist/libmam.a: dist/libmam.so
	@scripts/build-static.sh

static: build  ## libmam.a, for programs that contain libmam, in dist/
	@scripts/build-static.sh

deb:  ## Debian packages in dist/deb/, built in a root of their own
	@scripts/deps.sh packages
	@scripts/deb.sh

test-packages: deb  ## packages and wheel on a fresh Debian 12 without Swift
	@scripts/deps.sh python
	@scripts/wheel.sh dist "$(CURDIR)/.build/portable-libmam.so"
	@scripts/test-packages.sh

release:  ## the files of a release in dist/release/, of the last commit
	@scripts/deps.sh apt packages python release
	@scripts/release.sh

reproduce:  ## build the release's sources in two folders and compare the bytes
	@scripts/deps.sh apt python
	@scripts/reproduce.sh

test:  ## set up, build, and run every test (under 12 minutes on two cores)
	@scripts/deps.sh apt python
	@scripts/test.sh

test-service:  ## build mamd and run the tests of the service
	@scripts/deps.sh apt python service
	@scripts/test-service.sh

soak:  ## what takes longer: threads, kills, fuzzing
	@scripts/deps.sh apt python
	@$(MAKE) --no-print-directory stage
	@scripts/soak.sh

fuzz:  ## each parser of foreign bytes under libFuzzer, 30 s (FUZZ_SECONDS)
	@scripts/deps.sh apt
	@scripts/fuzz.sh

demo:  ## set up, build, and go the whole way once
	@scripts/deps.sh apt
	@$(MAKE) --no-print-directory stage
	@scripts/staged.sh scripts/demo.sh

demo-service:  ## the same through mamd: two computers, one of them wiped
	@scripts/deps.sh apt
	@$(MAKE) --no-print-directory stage
	@scripts/build-service.sh
	@MAMD="$(CURDIR)/Service/.build/debug/mamd" scripts/staged.sh scripts/demo-service.sh

bench:  ## figures beside peers and limits (CHECK=1: fail on a missed bound)
	@scripts/deps.sh apt bench
	@$(MAKE) --no-print-directory stage
	@scripts/staged.sh .venv-bench/bin/python Benchmarks/bench.py $(if $(filter 1,$(CHECK)),--check) $(BENCH)

bench-service:  ## check-ins a second of mamd beside a peer
	@scripts/deps.sh apt bench
	@scripts/build-mamd.sh
	@.venv-bench/bin/python Benchmarks/service.py $(BENCH)

lint:  ## formatting and linters
	@scripts/deps.sh apt python
	@scripts/lint.sh

abi-check: stage  ## names, types, numbers and link facts of the built library
	@scripts/check-abi.sh

clean:  ## remove what the build made (not .venv)
	@rm -rf .build Service/.build dist stage bindings/python/build bindings/python/src/mam.egg-info
