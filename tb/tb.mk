# SPDX-License-Identifier: Apache-2.0
# What the checks of the RTL need that is built; the checks themselves are jobs of tests/plans/.

MODULE_NAMES := $(patsubst %.sv,%,$(notdir $(RTL_MODULES)))
PROOF_LISTS := $(sort $(wildcard tb/formal/*.list))
$(BUILD)/source_lint $(BUILD)/lint_sarif: $(BUILD)/%: $(BUILD)/obj/tb/checks/%.o
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -o $@
# Verilator's run-time library, for the programs of tb/checks/two_readers.sh.
.PHONY: two-readers-tools
two-readers-tools: $(VERILATED_OBJECTS) $(BUILD)/models/verilated_save.o $(MODEL_PARSED_ONCE).gch

# Readers of the RTL that Debian has not, from PyPI, as .ci/requirements.txt pins them: for a night alone.
VENV := $(BUILD)/venv
$(VENV)/requirements.txt: .ci/requirements.txt .ci/venv | setup-night
	$(SAY) VENV $(VENV)
	$(Q).ci/venv $(VENV) && touch $@
