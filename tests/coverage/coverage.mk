# SPDX-License-Identifier: Apache-2.0
# Coverage: the same tests with models that count; docs/coverage.md. $(MAKE) COVERAGE=1 BUILD=$(BUILD)/coverage is the
# build with such models. Read before the other fragments, which use what is defined here; build.mk is read after them.

ifeq ($(COVERAGE),1)
COVERAGE_TOOLS := tests/coverage/model.awk tests/coverage/toggles.h
# After -O3, which splits blocks: Verilator 5.006 then tests conditions again after their signals have changed, and counts
# the wrong branch.
COVERAGE_FLAGS := -fno-split --coverage-line --coverage-user --trace --trace-structs --no-trace-params
# tb/coverage/mu_x_coverage.sv or .svh is bound to module mu_x; what .svh files bind is in every model.
points_of = $(wildcard $(patsubst %,tb/coverage/mu_%_coverage.sv,status level) $(foreach m,$(basename $(notdir $(call closure,$1))),\
  tb/coverage/$m_coverage.sv tb/coverage/$m_coverage.svh))
# $(call count_in_model,FOLDER): what Verilator wrote there counts for tests/coverage/recorder.h.
count_in_model = for f in $1/*.h $1/*.cpp; do awk -f tests/coverage/model.awk $$$$f > $1/new && mv $1/new $$$$f; done
COVERAGE_LISTENER = $(patsubst %,$(BUILD)/obj/tests/coverage/%.o,recorder listener)
COVERAGE_PROGRAM = $(patsubst %,$(BUILD)/obj/tests/coverage/%.o,recorder program)
endif
