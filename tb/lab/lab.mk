# SPDX-License-Identifier: Apache-2.0
# The runner of all checks. make builds; build/lab/lab reads plans of jobs, tests/plans/*.json, asks make for what the chosen
# jobs need, runs them in parallel, and leaves $(BUILD)/results/TITLE.json and .jsonl. docs/testing.md explains plans and names.

LAB := $(BUILD)/lab/lab
LAB_LIBRARY := $(BUILD)/liblab.a
$(LAB_LIBRARY): $(patsubst %.cc,$(BUILD)/obj/%.o,$(filter-out %_main.cc,$(wildcard tb/lab/*.cc)))
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^
LAB_OBJECTS := $(patsubst %,$(BUILD)/obj/%.o,tb/lab/lab_main $(addprefix sim/,observe/note observe/output_file observe/json_text observe/quoted machine/cycle_file observe/sha256))
$(LAB): $(LAB_OBJECTS) $(LAB_LIBRARY)
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -lz -o $@

# --- what the plans name in braces -----------------------------------------------------------------
# A line a name: the words that it stands for. Lists that depend on the design are made here, once.
modules_below = $(foreach m,$(MODULE_NAMES),$(if $(word $1,$(filter-out $(RTL_PACKAGE),$(CLOSURE_$m))),,$m))
LARGE_NETLISTS := $(patsubst %.sv,%,$(notdir $(shell grep -l '^// two-readers:.* nightly' $(RTL_MODULES))))
LAB_NAMES := night tools make_words node gated_node torus board debug_port modules small_modules medium_modules place_modules subjects bgp_subjects fuzz_targets \
  board_tools board_files fuzz_seconds fuzz_seed mutation_blocks mutation_folder mutation_seed cpp_sources compiler tidy_flags bgp_flags cxx \
  ccache root seeded_bugs arbiter fence_answers tiny_modules rtl_files mutation_reasons synth_module update reductions router
lab_night = $(NIGHT)
lab_tools = $(shell env -u VERILATOR_ROOT verilator --version; $(CXX) --version | head -n 1; \
  dpkg-query -W -f '$${Package} $${Version} ' yosys berkeley-abc z3 clang-tidy 2> /dev/null)
lab_make_words = BUILD=$(BUILD) PROFILE=$(PROFILE)
lab_node = mu_node
lab_gated_node = mu_gated_node
lab_torus = mu_torus
lab_board = mu_board
lab_debug_port = mu_debug_port
lab_modules = $(MODULE_NAMES)
lab_small_modules = $(filter-out $(LARGE_NETLISTS),$(call modules_below,4))
lab_medium_modules = $(filter-out $(lab_small_modules),$(call modules_below,9))
lab_place_modules = $(call modules_below,9)
lab_subjects = $(SUBJECTS)
lab_bgp_subjects = $(BGP_SUBJECTS)
lab_fuzz_targets = $(FUZZ_TARGETS)
lab_fuzz_seconds = $(FUZZ_SECONDS)
lab_fuzz_seed = $(FUZZ_SEED)
lab_mutation_blocks = $(ALL_MUTATION_BLOCKS)
lab_mutation_folder = $(MUTATION)
lab_mutation_seed = $(MUTATION_SEED)
lab_cpp_sources = $(filter-out tb/example/%,$(filter %.cc,$(CPP_SOURCES)))
lab_compiler = $(CCACHE) $(CXX) $(CPPFLAGS) $(MODEL_CPPFLAGS) $(MODEL_CXXFLAGS)
lab_tidy_flags = $(CPPFLAGS_TIDY)
lab_bgp_flags = $(BGP_FLAGS)
lab_board_tools = $(BOARD_TOOLS)
lab_board_files = $(BOARD_FILES)
lab_cxx = $(CXX)
lab_ccache = $(CCACHE)
lab_synth_module = $(SYNTH_MODULE)
lab_root = $(CURDIR)
lab_seeded_bugs = $(shell tests/seeded_bug.sh names)
lab_arbiter = mu_arbiter
lab_router = mu_router
lab_fence_answers = mu_fence_answers
lab_rtl_files = rtl/rtl.f $(WAIVERS) $(RTL_FILES) $(wildcard rtl/*.svh)
lab_tiny_modules = $(call modules_below,3)
lab_mutation_reasons = $(MUTATION_REASONS)
lab_update = $(UPDATE)
lab_reductions = $(NIGHTLY_REDUCTIONS)
LAB_VARIABLES := $(BUILD)/lab/variables
.PHONY: look_at_lab_variables
$(LAB_VARIABLES): look_at_lab_variables $(BUILD)/closures.mk
	@mkdir -p $(@D)
	@{ $(foreach n,$(LAB_NAMES),echo $(call quoted,$n $(strip $(lab_$n)));) sed 's/ :=//' $(BUILD)/closures.mk; } > $@.new
	@cmp -s $@.new $@ || cp $@.new $@

# --- the verbs -------------------------------------------------------------------------------------
# $(call run_lab,PLANS,TITLE,OPTIONS)
run_lab = +$(Q)$(UNLESS_SHOWN)$(LAB) $1 --title $2 --build $(BUILD) --variables $(LAB_VARIABLES) --parallel $(PARALLEL) $3
ALL_PLANS := $(addprefix tests/plans/,test.json night.json more.json)
JOBS :=
TESTS :=
HELP_test := runs everything a change must pass; the last line counts what passed and failed
HELP_check := runs the jobs that JOBS names, as JOBS="formal/*fifo* lint/*" (AGAIN=yes: though nothing has changed); without it names all
HELP_nightly := the plan of a night: more readers, long proofs, soak, fuzzing, coverage, mutants, synthesis, a part of the long ones by NIGHT
.PHONY: test check nightly
test: $(LAB) $(LAB_VARIABLES)
	$(call run_lab,tests/plans/test.json,test,--junit $(BUILD)/results/test.xml)
check: $(LAB) $(LAB_VARIABLES)
	$(call run_lab,$(ALL_PLANS),check,$(if $(JOBS),$(foreach j,$(JOBS),--jobs '$j'),--list) $(TESTS:%=--tests '%') $(AGAIN:yes=--again))
nightly: $(LAB) $(LAB_VARIABLES)
	@echo 'make nightly NIGHT=$(NIGHT)'
	$(call run_lab,tests/plans/night.json,nightly,--junit $(BUILD)/results/nightly.xml)
# What a plan of torusmu regress may run.
.PHONY: regress-programs
regress-programs: $(BUILD)/torusmu $(BUILD)/torusmu-wave $(BUILD)/mesh/2x2x2.so $(TEST_PROGRAMS:%=$(BUILD)/tests/%)
