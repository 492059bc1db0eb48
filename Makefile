# SPDX-License-Identifier: Apache-2.0
# TorusMU. Plain `make` builds build/torusmu; `make help` lists the verbs. Every product goes to $(BUILD).
# The rules live in fragments beside what they build, all included below: rtl/rtl.mk, tb/tb.mk, ... A new source
# file needs no new rule: see the head of each fragment.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# --- what a build is made from -------------------------------------------------------------------
# The command line says it, never the environment: what these makefiles and that of Verilator read, or tools read without a
# word, is not taken from there, and not handed on. COVERAGE=1 of a CI system, say, is not meant for this tree.
FRAGMENTS := tests/coverage/coverage.mk rtl/rtl.mk tb/tb.mk tb/lab/lab.mk host/host.mk sim/identity/identity.mk sim/model/model.mk \
  sim/sim.mk sim/install.mk \
  docs/docs.mk tests/tests.mk constraints/synth.mk constraints/board.mk tests/netlist.mk tests/coverage/build.mk \
  tests/mutation/mutation.mk
VERILATOR_INCLUDE := /usr/share/verilator/include
IN_ENVIRONMENT := $(foreach v,$(.VARIABLES),$(if $(filter environment,$(origin $v)),$v))
READ_HERE := $(shell LC_ALL=C grep -hoE '[A-Za-z_][A-Za-z0-9_]*' Makefile $(FRAGMENTS) tests/fuzz/fuzz.mk \
  $(wildcard $(VERILATOR_INCLUDE)/verilated.mk) | LC_ALL=C sort -u)
# A word that ends with _ is the begin of a name that is made up.
READ_HERE += $(patsubst %_,%_%,$(filter %_,$(READ_HERE)))
READ_BY_TOOLS := BASH_ENV CDPATH COMPILER_PATH CPATH CPLUS_INCLUDE_PATH C_INCLUDE_PATH DEPENDENCIES_OUTPUT ENV GCC_EXEC_PREFIX \
  GREP_OPTIONS LD_RUN_PATH LIBRARY_PATH POSIXLY_CORRECT SUNPRO_DEPENDENCIES
KEPT := CCACHE_% DISPLAY HOME MAKE% PATH PWD SHELL TORUSMU_%
DROPPED := $(filter-out $(KEPT),$(filter $(READ_HERE) $(READ_BY_TOOLS),$(IN_ENVIRONMENT)))
# Where somebody means files to go is not overlooked.
ifneq ($(and $(filter install,$(MAKECMDGOALS)),$(filter PREFIX DESTDIR,$(DROPPED))),)
$(error $(filter PREFIX DESTDIR,$(DROPPED)) of the environment does not count: make install PREFIX=... DESTDIR=...)
endif
$(foreach v,$(DROPPED),$(eval undefine $v))
ifneq ($(findstring e,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),)
$(error make -e lets the environment change the build: name variables on the command line instead)
endif
# Numbers and orders are the same everywhere.
export LC_ALL := C

# Paths of the checkout and of the build are read by make, shells and compilers.
ODD_PATH := $(shell printf '%s\n' "$$PWD" | LC_ALL=C grep -v -x '[-A-Za-z0-9._+@,=~/'$$'\200-\377'']*')
ifneq ($(ODD_PATH),)
$(error the checkout is at '$(ODD_PATH)': a path of letters, digits and -._+@,=~ is needed; move it)
endif

# $(call one_of,VARIABLE,VALUES), $(call some_of,VARIABLE,VALUES) and $(call numbers,VARIABLES) refuse what the command line
# says of them if it is nothing legal.
given = $(filter command,$(firstword $(origin $1)))
one_of = $(if $(call given,$1),$(if $(and $(word 1,$($1)),$(if $(filter-out $2,$($1)),,1)),,$(error $1 is $(subst $() ,$() or ,$(strip $2)), not '$($1)')))
some_of = $(if $(call given,$1),$(foreach v,$(or $($1),nothing),$(if $(filter $2,$v),,$(error $1 is some of $2, not '$v'))))
numbers = $(foreach v,$1,$(if $(call given,$v),$(if $(shell grep -xE '[1-9][0-9]{0,8}' <<< '$($v)'),,$(error $v is a number from 1 to 999999999, not '$($v)'))))

# $(call quoted,TEXT): as a word of a shell's command line.
quoted = $(if $(shell grep -x '[-A-Za-z0-9._+@,=:%~/]*' <<< '$(subst ','\'',$1)'),$1,'$(subst ','\'',$1)')

# Sizes of the node: sim or bgp (docs/reference/sizes.md).
PROFILE := sim
$(call one_of,PROFILE,sim bgp)
# The model of the node: tuned by sim/model/, which knows what one Verilator writes, or plain, as any writes it.
TUNED_VERILATOR := 5.006
MODEL := $(if $(findstring "$(TUNED_VERILATOR) ,$(file < $(VERILATOR_INCLUDE)/verilated_config.h)),tuned,plain)
$(call one_of,MODEL,tuned plain)
VERSION := $(file < VERSION)
IS_BGP := $(filter bgp,$(PROFILE))
# Loops over 128 queues or 256 counters are longer than Verilator unrolls by itself.
BGP_FLAGS := -DTORUSMU_PROFILE_BGP --unroll-count 1024 --unroll-stmts 300000
BUILD := $(if $(IS_BGP),build/bgp,build)$(if $(call given,MODEL),$(patsubst %,/%,$(filter plain,$(MODEL))))
ifneq ($(shell printf '%s\n' '$(BUILD)' | LC_ALL=C grep -x '[-A-Za-z0-9._+@,=~/]*[A-Za-z0-9]'),$(BUILD))
$(error BUILD is a folder named by letters, digits and -._+@,=~, not '$(BUILD)')
endif
PARALLEL := $(shell nproc)
V := 0
COVERAGE := 0
$(call one_of,V,0 1)
$(call one_of,COVERAGE,0 1)
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDEXPANSION:
MAKEFLAGS += --no-builtin-rules
# As many processes as there are processors, unless the command line or MAKEFLAGS of the environment says how many.
ifeq ($(MAKELEVEL),0)
ifeq ($(filter j% -j% --jobs%,$(shell tr '\0' '\n' < /proc/$$PPID/environ | sed -n 's/^MAKEFLAGS=//p')),)
MAKEFLAGS += -j$(PARALLEL)
endif
endif

# The first build takes minutes: that is said before it begins.
ifeq ($(MAKELEVEL)$(MAKE_RESTARTS)$(wildcard $(BUILD)/torusmu),0)
ifneq ($(filter all run wave quick test,$(or $(MAKECMDGOALS),all)),)
$(info The first build takes about $(shell echo $$((2 + 5 / $(PARALLEL)))) minutes with $(PARALLEL) processors; make says each file.)
endif
endif

# The goals that build something; the makefiles that are made from the sources are not needed for the others.
QUIET_VERBS := help clean
BUILDS := $(filter-out $(QUIET_VERBS),$(or $(MAKECMDGOALS),all))

# $(call keep_text,FILE,TEXT): FILE has these words; it is made anew when they are others and something is built. Make 4.3 now and
# then leaves the newline at the end of a file that it reads.
kept_words = x$(strip $(file < $1))x
keep_text = $(if $(BUILDS),$(if $(and $(findstring $(call kept_words,$1),x$(strip $2)x),$(findstring x$(strip $2)x,$(call kept_words,$1))),,$(shell \
  mkdir -p $(dir $1))$(file > $1,$2)))

# Under -n make runs each line that names make, so that what else such a line does is a comment then.
UNLESS_SHOWN := $(if $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),: )

# make V=1 shows the commands.
Q := $(if $(filter 1,$(V)),,@)
SAY = @$(if $(filter 1,$(V)),:,printf '  %-9s %s\n')

CXX := g++
CCACHE := $(if $(shell command -v ccache),ccache)
# What ccache wants for headers that are parsed once.
export CCACHE_SLOPPINESS := pch_defines,time_macros
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

include $(FRAGMENTS)
$(call numbers,PARALLEL FUZZ_SECONDS FUZZ_SEED $(if $(MUTATES_WIDTHS),,MUTANTS) MUTATION_SEED NIGHT NIGHTLY_REDUCTIONS)
$(foreach v,AGAIN UPDATE,$(call one_of,$v,yes))

# --- setup -------------------------------------------------------------------------------------
# Included, so that make brings it up to date before it looks at any other rule. All verbs but
# RUN_VERBS need the packages of the tests too. Looked at anew when a package comes or goes.
ifneq ($(BUILDS),)
include $(BUILD)/setup_run.mk
RUN_VERBS := all run quick mesh wave install layouts manifests status pages bench
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
# CXXFLAGS_x and FIRST_x are for the sources of folder x; FIRST_x/y for those of x/y.
CXXFLAGS_tb := -fPIC
$(BUILD)/obj/%.o: %.cc
	@mkdir -p $(@D)
	$(SAY) C++ $<
	$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) $(CXXFLAGS) $(CXXFLAGS_$(firstword $(subst /, ,$*))) \
	  $(or $(FIRST_$(patsubst %/,%,$(dir $*))),$(FIRST_$(firstword $(subst /, ,$*)))) -MMD -MP -c $< -o $@
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
# The same for what also goes into shared libraries, for which GCC wants its own.
$(eval $(call parsed_once,tb/parsed_once.h,tb))
# A source that begins with the library for JSON has half a second of it to compile, used or not.
$(eval $(call parsed_once,sim/parsed_once_json.h,sim/app sim/play/bench docs/pages))
$(eval $(call parsed_once,tb/lab/parsed_once.h,tb/lab))
$(eval $(call parsed_once,tests/support/parsed_once.h,tests))

# --- help, clean -------------------------------------------------------------------------------
.PHONY: help clean
# Verbs by what they are for.
GROUPS := first_day change
GROUP_first_day := run wave all test help
GROUP_change := check nightly board bench generate format mesh quick install clean
TITLE_first_day := On the first day
TITLE_change := While you change the design
help_line = printf '  %-14s %s\n' '$1' '$(HELP_$1)';
help:
	@$(foreach g,$(GROUPS),echo '$(TITLE_$g):';$(foreach v,$(GROUP_$g),$(call help_line,$v)))
	@echo 'Variables, on the command line (make run TRACE=my.trace); those of the environment do not count:'
	@$(foreach v,$(sort $(patsubst VARIABLE_%,%,$(filter VARIABLE_%,$(.VARIABLES)))),printf '  %-14s %s\n' '$v' '$(VARIABLE_$v)';)
VARIABLE_BUILD := folder of all products, now $(BUILD)
VARIABLE_JOBS := of check: names of jobs, with * and ?
VARIABLE_TESTS := of check: of programs of GoogleTest, those that this filter names
VARIABLE_AGAIN := of check: yes runs jobs too whose inputs have not changed since they passed
VARIABLE_PARALLEL := how many processes run at once, now $(PARALLEL)
VARIABLE_PROFILE := sizes of the node: sim or bgp
VARIABLE_MODEL := of the node in simulation: tuned or plain (what Verilator writes, as it is), now $(MODEL)
VARIABLE_V := 1: show the commands
VARIABLE_TRACE := of run: the trace to replay, by default $(TRACE)
VARIABLE_SCENARIO := of wave: the scenario to play, by default $(SCENARIO)
VARIABLE_SHAPE := of mesh: the shape of the machine, by default $(SHAPE)
VARIABLE_PREFIX := of install: where to, by default $(PREFIX); DESTDIR=folder goes before it
VARIABLE_BEFORE := of bench: measures the speed of the engine alone, against that of this commit
VARIABLE_SYNTH_TOP := of synth/...: the module, by default $(SYNTH_TOP)
VARIABLE_FUZZ_SECONDS := of fuzz/...: how long for a target, by default $(FUZZ_SECONDS); FUZZ_SEED=1
VARIABLE_NIGHT := of nightly: a number of days since 1970 whose parts and seeds are taken
clean:
	rm -rf $(BUILD)
# What is made from other files of the tree and kept in it.
HELP_generate := writes anew what is made from other files: the package, its names and pages, manifests, pages of figures, pictures
.PHONY: generate
generate: layouts manifests pages status pictures
