# SPDX-License-Identifier: Apache-2.0
# Checks of the RTL itself. Each is one result file $(BUILD)/checks/<verb>/<name>.result, made again only
# when a file of its module has changed:
#   lint          verilator -Wall on every module as top; tb/checks/source_lint.cc on every source file
#   two-readers   what Yosys understands of a module against what Verilator does, see tb/checks/two_readers.sh
#   formal        the proofs of tb/formal/*.list and their seeded bugs, see tb/checks/prove.sh

CHECK_VERBS := lint
CHECK := tb/checks/check.sh
SUMMARISE := tb/checks/summarise.sh
MODULE_NAMES := $(patsubst %.sv,%,$(notdir $(RTL_MODULES)))
.PHONY: $(CHECK_VERBS)

# --- lint --------------------------------------------------------------------------------------
HELP_lint := Verilator -Wall on each module; forbidden constructs, headers and lengths of all sources
LINT_RESULTS := $(MODULE_NAMES:%=$(BUILD)/checks/lint/%.result) $(BUILD)/checks/lint/sources.result \
  $(BUILD)/checks/lint/fixtures.result
lint: $(LINT_RESULTS)
	@$(SUMMARISE) lint $(BUILD)/results/lint.txt $^
define lint_rule
$(BUILD)/checks/lint/$1.result: $(CLOSURE_$1) $(WAIVERS)
	@$(CHECK) lint.$1 $$@ verilator --lint-only -Wall --assert --top-module $1 $(WAIVERS) $(CLOSURE_$1)
endef
$(foreach m,$(MODULE_NAMES),$(eval $(call lint_rule,$m)))
$(BUILD)/source_lint: $(BUILD)/obj/tb/checks/source_lint.o
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -o $@
.PHONY: $(BUILD)/checks/lint/sources.result
$(BUILD)/checks/lint/sources.result: $(BUILD)/source_lint
	@$(CHECK) lint.sources $@ $(BUILD)/source_lint \
	  $(shell find rtl tb host sim tests constraints .ci Makefile -type f -not -path 'tests/lint/*')
$(BUILD)/checks/lint/fixtures.result: $(BUILD)/source_lint $(wildcard tests/lint/*)
	@$(CHECK) lint.fixtures $@ $(BUILD)/source_lint --expect $(wildcard tests/lint/*)
