# SPDX-License-Identifier: Apache-2.0
# Coverage: the same tests with models that count; docs/coverage.md. $(MAKE) COVERAGE=1 BUILD=$(BUILD)/coverage is the
# build with such models. Read before the other fragments, which take the variables of the first part.

ifdef COVERAGE
# tb/coverage/x_coverage.sv is bound to module mu_x.
COVERAGE_FLAGS := --coverage-line --coverage-user --trace --trace-structs --no-trace-params
points_of = $(wildcard $(patsubst %,tb/coverage/%_coverage.sv,$(basename $(notdir $(call closure,$1)))))
# $(call count_in_model,FOLDER): what Verilator wrote there counts for tests/coverage/recorder.h.
count_in_model = for f in $1/*.h $1/*.cpp; do awk -f tests/coverage/model.awk $$$$f > $1/new && mv $1/new $$$$f; done
COVERAGE_LISTENER = $(patsubst %,$(BUILD)/obj/tests/coverage/%.o,recorder listener)
COVERAGE_PROGRAM = $(patsubst %,$(BUILD)/obj/tests/coverage/%.o,recorder program)
endif
