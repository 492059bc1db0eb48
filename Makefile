# SPDX-License-Identifier: Apache-2.0
# TorusMU. Plain `make` builds build/torusmu; `make help` lists the verbs. Every product goes to $(BUILD).
# The rules live in fragments beside what they build, all included below: rtl/rtl.mk, tb/tb.mk, ... A new source
# file needs no new rule: see the head of each fragment.

# Sizes of the node: sim or bgp (docs/reference/sizes.md).
ifneq ($(origin PROFILE),command line)
PROFILE := sim
endif
ifeq ($(filter sim bgp,$(PROFILE)),)
$(error PROFILE is sim or bgp, not '$(PROFILE)')
endif
VERSION := $(file < VERSION)
IS_BGP := $(filter bgp,$(PROFILE))
# Loops over 128 queues or 256 counters are longer than Verilator unrolls by itself.
BGP_FLAGS := -DTORUSMU_PROFILE_BGP --unroll-count 1024 --unroll-stmts 300000
BUILD ?= $(if $(IS_BGP),build/bgp,build)
JOBS ?= $(shell nproc)
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDEXPANSION:
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif

# Under -n make runs each line that names make, so that what else such a line does is a comment then.
UNLESS_SHOWN := $(if $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),: )

# make V=1 shows the commands.
Q := $(if $(V),,@)
SAY = @$(if $(V),:,printf '  %-9s %s\n')

CXX := g++
CCACHE := $(if $(shell command -v ccache),ccache)
# What ccache wants for headers that are parsed once.
export CCACHE_SLOPPINESS := pch_defines,time_macros
VERILATOR_INCLUDE := /usr/share/verilator/include
# The checkout's own path is left out of what the compilers see, so that ccache serves any checkout.
CPPFLAGS := -I. -Ihost/include -isystem $(BUILD)/models -isystem $(VERILATOR_INCLUDE) \
  -isystem $(VERILATOR_INCLUDE)/vltstd -DVM_COVERAGE=0 -DVM_SC=0 $(if $(IS_BGP),-DTORUSMU_PROFILE_BGP)
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Werror
CXXFLAGS := -std=c++20 -O2 $(WARNINGS)
LDLIBS := -pthread -lz -latomic

.PHONY: all
all:

# Each fragment adds a line for each verb: HELP_<verb> := what it does.
HELP_help := this list
HELP_clean := removes $(BUILD)

include tests/coverage/coverage.mk rtl/rtl.mk tb/tb.mk host/host.mk sim/identity/identity.mk sim/sim.mk sim/install.mk docs/docs.mk tests/tests.mk tests/sizes/sizes.mk constraints/synth.mk tests/netlist.mk tb/equivalence.mk tests/coverage/build.mk tests/mutation/mutation.mk

# --- setup -------------------------------------------------------------------------------------
# Included, so that make brings it up to date before it looks at any other rule. All verbs but
# RUN_VERBS need the packages of the tests too. Looked at anew when a package comes or goes.
QUIET_VERBS := help clean
ifneq ($(filter-out $(QUIET_VERBS),$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/setup_run.mk
RUN_VERBS := all run mesh wave install layouts manifests status results-page bench bench-%
ifneq ($(filter wave,$(MAKECMDGOALS)),)
include $(BUILD)/setup_wave.mk
endif
ifneq ($(filter-out $(QUIET_VERBS) $(RUN_VERBS),$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/setup_test.mk
endif
endif
$(BUILD)/setup_%.mk: .ci/setup $(wildcard /var/lib/dpkg/status)
	@.ci/setup $* && mkdir -p $(@D) && echo "# packages for $*: present" > $@

# --- C++ ---------------------------------------------------------------------------------------
# CXXFLAGS_x and FIRST_x are for the sources of folder x.
CXXFLAGS_tb := -fPIC
$(BUILD)/obj/%.o: %.cc
	@mkdir -p $(@D)
	$(SAY) C++ $<
	$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) $(CXXFLAGS) $(CXXFLAGS_$(firstword $(subst /, ,$*))) $(FIRST_$(firstword $(subst /, ,$*))) -MMD -MP -c $< -o $@
-include $(shell [ -d $(BUILD)/obj ] && find $(BUILD)/obj -name '*.d')
# $(call parsed_once,HEADER,FOLDERS): what most sources of these folders include is parsed once, and each source begins with
# the result. GCC takes the .gch in place of the header of that name, which is not there.
define parsed_once
$(foreach f,$2,$(eval FIRST_$f := -include $(BUILD)/obj/$1))
$(BUILD)/obj/$1.gch: $1
	@mkdir -p $$(@D)
	$$(SAY) C++ $$<
	$$(Q)$$(CCACHE) $$(CXX) $$(CPPFLAGS) $$(CXXFLAGS) $$(CXXFLAGS_$(firstword $(subst /, ,$1))) -x c++-header $$< -o $$@
$(patsubst %.cc,$(BUILD)/obj/%.o,$(shell find $2 -name '*.cc')): $(BUILD)/obj/$1.gch
endef
$(eval $(call parsed_once,sim/parsed_once.h,sim host docs constraints))
$(eval $(call parsed_once,tests/support/parsed_once.h,tests))

# --- help, clean -------------------------------------------------------------------------------
.PHONY: help clean
help:
	@$(foreach v,$(sort $(patsubst HELP_%,%,$(filter HELP_%,$(.VARIABLES)))),printf '  %-14s %s\n' '$v' '$(HELP_$v)';)
clean:
	rm -rf $(BUILD)
