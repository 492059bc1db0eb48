# SPDX-License-Identifier: Apache-2.0
# make equivalence: the netlists of single modules against their RTL for all inputs, by SAT. tb/checks/equivalence.list
# says which modules, with what parameters, and which are too large.

EQUIVALENCE_SECONDS := 120
EQUIVALENT := $(shell awk '/^mu_/ && $$2 == "equal" { print $$1 }' tb/checks/equivalence.list)
HELP_equivalence := netlists of modules equal to their RTL for all inputs, by SAT
.PHONY: equivalence
equivalence: $(EQUIVALENT:%=$(BUILD)/checks/equivalence/%.result) $(BUILD)/checks/equivalence/changed_gate.result \
    $(BUILD)/checks/equivalence/list.result
	@$(SUMMARISE) equivalence $(BUILD)/results/equivalence.txt $^
# $(call equivalence_rule,MODULE,PARAMETERS)
define equivalence_rule
$(BUILD)/checks/equivalence/$1.result: $(CLOSURE_$1) tb/checks/equivalence.sh tb/checks/equivalence.list
	@$(CHECK) equivalence.$1 $$@ tb/checks/equivalence.sh $1 $(BUILD)/equivalence/$1 "$2" $(EQUIVALENCE_SECONDS) $(CLOSURE_$1)
endef
equivalence_parameters = $(shell awk '$$1 == "$1" { $$1 = $$2 = ""; print }' tb/checks/equivalence.list)
$(foreach m,$(EQUIVALENT),$(eval $(call equivalence_rule,$m,$(call equivalence_parameters,$m))))
# The check must see what it is for; status 1 is that of a netlist not shown equal, not of a tool that gives up.
$(BUILD)/checks/equivalence/changed_gate.result: $(CLOSURE_mu_arbiter) tb/checks/equivalence.sh
	@$(CHECK) equivalence.sees_changed_gate $@ bash -c 'status=0; CHANGED_GATE=1 tb/checks/equivalence.sh mu_arbiter \
	  $(BUILD)/equivalence/changed_gate COUNT=4 $(EQUIVALENCE_SECONDS) $(CLOSURE_mu_arbiter) || status=$$?; [ $$status = 1 ]'
# Every module of up to two files has been tried.
NEVER_TRIED := $(filter-out $(shell awk '/^mu_/ { print $$1 }' tb/checks/equivalence.list),$(foreach m,$(MODULE_NAMES),$(if $(word 3,$(filter-out \
  $(RTL_PACKAGE),$(CLOSURE_$m))),,$m)))
.PHONY: $(BUILD)/checks/equivalence/list.result
$(BUILD)/checks/equivalence/list.result:
	@$(CHECK) equivalence.list_is_whole $@ bash -c 'for m in $(NEVER_TRIED); do echo "tb/checks/equivalence.list: no row of $$m"; done; \
	  [ -z "$(NEVER_TRIED)" ]'
