# SPDX-License-Identifier: Apache-2.0
# The node that counts, and the program that says how much was reached; tests/coverage/run.sh runs them.
$(BUILD)/coverage_report: $(patsubst %,$(BUILD)/obj/%.o,tests/coverage/report_main tests/coverage/instance_names sim/observe/output_file)
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@
$(BUILD)/coverage_instances.inc: tests/coverage/instances.awk $(RTL_MODULES)
	@mkdir -p $(@D)
	$(Q)awk -f $< $(RTL_MODULES) > $@
$(BUILD)/obj/tests/coverage/instance_names.o: $(BUILD)/coverage_instances.inc
$(BUILD)/obj/tests/coverage/instance_names.o: CPPFLAGS += -I$(BUILD)
$(BUILD)/tests/coverage_tests: $(patsubst %,$(BUILD)/obj/tests/coverage/%.o,instance_names recorder) $(BUILD)/models/verilated_cov.o | $(BUILD)/coverage_report

.PHONY: covered coverage-programs
# The programs that count, in a build of their own.
covered: $(BUILD)/coverage_report
	@$(MAKE) --no-print-directory COVERAGE=1 BUILD=$(BUILD)/coverage coverage-programs

ifeq ($(COVERAGE),1)
# The engine of the mesh has a model of its own, which does not count.
coverage-programs: $(BUILD)/torusmu $(patsubst %,$(BUILD)/tests/%_tests,$(SUBJECTS) node machine host)

$(BUILD)/node/Vmu_gated_node.mk: $(CLOSURE_mu_gated_node) $(call points_of,rtl/mu_gated_node.sv) $(WAIVERS) \
    $(COVERAGE_TOOLS)
	@rm -rf $(@D) && mkdir -p $(@D)
	$(SAY) VERILATE $@
	$(Q)verilator $(NODE_FLAGS) $(COVERAGE_FLAGS) $(COVERAGE_NODE_WIDTH) --prefix Vmu_gated_node --top-module mu_gated_node --Mdir $(@D) $(WAIVERS) \
	  $(CLOSURE_mu_gated_node) $(call points_of,rtl/mu_gated_node.sv)
	$(Q)for f in $(@D)/*.h $(@D)/*.cpp; do awk -f tests/coverage/model.awk $$f > $(@D)/new && mv $(@D)/new $$f; done
$(BUILD)/node/Vmu_gated_node__ALL.a: $(BUILD)/node/Vmu_gated_node.mk
	$(SAY) C++ $@
	$(Q)+$(UNLESS_SHOWN)$(MAKE) -s --no-print-directory -C $(@D) -f Vmu_gated_node.mk VM_PARALLEL_BUILDS=1 OBJCACHE=$(CCACHE) OPT_FAST=-O1 \
	  OPT_SLOW=-O0 USER_CPPFLAGS='-std=c++20 $(PARITY) -I$(CURDIR)' Vmu_gated_node__ALL.a | sed '/^Archive /d'
	@touch $@
endif
