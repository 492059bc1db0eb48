# SPDX-License-Identifier: Apache-2.0
# At what sizes modules are tested and proved, and at what sizes the node runs them; see check.awk. $(BUILD)/sizes/models has the
# models of unit tests that are of a size of the node.
SIZES_INPUTS := tb/formal/carry_over.csv $(wildcard tests/sizes/*) tests/test_models.awk $(PROOF_LISTS) $(RTL_MODULES)
MAKE_SIZES := tests/sizes/sizes.sh $(BUILD) "$(MODULE_NAMES)" "$(BGP_FLAGS)" > /dev/null
$(BUILD)/checks/lint/sizes.result: $(SIZES_INPUTS) $(BUILD)/test_models.mk $(RTL_PACKAGE) $(WAIVERS)
	@$(CHECK) lint.sizes $@ tests/sizes/sizes.sh $(BUILD) "$(MODULE_NAMES)" "$(BGP_FLAGS)"
HELP_sizes := the sizes of each module in the node, in its unit tests and in its proofs
.PHONY: sizes
sizes:
	@tests/sizes/sizes.sh $(BUILD) "$(MODULE_NAMES)" "$(BGP_FLAGS)"
