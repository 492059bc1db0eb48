# SPDX-License-Identifier: Apache-2.0
# The tests. Drop a file in place:
#   tests/SUBJECT/x_test.cc  tests RTL module mu_x of rtl/SUBJECT/; its Verilated model Vmu_x is built and linked by itself.
#                            A second file of a module says its technique or aspect: x_random_test.cc, x_rules_test.cc
#   tests/<layer>/*_test.cc  the other layers: layout node machine host scenario fuzz regress coverage cli docs
#   tests/support/*.cc       helpers that every test may use
# All tests of a subject or layer are one GoogleTest program, $(BUILD)/tests/<layer>_tests. Lines in a test file ask for models:
#   // verilator: -GDEPTH=4                  more flags for the model Vmu_x that the file's name stands for
#   // model: Vmu_fifo_deep mu_fifo -GDEPTH=9   another model: prefix, module (or path of an .sv file), flags
#   // flags: -GWIDTH=7                      more flags for the model of the line above
#   // bgp: -GQUEUES=128                     this test also runs at the sizes of the profile bgp, with these flags more for the
#                                            model of the line above or, as the first such line, for that of the file's name
# Models have assertions on, and unreset state is random (--x-assign unique, --x-initial unique).

SUBJECTS := $(filter $(notdir $(wildcard rtl/*)),$(notdir $(wildcard tests/*)))
TEST_LAYERS := $(SUBJECTS) layout node machine host scenario fuzz regress coverage cli docs
LAYERS_WITHOUT_NODE := $(SUBJECTS) layout coverage
TEST_SOURCES := $(sort $(foreach l,$(TEST_LAYERS),$(wildcard tests/$l/*_test.cc)))
# Of the unit tests, PROFILE=bgp builds those that a line `// bgp:` makes known to run at its sizes.
UNIT_TESTS := $(sort $(foreach s,$(SUBJECTS),$(wildcard tests/$s/*_test.cc)))
BGP_UNIT_TESTS := $(sort $(shell grep -l '^// bgp:' $(UNIT_TESTS)))
BGP_SUBJECTS := $(sort $(foreach t,$(BGP_UNIT_TESTS),$(word 2,$(subst /, ,$t))))
ifneq ($(IS_BGP),)
TEST_SOURCES := $(filter-out $(UNIT_TESTS),$(TEST_SOURCES)) $(BGP_UNIT_TESTS)
endif
layer_sources = $(filter tests/$1/%,$(TEST_SOURCES))
# Those that see the model of the node are for the layers that have one.
NODE_SUPPORT_SOURCES := $(patsubst %,tests/support/%.cc,node_bench node_judge old_node)
NODE_SUPPORT_LIBRARY := $(BUILD)/libtest_support_node.a
SUPPORT_SOURCES := $(filter-out tests/support/run_%.cc $(NODE_SUPPORT_SOURCES),$(wildcard tests/support/*.cc))
SUPPORT_LIBRARY := $(BUILD)/libtest_support.a
GTEST_LDLIBS := -lgmock -lgtest -lgtest_main -Wl,--as-needed -lyaml-cpp
CXXFLAGS_tests := $(if $(filter 1,$(COVERAGE)),-O0,-Og) -DTORUSMU_BUILD='"$(BUILD)"' $(NODE_HEADERS)

# Which models the tests ask for: MODELS_<test file> := prefixes, and the rules of each model.
ifneq ($(BUILDS),)
include $(BUILD)/test_models.mk
endif
without_models = $(foreach f,$(TEST_SOURCES),$(if $(filter undefined,$(origin MODELS_$f)),$f))
$(BUILD)/test_models.mk: tests/test_models.awk $(TEST_SOURCES) $(BUILD)/closures.mk $(if $(strip $(without_models)),look_again)
	@awk -v build=$(BUILD) -v modules="$(RTL_MODULES)" -v bgp=$(IS_BGP) -v subjects="$(SUBJECTS)" -f $< $(TEST_SOURCES) /dev/null > $@.new && mv $@.new $@

$(SUPPORT_LIBRARY): $(patsubst %.cc,$(BUILD)/obj/%.o,$(SUPPORT_SOURCES))
$(NODE_SUPPORT_LIBRARY): $(patsubst %.cc,$(BUILD)/obj/%.o,$(NODE_SUPPORT_SOURCES))
$(SUPPORT_LIBRARY) $(NODE_SUPPORT_LIBRARY):
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^

include tests/fuzz/fuzz.mk

# $(call test_program,PROGRAM,TEST FILES,LIBRARIES)
define test_program
$(BUILD)/tests/$1: $(patsubst %.cc,$(BUILD)/obj/%.o,$2 tests/support/run_report.cc) \
    $(sort $(foreach f,$2,$(MODELS_$f:%=$(BUILD)/models/%.o))) $(VERILATED_RUNTIME) $(SUPPORT_LIBRARY) $3 | $(IDENTITY_OBJECTS)
	@mkdir -p $$(@D)
	$$(SAY) LINK $$@
	$$(Q)$(CXX) -Wl,--start-group $$^ -Wl,--end-group $(GTEST_LDLIBS) $(SIM_LDLIBS) -o $$@
endef
$(patsubst %.cc,$(BUILD)/obj/%.o,$(NODE_SUPPORT_SOURCES) $(filter-out $(addprefix tests/,$(addsuffix /%,$(LAYERS_WITHOUT_NODE))),$(TEST_SOURCES))): \
    $(BUILD)/node/Vmu_gated_node.mk
TEST_LIBRARIES := $(NODE_SUPPORT_LIBRARY) $(SIM_LIBRARY) $(LAB_LIBRARY) $(HOST_LIBRARY) $(TB_LIBRARY) $(DRAW_LIBRARY) $(NODE_LIBRARY)
# What unit tests may use besides: the reference node keeps its memory and knows its machine.
UNIT_LIBRARIES := $(TB_LIBRARY) $(HOST_LIBRARY) $(patsubst %,$(BUILD)/obj/sim/machine/%.o,memory shape)
TEST_PROGRAMS := $(foreach l,$(TEST_LAYERS),$(if $(call layer_sources,$l),$l_tests))
$(foreach l,$(TEST_LAYERS),$(if $(call layer_sources,$l),$(eval \
  $(call test_program,$l_tests,$(call layer_sources,$l),\
  $(if $(filter $(LAYERS_WITHOUT_NODE),$l),$(UNIT_LIBRARIES),$(if $(filter fuzz,$l),$(FUZZ_INPUTS)) $(TEST_LIBRARIES))))))

.PHONY: tests-build
tests-build: $(TEST_PROGRAMS:%=$(BUILD)/tests/%) $(if $(LAYOUT_OBJECTS),$(BUILD)/layout_gen)

$(BUILD)/tests/cli_tests $(BUILD)/tests/docs_tests: | $(BUILD)/tests/layout_tests
$(BUILD)/tests/cli_tests: | $(LAB) $(BUILD)/lint_sarif $(BUILD)/source_lint

# --- format --------------------------------------------------------------------------------------
CPP_SOURCES := $(shell find host sim tb tests rtl docs constraints -name '*.cc' -o -name '*.h')
HELP_format := lays out the C++ sources with clang-format
.PHONY: format
format:
	clang-format -i $(CPP_SOURCES)
# For clang-tidy, in the jobs tidy/x; the mesh's model is seen through the 2x2x2 one.
CPPFLAGS_TIDY := $(CPPFLAGS) $(CXXFLAGS_tests) -isystem $(BUILD)/mesh/2x2x2 -isystem $(BUILD)/mesh/node -std=c++20 -DMESH_SHAPE='"2x2x2"'
# The programs of the profile bgp: its torusmu, and the unit tests of what differs in it.
.PHONY: bgp-programs
bgp-programs:
	@$(MAKE) --no-print-directory PROFILE=bgp BUILD=$(BUILD)/bgp $(BUILD)/bgp/torusmu $(BGP_SUBJECTS:%=$(BUILD)/bgp/tests/%_tests)

# Of what would take a night longer than an hour, its plan does a part each night; NIGHT, days since 1970, says which, and is
# the seed of fuzzing and of the plan of regressions.
NIGHT := $(shell echo $$(($$(date +%s) / 86400)))
NIGHTLY_REDUCTIONS := 10000000
