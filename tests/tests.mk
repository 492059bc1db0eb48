# SPDX-License-Identifier: Apache-2.0
# The tests. Drop a file in place:
#   tests/unit/x_test.cc     tests RTL module mu_x; its Verilated model Vmu_x is built and linked by itself
#   tests/<layer>/*_test.cc  the other layers: layout node machine host scenario fuzz regress coverage cli docs
#   tests/support/*.cc       helpers that every test may use
# All tests of a layer are one GoogleTest program, $(BUILD)/tests/<layer>_tests; `make unit-x` builds and runs
# the one test of module mu_x alone. Lines in a test file ask for models:
#   // verilator: -GDEPTH=4                  more flags for the model Vmu_x that the file's name stands for
#   // model: Vmu_fifo_deep mu_fifo -GDEPTH=9   another model: prefix, module (or path of an .sv file), flags
#   // flags: -GWIDTH=7                      more flags for the model of the line above
#   // bgp: -GQUEUES=128                     this test also runs at the sizes of the profile bgp, with these flags more for the
#                                            model of the line above or, as the first such line, for that of the file's name
# Models have assertions on, and unreset state is random (--x-assign unique, --x-initial unique).

TEST_LAYERS := unit layout node machine host scenario fuzz regress coverage cli docs
LAYERS_WITHOUT_NODE := unit layout coverage
TEST_SOURCES := $(sort $(foreach l,$(TEST_LAYERS),$(wildcard tests/$l/*_test.cc)))
# Of the unit tests, PROFILE=bgp builds those that a line `// bgp:` makes known to run at its sizes.
BGP_UNIT_TESTS := $(sort $(shell grep -l '^// bgp:' tests/unit/*_test.cc))
ifneq ($(IS_BGP),)
TEST_SOURCES := $(filter-out tests/unit/%,$(TEST_SOURCES)) $(BGP_UNIT_TESTS)
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
$(shell mkdir -p $(BUILD) && awk -v build=$(BUILD) -v modules="$(RTL_MODULES)" -v bgp=$(IS_BGP) -f tests/test_models.awk \
  $(TEST_SOURCES) /dev/null > $(BUILD)/test_models.mk.$$$$ && mv $(BUILD)/test_models.mk.$$$$ $(BUILD)/test_models.mk)
include $(BUILD)/test_models.mk

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
    $(sort $(foreach f,$2,$(MODELS_$f:%=$(BUILD)/models/%.o))) $(VERILATED_RUNTIME) $(SUPPORT_LIBRARY) $3 $(COVERAGE_LISTENER) | $(IDENTITY_OBJECTS)
	@mkdir -p $$(@D)
	$$(SAY) LINK $$@
	$$(Q)$(CXX) -Wl,--start-group $$^ -Wl,--end-group $(GTEST_LDLIBS) $(SIM_LDLIBS) -o $$@
endef
$(patsubst %.cc,$(BUILD)/obj/%.o,$(NODE_SUPPORT_SOURCES) $(filter-out $(addprefix tests/,$(addsuffix /%,$(LAYERS_WITHOUT_NODE))),$(TEST_SOURCES))): \
    $(BUILD)/node/Vmu_gated_node.mk
TEST_LIBRARIES := $(NODE_SUPPORT_LIBRARY) $(SIM_LIBRARY) $(HOST_LIBRARY) $(TB_LIBRARY) $(DRAW_LIBRARY) $(NODE_LIBRARY)
# What unit tests may use besides: the reference node keeps its memory and knows its machine.
UNIT_LIBRARIES := $(TB_LIBRARY) $(HOST_LIBRARY) $(patsubst %,$(BUILD)/obj/sim/%.o,memory shape)
TEST_PROGRAMS := $(foreach l,$(TEST_LAYERS),$(if $(call layer_sources,$l),$l_tests))
$(foreach l,$(TEST_LAYERS),$(if $(call layer_sources,$l),$(eval \
  $(call test_program,$l_tests,$(call layer_sources,$l),\
  $(if $(filter $(LAYERS_WITHOUT_NODE),$l),$(UNIT_LIBRARIES),$(if $(filter fuzz,$l),$(FUZZ_INPUTS)) $(TEST_LIBRARIES))))))

UNIT_NAMES := $(patsubst tests/unit/%_test.cc,%,$(filter tests/unit/%,$(TEST_SOURCES)))
$(foreach u,$(UNIT_NAMES),$(eval $(call test_program,unit_$u,tests/unit/$u_test.cc,$(UNIT_LIBRARIES))))
.PHONY: $(UNIT_NAMES:%=unit-%) tests-build
$(UNIT_NAMES:%=unit-%): unit-%: $(BUILD)/tests/unit_%
	$<
# A name that there is not.
unit-%:
	@echo "make: tests/unit has no $*_test.cc" >&2; exit 2
HELP_unit-x := builds and runs the unit test of module mu_x alone (unit-fifo, ...)
.PHONY: $(TEST_LAYERS:%=layer-%)
$(TEST_LAYERS:%=layer-%): layer-%: $(BUILD)/tests/%_tests
	$<
HELP_layer-x := builds and runs the tests of one folder of tests/ alone (layer-host, layer-machine, ...)
tests-build: $(TEST_PROGRAMS:%=$(BUILD)/tests/%) $(if $(LAYOUT_OBJECTS),$(BUILD)/layout_gen)

# --- make test ---------------------------------------------------------------------------------
HELP_test := runs everything a change must pass; the last line counts what passed and failed
.PHONY: test
test: $(BUILD)/run_tests
	@$(UNLESS_SHOWN)$(BUILD)/run_tests test $(BUILD) $(JOBS) \
	  'build=$(MAKE) --no-print-directory -k tests-build all' \
	  $(foreach v,$(CHECK_VERBS),'$v=$(MAKE) --no-print-directory $v') \
	  $(foreach p,$(TEST_PROGRAMS),'gtest:$(patsubst fuzz,corpus,$(p:_tests=))=$(BUILD)/tests/$p')
$(BUILD)/run_tests: $(BUILD)/obj/tests/support/run_tests.o $(BUILD)/obj/sim/regress/files.o $(BUILD)/obj/sim/output_file.o
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@

# --- regress -----------------------------------------------------------------------------------
# A plan of many tests, in parallel, with results and history in $(BUILD)/regress.
PLAN := tests/regress/quick.json
HELP_regress := runs the tests of PLAN (default tests/regress/quick.json) and keeps results and history
.PHONY: regress
$(BUILD)/tests/cli_tests $(BUILD)/tests/docs_tests: | $(BUILD)/tests/layout_tests
$(BUILD)/tests/cli_tests: | $(BUILD)/run_tests
regress: $(BUILD)/torusmu $(BUILD)/torusmu-wave $(BUILD)/mesh/2x2x2.so $(TEST_PROGRAMS:%=$(BUILD)/tests/%)
	$< regress $(call quoted,$(PLAN)) --jobs $(JOBS) --output $(BUILD)/regress

# Each night has a master seed of its own, NIGHT, so that it can be run again.
REGRESS_NIGHT = $(BUILD)/torusmu regress tests/regress/night.json --seed $(NIGHT) --jobs $(JOBS) \
  --output $(BUILD)/regress --json $(BUILD)/results/regress.json --report $(BUILD)/regress/night.html

# --- format, tidy ------------------------------------------------------------------------------
CPP_SOURCES := $(shell find host sim tb tests rtl docs constraints -name '*.cc' -o -name '*.h')
HELP_format := lays out the C++ sources with clang-format
HELP_tidy := clang-tidy on the C++ sources; what has not changed is not looked at again
.PHONY: format tidy
format:
	clang-format -i $(CPP_SOURCES)
# After its object file, so that a changed header counts; the mesh's model is seen through the 2x2x2 one.
CPPFLAGS_TIDY := $(CPPFLAGS) $(CXXFLAGS_tests) -isystem $(BUILD)/mesh/2x2x2 -isystem $(BUILD)/mesh/node -std=c++20 -DMESH_SHAPE='"2x2x2"'
TIDY_RESULTS := $(patsubst %.cc,$(BUILD)/checks/tidy/%.result,$(filter-out tb/example/%,$(filter %.cc,$(CPP_SOURCES))))
tidy: $(TIDY_RESULTS)
	@$(SUMMARISE) tidy $(BUILD)/results/tidy.txt $^
$(BUILD)/checks/tidy/%.result: $(BUILD)/obj/%.o .clang-tidy
	@$(CHECK) tidy.$* $@ clang-tidy --quiet $*.cc -- $(CPPFLAGS_TIDY)
$(BUILD)/checks/tidy/sim/mesh_plugin.result: sim/mesh_plugin.cc $(BUILD)/mesh/2x2x2.so .clang-tidy
	@$(CHECK) tidy.sim/mesh_plugin $@ clang-tidy --quiet $< -- $(CPPFLAGS_TIDY)

# --- seeded bugs, nightly ------------------------------------------------------------------------
SEEDED_BUGS := $(patsubst tests/seeded_bugs/%.patch,%,$(shell grep -l '^Check: make ' /dev/null $(wildcard tests/seeded_bugs/*.patch)))
HELP_seeded-bugs := applies each patch of tests/seeded_bugs/ to a copy and requires that its check fails
.PHONY: seeded-bugs nightly
seeded-bugs: $(SEEDED_BUGS:%=$(BUILD)/checks/seeded-bugs/%.result)
	@$(SUMMARISE) seeded-bugs $(BUILD)/results/seeded-bugs.txt $^
.PHONY: $(SEEDED_BUGS:%=$(BUILD)/checks/seeded-bugs/%.result)
$(SEEDED_BUGS:%=$(BUILD)/checks/seeded-bugs/%.result): $(BUILD)/checks/seeded-bugs/%.result: tests/seeded_bugs/%.patch
	@$(CHECK) seeded-bugs.$* $@ tests/seeded_bug.sh $< $(BUILD)/seeded_bugs/$*
# The node of the profile bgp, with as many tasks as it has clients, and the unit tests of what differs in it.
HELP_bgp := the unit tests at the sizes of the profile bgp, and its node: traces with up to 16 tasks on a node
# Each unit test program by itself, a result each: of PROFILE=bgp those that know its sizes.
UNIT_RESULTS := $(UNIT_NAMES:%=$(BUILD)/checks/unit/%.result)
.PHONY: unit-results $(UNIT_RESULTS)
unit-results: $(UNIT_RESULTS)
$(UNIT_RESULTS): $(BUILD)/checks/unit/%.result: $(BUILD)/tests/unit_%
	@$(CHECK) $(IS_BGP:%=%.)unit.$* $@ $<
BGP_RESULTS := $(BGP_UNIT_TESTS:tests/unit/%_test.cc=$(BUILD)/bgp/checks/unit/%.result) \
  $(patsubst %,$(BUILD)/checks/bgp/%.result,lulesh-27 hpcg-8)
.PHONY: bgp
# $(call bgp_replay,TRACE,TASKS ON A NODE)
bgp_replay = bash -c 'status=0; $(BUILD)/bgp/torusmu replay tests/traces/$1.trace --tasks-per-node $2 --json $(BUILD)/bgp/$1.json \
  > $(BUILD)/bgp/$1.txt 2>&1 || status=1; sed -n "s/^  .cycles.: \([0-9]*\),*/CYCLES \1/p; s/^  .seed.: \([0-9]*\),*/SEED \1/p" \
  $(BUILD)/bgp/$1.json; cat $(BUILD)/bgp/$1.txt; exit $$status'
bgp:
	@rm -f $(BGP_RESULTS)
	@$(MAKE) --no-print-directory -k PROFILE=bgp BUILD=$(BUILD)/bgp $(BUILD)/bgp/torusmu unit-results || true
	@mkdir -p $(BUILD)/checks/bgp
	@$(CHECK) bgp.lulesh-27 $(BUILD)/checks/bgp/lulesh-27.result $(call bgp_replay,lulesh-27,16)
	@$(CHECK) bgp.hpcg-8 $(BUILD)/checks/bgp/hpcg-8.result $(call bgp_replay,hpcg-8,8)
	@$(SUMMARISE) bgp $(BUILD)/results/bgp.txt $(BGP_RESULTS)
# A night has less than an hour and a half on 2 cores, and each does all of these. Of what would take longer it does a part:
# an eighth of the seeded bugs, an eleventh of the blocks for mutants, drawn ones and narrow ones in turn, one family for
# synthesis, a sixth of the modules for place and route. NIGHT, days since 1970, says which, and is the seed of fuzzing and of
# the plan of the night. Random tests run with other seeds each night, by the plan of the night; the reduction ALU is judged
# with NIGHTLY_REDUCTIONS elements of each operation and type.
NIGHT := $(shell echo $$(($$(date +%s) / 86400)))
night_part = $(shell echo $2 | tr ' ' '\n' | awk 'NR % $1 == $(NIGHT) % $1')
NIGHT_MUTANTS = $(call night_part,2,narrow 300)
# Narrow mutants are those of a node, which has neither of these in it.
NIGHT_BLOCKS = $(filter-out $(if $(filter narrow,$(NIGHT_MUTANTS)),credit_counter link),$(call night_part,11,$(ALL_MUTATION_BLOCKS)))
NIGHTLY_REDUCTIONS := 10000000
NIGHTLY_FUZZ_SECONDS := 150
HELP_nightly := larger modules as read by Yosys, long proofs, seeded bugs, the plan of the night, fuzzing, coverage, profile bgp, netlists, \
  equivalence, mutants, synthesis, place and route, many reductions; of the long ones a part by NIGHT
# $(call night_stage,VERB,WORDS): a stage that says what make is asked for, so that it can be asked again.
night_stage = '$1=$(MAKE) --no-print-directory $1 $2'
nightly: $(BUILD)/run_tests
	@echo 'make nightly NIGHT=$(NIGHT)'
	@$(UNLESS_SHOWN)$(BUILD)/run_tests nightly $(BUILD) $(JOBS) \
	  'build=$(MAKE) --no-print-directory -k tests-build all' \
	  $(call night_stage,two-readers,TWO_READERS_NIGHTLY=yes) \
	  $(call night_stage,formal,FORMAL_NIGHTLY=yes) \
	  $(call night_stage,seeded-bugs,SEEDED_BUGS="$(call night_part,8,$(SEEDED_BUGS))") \
	  'regress=$(REGRESS_NIGHT)' \
	  $(call night_stage,fuzz,FUZZ_SECONDS=$(NIGHTLY_FUZZ_SECONDS) FUZZ_SEED=$(NIGHT)) \
	  $(call night_stage,coverage,) \
	  $(call night_stage,bgp,) \
	  $(call night_stage,netlist,) \
	  $(call night_stage,equivalence,) \
	  $(call night_stage,mutation,MUTANTS=$(NIGHT_MUTANTS) MUTATION_BLOCKS="$(NIGHT_BLOCKS)") \
	  $(call night_stage,synth,SYNTH_FAMILIES=$(call night_part,3,xc7 ecp5 ice40)) \
	  $(call night_stage,place,PLACE_MODULES="$(call night_part,6,$(PLACE_ALL))") \
	  'gtest:reductions=env TORUSMU_REDUCTIONS=$(NIGHTLY_REDUCTIONS) $(BUILD)/tests/unit_tests --gtest_filter="*ReductionAluPair*"'
