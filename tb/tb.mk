# SPDX-License-Identifier: Apache-2.0
# Checks of the RTL itself. Each is one result file $(BUILD)/checks/<verb>/<name>.result, made again only
# when a file of its module has changed:
#   lint          verilator -Wall on every module as top; tb/checks/source_lint.cc on every source file
#   two-readers   what Yosys understands of a module against what Verilator does, see tb/checks/two_readers.sh
#   formal        the proofs of tb/formal/*.list and their seeded bugs, see tb/checks/prove.sh

CHECK_VERBS := lint two-readers formal integration
# A result that the command line names is a check alone.
CHECK := $(if $(filter $(BUILD)/checks/%.result,$(MAKECMDGOALS)),CHECK_ALONE=yes )tb/checks/check.sh
SUMMARISE := tb/checks/summarise.sh
MODULE_NAMES := $(patsubst %.sv,%,$(notdir $(RTL_MODULES)))
.PHONY: lint two-readers formal

# --- lint --------------------------------------------------------------------------------------
HELP_lint := Verilator -Wall on each module; forbidden constructs, headers and lengths of all sources
LINT_RESULTS := $(MODULE_NAMES:%=$(BUILD)/checks/lint/%.result) $(BUILD)/checks/lint/sources.result \
  $(BUILD)/checks/lint/fixtures.result $(BUILD)/checks/lint/rtl_f.result $(BUILD)/checks/lint/bgp.result $(BUILD)/checks/lint/sizes.result
lint: $(LINT_RESULTS)
	@$(SUMMARISE) lint $(BUILD)/results/lint.txt $^
define lint_rule
$(BUILD)/checks/lint/$1.result: $(CLOSURE_$1) $(WAIVERS)
	@$(CHECK) lint.$1 $$@ verilator --lint-only -Wall --assert --top-module $1 $(WAIVERS) $(CLOSURE_$1)
endef
$(foreach m,$(MODULE_NAMES),$(eval $(call lint_rule,$m)))
# $(call one_check,VERB,NAME,RESULTS): a verb for these alone.
define one_check
.PHONY: $1-$2
$1-$2: $3
	@$(SUMMARISE) $1-$2 $(BUILD)/results/$1-$2.txt $$^
endef
HELP_lint-x := lints one module alone (lint-router_credits), or lint-sources, lint-fixtures, lint-rtl_f, lint-bgp
$(foreach r,$(LINT_RESULTS),$(eval $(call one_check,lint,$(patsubst mu_%,%,$(basename $(notdir $r))),$r)))
$(BUILD)/checks/lint/bgp.result: $(CLOSURE_mu_node) $(WAIVERS)
	@$(CHECK) lint.bgp $@ verilator --lint-only -Wall --assert $(BGP_FLAGS) --top-module mu_node $(WAIVERS) $(CLOSURE_mu_node)
$(BUILD)/source_lint: $(BUILD)/obj/tb/checks/source_lint.o
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -o $@
# rtl/rtl.f names every module once.
.PHONY: $(BUILD)/checks/lint/rtl_f.result $(BUILD)/checks/lint/sources.result
$(BUILD)/checks/lint/rtl_f.result:
	@$(CHECK) lint.rtl_f $@ diff <(printf '%s\n' $(sort $(RTL_FILES))) <(printf '%s\n' $(sort $(RTL_PACKAGE) $(RTL_MODULES)))
$(BUILD)/checks/lint/sources.result: $(BUILD)/source_lint
	@$(CHECK) lint.sources $@ $(BUILD)/source_lint \
	  $(shell find rtl tb host sim tests constraints docs/docs.mk docs/status.sh docs/draw .ci Makefile -type f -not -path 'tests/lint/*' \
	  -not -path 'tests/fuzz/corpus/*')
$(BUILD)/checks/lint/fixtures.result: $(BUILD)/source_lint $(wildcard tests/lint/*)
	@$(CHECK) lint.fixtures $@ $(BUILD)/source_lint --expect $(wildcard tests/lint/*)

# --- two-readers ---------------------------------------------------------------------------------
HELP_two-readers := Yosys netlist against RTL, in Verilator, for modules of up to 3 files; if TWO_READERS_NIGHTLY=yes, of up to 8
# Larger modules are compared through their parts; some with a large netlist wait for the night.
modules_below = $(foreach m,$(MODULE_NAMES),$(if $(word $1,$(filter-out $(RTL_PACKAGE),$(CLOSURE_$m))),,$m))
LARGE_NETLISTS := $(patsubst %.sv,%,$(notdir $(shell grep -l '^// two-readers:.* nightly' $(RTL_MODULES))))
TWO_READERS_MODULES := $(if $(TWO_READERS_NIGHTLY),$(call modules_below,9),$(filter-out $(LARGE_NETLISTS),$(call modules_below,4)))
TWO_READERS := TWO_READERS_RUNTIME=$(BUILD)/models TWO_READERS_COMPILER="$(CCACHE) $(CXX) $(CPPFLAGS) $(MODEL_CPPFLAGS) $(MODEL_CXXFLAGS)" \
  tb/checks/two_readers.sh
TWO_READERS_TOOLS := $(wildcard tb/checks/two_readers*) $(VERILATED_OBJECTS) $(BUILD)/models/verilated_save.o $(MODEL_PARSED_ONCE).gch
two-readers: $(TWO_READERS_MODULES:%=$(BUILD)/checks/two-readers/%.result) \
    $(BUILD)/checks/two-readers/array_of_structs.result
	@$(SUMMARISE) two-readers $(BUILD)/results/two-readers.txt $^
define two_readers_rule
$(BUILD)/checks/two-readers/$1.result: $(CLOSURE_$1) $(TWO_READERS_TOOLS)
	@$(CHECK) two-readers.$1 $$@ env $(TWO_READERS) $1 $(BUILD)/two_readers/$1 $(CLOSURE_$1)
endef
$(foreach m,$(TWO_READERS_MODULES),$(eval $(call two_readers_rule,$m)))
# The check must see what it is for.
$(BUILD)/checks/two-readers/array_of_structs.result: tests/seeded_bugs/array_of_structs.sv $(TWO_READERS_TOOLS)
	@$(CHECK) two-readers.sees_array_of_structs $@ bash -c \
	  '$(TWO_READERS) array_of_structs $(BUILD)/two_readers/array_of_structs $< | tee -a /dev/stderr | grep -q ^DIFFERS'

# --- formal --------------------------------------------------------------------------------------
HELP_formal := the proofs of tb/formal/*.list, and a seeded bug for each module proved that must be seen; long ones if FORMAL_NIGHTLY=yes
PROOF_LISTS := $(sort $(wildcard tb/formal/*.list))
FORMAL_TOOLS := tb/checks/prove.sh tb/checks/prove_twin.sh
# $(call proof_rule,NAME,TOP,ENGINE,OPTIONS,NIGHTLY_ if it takes so long that it waits for the night)
define proof_rule
$5PROOFS_OF_$2 += $(BUILD)/checks/formal/$1.result
$5PROOFS_OF_$(firstword $(subst ., ,$1)) += $(BUILD)/checks/formal/$1.result
$5FORMAL_RESULTS += $(BUILD)/checks/formal/$1.result
$(BUILD)/checks/formal/$1.result: $(CLOSURE_$2) $(wildcard tb/formal/$2_proof.svh) $(PROOF_LISTS) $(FORMAL_TOOLS)
	@$(CHECK) formal.$1 $$@ tb/checks/prove.sh $(BUILD)/formal/$1 $2 $3 "$4" $(CLOSURE_$2)
endef
define twin_rule
$6FORMAL_RESULTS += $(BUILD)/checks/formal/seeded.$1.result
$(BUILD)/checks/formal/seeded.$1.result: $(CLOSURE_$3) $2 $(wildcard tb/formal/$3_proof.svh) $(PROOF_LISTS) $(FORMAL_TOOLS)
	@$(CHECK) formal.seeded.$1 $$@ tb/checks/prove_twin.sh $2 $(BUILD)/formal/seeded.$1 $3 $4 "$5" $(CLOSURE_$3)
endef
$(shell mkdir -p $(BUILD) && awk -f tb/checks/formal_rules.awk $(PROOF_LISTS) \
  $(sort $(wildcard tests/seeded_bugs/*.patch)) /dev/null > $(BUILD)/formal.mk.$$$$ && mv $(BUILD)/formal.mk.$$$$ $(BUILD)/formal.mk)
include $(BUILD)/formal.mk
HELP_formal-x := the proofs of one module alone (formal-router_credits); of one that fails, the assertion and a counterexample as waves
proofs_of = $(sort $(PROOFS_OF_$1) $(if $(and $(PROOFS_OF_$1),$(filter-out yes,$(FORMAL_NIGHTLY))),,$(NIGHTLY_PROOFS_OF_$1)))
$(foreach m,$(MODULE_NAMES),$(if $(call proofs_of,$m),$(eval $(call one_check,formal,$(m:mu_%=%),$(call proofs_of,$m)))))
FORMAL_RESULTS += $(BUILD)/checks/formal/twins.result
formal-% lint-%:
	@echo "make: $@: no such module, or nothing of it to do: rtl/ has the files mu_NAME.sv, tb/formal the proofs" >&2; exit 2
formal: $$(FORMAL_RESULTS) $$(if $$(FORMAL_NIGHTLY),$$(NIGHTLY_FORMAL_RESULTS))
	@$(SUMMARISE) formal $(BUILD)/results/formal.txt $^
# A proof without a seeded bug may be vacuous.
.PHONY: $(BUILD)/checks/formal/twins.result
$(BUILD)/checks/formal/twins.result:
	@$(CHECK) formal.every_top_has_a_seeded_bug $@ bash -c \
	  'echo $(PROOFS_WITHOUT_TWIN); [ -z "$(strip $(PROOFS_WITHOUT_TWIN))" ]'
