# SPDX-License-Identifier: Apache-2.0
# Coverage: the same tests with models that count; docs/coverage.md. $(MAKE) COVERAGE=1 BUILD=$(BUILD)/coverage is the
# build with such models. Read before the other fragments, which use what is defined here; build.mk is read after them.

ifeq ($(COVERAGE),1)
COVERAGE_TOOLS := tests/coverage/model.awk tests/coverage/coverage.mk
# After -O3, which splits blocks: Verilator 5.006 then tests conditions again after their signals have changed, and counts
# the wrong branch.
COVERAGE_FLAGS := -fno-split --coverage-line --coverage-user --coverage-toggle
# Toggles of vectors of this many bits at most: those of all would make 269 MB of C++ of the node, and 52 of the calc engine.
COVERAGE_MODEL_WIDTH := --coverage-max-width 16
COVERAGE_NODE_WIDTH := --coverage-max-width 1
# tb/coverage/mu_x_coverage.sv or .svh is bound to module mu_x; what .svh files bind is in every model.
points_of = $(wildcard $(patsubst %,tb/coverage/mu_%_coverage.sv,status level) $(foreach m,$(basename $(notdir $(call closure,$1))),\
  tb/coverage/$m_coverage.sv tb/coverage/$m_coverage.svh))
# $(call count_in_model,FOLDER): what Verilator wrote there counts for tests/coverage/recorder.h.
count_in_model = for f in $1/*.h $1/*.cpp; do awk -f tests/coverage/model.awk $$$$f > $1/new && mv $1/new $$$$f; done
COVERAGE_OBJECTS := $(BUILD)/obj/tests/coverage/recorder.o $(BUILD)/models/verilated_cov.o
endif
