# SPDX-License-Identifier: Apache-2.0
# The node that counts, the program that merges, and make coverage.
COVERAGE_REPORT_OBJECTS := $(patsubst %,$(BUILD)/obj/tests/coverage/%.o,report_main coverage_data constants exclusions summary page)
$(BUILD)/coverage_report: $(COVERAGE_REPORT_OBJECTS)
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@
$(BUILD)/coverage_instances.inc: tests/coverage/instances.awk $(RTL_MODULES)
	@mkdir -p $(@D)
	$(Q)awk -f $< $(RTL_MODULES) > $@
$(BUILD)/obj/tests/coverage/recorder.o: $(BUILD)/coverage_instances.inc
$(BUILD)/obj/tests/coverage/recorder.o: CPPFLAGS += -I$(BUILD)
$(BUILD)/tests/coverage_tests: $(patsubst %,$(BUILD)/obj/tests/coverage/%.o,recorder coverage_data) | $(BUILD)/coverage_report $(BUILD)/coverage_constants

# Bits that are constant in the node, which Yosys makes flat.
$(BUILD)/coverage_netlist.json: $(CLOSURE_mu_gated_node)
	$(SAY) YOSYS $@
	$(Q)yosys -q -p "read_verilog -sv $^; hierarchy -check -top mu_gated_node; proc; flatten; chformal -remove; \
	  write_json $@.new" > $@.out 2>&1 || { tail -n 5 $@.out; exit 1; }
	$(Q)mv $@.new $@
$(BUILD)/coverage_constants: $(BUILD)/obj/tests/coverage/constants_main.o
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -o $@
$(BUILD)/coverage_constants.nets: $(BUILD)/coverage_constants $(BUILD)/coverage_netlist.json
	$(Q)$^ > $@.new && mv $@.new $@
$(BUILD)/coverage_constants.txt: tests/coverage/constants.awk $(BUILD)/coverage_instances.inc $(wildcard rtl/package/*.def) \
    $(CLOSURE_mu_gated_node) $(BUILD)/coverage_constants.nets
	$(Q)awk -f $^ > $@.new && [ -s $@.new ] && mv $@.new $@

.PHONY: coverage coverage-programs
COVERED := $(BUILD)/coverage
# The data have a folder of their own until the run has ended: regress turns a second runner away, and the data of
# the first are still there.
coverage: $(BUILD)/coverage_report $(BUILD)/coverage_constants.txt
	@$(MAKE) --no-print-directory COVERAGE=1 BUILD=$(COVERED) coverage-programs
	@mkdir -p $(BUILD)/results
	new=$$(mktemp -d $(COVERED)/data.XXXXXX) && trap "rm -rf $$new" EXIT && \
	  TORUSMU_COVERAGE=$$new $(COVERED)/torusmu regress tests/coverage/plan.json --jobs $(PARALLEL) \
	  --output $(COVERED)/regress --json $(BUILD)/results/coverage.json && \
	  rm -rf $(COVERED)/data && mv $$new $(COVERED)/data
	$(BUILD)/coverage_report $(COVERED)/data --constants $(BUILD)/coverage_constants.txt \
	  --exclusions tests/coverage/exclusions.csv --goals tests/coverage/goals.csv \
	  --html $(COVERED)/coverage.html --json $(COVERED)/coverage.json $(if $(DOCUMENT),--document $(DOCUMENT))

ifeq ($(COVERAGE),1)
# The engine of the mesh has a model of its own, which does not count.
coverage-programs: $(BUILD)/torusmu $(patsubst %,$(BUILD)/tests/%_tests,$(SUBJECTS) node machine host)

$(BUILD)/node/Vmu_gated_node.mk: $(CLOSURE_mu_gated_node) $(call points_of,rtl/mu_gated_node.sv) $(WAIVERS) \
    tests/coverage/model.awk
	@rm -rf $(@D) && mkdir -p $(@D)
	$(SAY) VERILATE $@
	$(Q)verilator $(NODE_FLAGS) $(COVERAGE_FLAGS) --prefix Vmu_gated_node --top-module mu_gated_node --Mdir $(@D) $(WAIVERS) \
	  $(CLOSURE_mu_gated_node) $(call points_of,rtl/mu_gated_node.sv)
	$(Q)for f in $(@D)/*.h $(@D)/*.cpp; do awk -f tests/coverage/model.awk $$f > $(@D)/new && mv $(@D)/new $$f; done
	$(Q)sed -i "s/toggles\.sample(/toggles.sample_some(/" $(@D)/Vmu_gated_node.cpp && grep -q sample_some $(@D)/Vmu_gated_node.cpp
$(BUILD)/node/Vmu_gated_node__ALL.a: $(BUILD)/node/Vmu_gated_node.mk tests/coverage/toggles.h
	$(SAY) C++ $@
	$(Q)+$(UNLESS_SHOWN)$(MAKE) -s --no-print-directory -C $(@D) -f Vmu_gated_node.mk VM_PARALLEL_BUILDS=1 OBJCACHE=$(CCACHE) OPT_FAST=-O1 \
	  OPT_SLOW=-O0 USER_CPPFLAGS='-std=c++20 $(PARITY) -I$(CURDIR)' Vmu_gated_node__ALL.a | sed '/^Archive /d'
	@touch $@
endif
