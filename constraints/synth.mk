# SPDX-License-Identifier: Apache-2.0
# Synthesis, and place and route, are jobs of tests/plans/: synth/FAMILY is what each module of SYNTH_TOP costs on an FPGA
# family, or as asic in standard cells, and what Yosys says about it, place/MODULE the clock of a module on an iCE40 HX8K.
#   make check JOBS='synth/*'                       all families: then make pages writes docs/synthesis.md anew
#   make check JOBS=synth/ecp5 SYNTH_TOP=fifo       one family, another top than the node
#   make check JOBS='synth/*' UPDATE=yes            what is measured becomes the baseline, constraints/baseline.csv

SYNTH_TOP := mu_node
SYNTH_MODULE = $(or $(filter $(SYNTH_TOP),$(MODULE_NAMES)),$(filter mu_$(SYNTH_TOP),$(MODULE_NAMES)),\
  $(error SYNTH_TOP is a module of rtl/, with or without mu_, not '$(SYNTH_TOP)'))

.PHONY: setup-night
# What only the checks of a night need.
setup-night:
	@.ci/setup night
$(BUILD)/place_report: $(BUILD)/obj/constraints/place_report.o
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@
