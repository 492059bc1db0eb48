# SPDX-License-Identifier: Apache-2.0
# make synth: what each module of the design costs on three FPGA families, and what Yosys says about it.
#   SYNTH_TOP=fifo         another top than the node
#   SYNTH_FAMILIES=ecp5    fewer families
#   UPDATE=yes             what is measured becomes the baseline, constraints/baseline.csv
# Writes docs/synthesis.md where it maps the whole node to all families; see constraints/synth.sh.

SYNTH_TOP := mu_node
SYNTH_FAMILIES := xc7 ecp5 ice40
SYNTH_MODULE := $(or $(filter $(SYNTH_TOP),$(MODULE_NAMES)),$(filter mu_$(SYNTH_TOP),$(MODULE_NAMES)))
$(if $(SYNTH_MODULE),,$(error SYNTH_TOP is a module of rtl/, with or without mu_, not '$(SYNTH_TOP)'))
$(call some_of,SYNTH_FAMILIES,xc7 ecp5 ice40)
HELP_synth := LUTs, flip-flops, RAMs and DSPs of each module on xc7, ecp5 and ice40 (SYNTH_TOP=module)
.PHONY: synth
synth:
	@UPDATE=$(UPDATE) PAGE=docs/synthesis.md constraints/synth.sh $(BUILD)/synth/$(SYNTH_MODULE) $(JOBS) $(SYNTH_MODULE) "$(SYNTH_FAMILIES)" $(CLOSURE_$(SYNTH_MODULE))

# What synthesis must refuse is refused, and for the reason in the fault's line "Expect: text".
HELP_synth-refuses := latches, loops, undriven and doubly driven nets and new warnings stop make synth
CHECK_VERBS += synth-refuses
SYNTH_FAULTS := $(notdir $(basename $(wildcard tests/seeded_bugs/synth_*.sv)))
.PHONY: synth-refuses
synth-refuses: $(SYNTH_FAULTS:%=$(BUILD)/checks/synth-refuses/%.result)
	@$(SUMMARISE) synth-refuses $(BUILD)/results/synth-refuses.txt $^
$(BUILD)/checks/synth-refuses/%.result: tests/seeded_bugs/%.sv $(wildcard constraints/*)
	@$(CHECK) synth-refuses.$* $@ constraints/synth_refuses.sh $(BUILD)/synth_faults/$* $<

# --- place and route -----------------------------------------------------------------------------
# Modules of up to eight files, their parts included; those of more are not tried.
PLACE_ALL := $(foreach m,$(MODULE_NAMES),$(if $(word 9,$(filter-out $(RTL_PACKAGE),$(CLOSURE_$m))),,$m))
PLACE_MODULES := $(PLACE_ALL)
$(call some_of,PLACE_MODULES,$(PLACE_ALL))
PLACE_RESULTS := $(PLACE_MODULES:%=$(BUILD)/checks/place/%.result)
PLACE_ORDER := $(filter $(PLACE_MODULES),$(patsubst %.sv,%,$(notdir $(RTL_FILES))))
HELP_place := places and routes each module that fits an iCE40 HX8K (PLACE_MODULES=...): docs/place_and_route.md
.PHONY: place setup-night
# What only the checks of a night need.
setup-night:
	@.ci/setup night
place: $(PLACE_RESULTS)
	@$(SUMMARISE) place $(BUILD)/results/place.txt $^
	$(if $(filter-out $(PLACE_MODULES),$(PLACE_ALL)),,@constraints/place_page.sh $(PLACE_ORDER:%=$(BUILD)/place/%.row) > \
	  docs/place_and_route.md && echo 'place: wrote docs/place_and_route.md')
$(BUILD)/place_report: $(BUILD)/obj/constraints/place_report.o
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@
define place_rule
$(BUILD)/checks/place/$1.result: $(CLOSURE_$1) constraints/place.sh constraints/place_wrapper.awk constraints/boards/ice40_hx8k.pcf \
    $(BUILD)/place_report | setup-night
	@$(CHECK) place.$1 $$@ constraints/place.sh $(BUILD)/place $(BUILD)/place_report $1 $(CLOSURE_$1)
endef
$(foreach m,$(PLACE_MODULES),$(eval $(call place_rule,$m)))
