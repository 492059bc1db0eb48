# SPDX-License-Identifier: Apache-2.0
# Mutation: would the unit tests see a fault? Of each block, a module of which a unit test has a model, Yosys makes a netlist with
# MUTANTS mutants in it, chosen by a number; the tests of the block, as they are, run once for each. docs/mutation.md.
#   make check JOBS='mutation/fifo mutation/arbiter'           some blocks
#   make check JOBS='mutation/*' MUTANTS=1000 MUTATION_SEED=2  more mutants, others
#   make check JOBS='mutation/*' MUTANTS=narrow                all widths one bit short, at the sizes of the node
MUTANTS := 300
MUTATION_SEED := 1
MUTATES_WIDTHS := $(filter narrow,$(MUTANTS))
MUTATION_SET := $(or $(MUTATES_WIDTHS),$(MUTANTS)-$(MUTATION_SEED))
MUTATION := $(BUILD)/mutation/$(MUTATION_SET)
JUDGE := $(BUILD)/obj/tests/mutation/judge.o
MUTATION_REPORT := $(BUILD)/mutation/report
# What a person says of the mutants that survive.
MUTATION_REASONS := tests/mutation/$(if $(MUTATES_WIDTHS),narrow_)reasons.csv
# Of a proof of equivalence, bounded model checking is given up after so many seconds, all of it after three times as many.
MUTATION_SECONDS := 5
# What survives of widths in these has reasons.
MUTATION_SECONDS_outstanding_requests := $(if $(MUTATES_WIDTHS),1,20)
MUTATION_SECONDS_packetiser := $(if $(MUTATES_WIDTHS),5,15)
MUTATION_SECONDS_boot_buffers := 15
MUTATION_SECONDS_calc_engine := $(if $(MUTATES_WIDTHS),15,5)
# Yosys alone takes longer than a proof of 5 seconds may.
MUTATION_SECONDS_router := $(if $(MUTATES_WIDTHS),20,5)

# $(call mutated_model,BLOCK,MODEL,SV FILE,INDEX,MODELS OF THE BLOCK,FLAGS): the object in place of that of the RTL. Verilator
# 5.006 can leave words unsettled whose bits depend on each other; nothing may, so that it gets the netlist of bits then.
# What is in a module inside keeps the name that it has in the model of the RTL: tests may start a memory from any word.
# Properties that are bound to the block stay.
bound_here = $(if $(filter %.svh,$2),$(shell grep -q '^bind $1 ' $(filter %.svh,$2) && echo $(filter %.sv %.svh,$2)))
# A module inside a block that is a block itself is mutated there, with what is inside it.
blocks_inside = $(filter-out $1,$(filter $(ALL_MUTATION_BLOCKS:%=mu_%),$(basename $(notdir $(call closure,$1)))))
own_modules = $(filter-out mu_pkg,$(basename $(notdir $(filter-out $(foreach b,$(call blocks_inside,$(basename $(notdir $1))),$(CLOSURE_$b)),$(call closure,$1)))))
define mutated_model
$(MUTATION)/$1/$2.v: $(call closure,$3) tests/mutation/netlist.sh $(MUTATES_WIDTHS:%=tests/mutation/%.awk)
	$$(SAY) MUTATE $2
	$$(Q)tests/mutation/netlist.sh $$(@D) $2 $(basename $(notdir $3)) $4 $(or $(MUTATES_WIDTHS),$$$$((($(MUTANTS) + $5 - 1) / $5))) $(MUTATION_SEED) "$6" "$(call own_modules,$3)" \
	  $(call closure,$3)
$(MUTATION)/$1/$2.o: $(MUTATION)/$1/$2.v
	$$(SAY) VERILATE $2
	$$(Q)for netlist in $$(@D)/$2.v $$(@D)/$2.bits.v; do \
	  rm -rf $$(@D)/$2 && mkdir -p $$(@D)/$2; \
	  if $(VERILATOR) -Werror-UNOPTFLAT --assert --prefix $2 --top-module $(basename $(notdir $3)) --Mdir $$(@D)/$2 \
	    $(filter-out -G%,$(filter -%,$6)) $(WAIVERS) $$$$netlist $(call bound_here,$(basename $(notdir $3)),$6) \
	    > $$(@D)/$2.verilator 2>&1; then break; fi; \
	done
	@cat $$(@D)/$2.verilator
	@sed -i s/__02e/__DOT__/g $$(@D)/$2/*.h $$(@D)/$2/*.cpp
	@cd $$(@D)/$2 && printf '#include "%s"\n' *.cpp > all.cc
	$$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) $(MODEL_CPPFLAGS) -I$$(@D)/$2 $(MODEL_CXXFLAGS) -c $$(@D)/$2/all.cc -o $$@
	@awk -v model=$2 -f rtl/model_header.awk $$(@D)/$2/$2.h > $$(@D)/$2.h
endef
# A test is compiled with the class of the netlist, which keeps its ports in an order of its own.
# $(call mutation_block,BLOCK,MODELS,TEST FILES,OTHER MODELS)
define mutation_block
$(patsubst tests/%.cc,$(MUTATION)/$1/%.o,$3): $(MUTATION)/$1/%.o: tests/%.cc $(2:%=$(MUTATION)/$1/%.o) $(4:%=$(BUILD)/models/%.h)
	@mkdir -p $$(@D)
	$$(SAY) C++ $$@
	$$(Q)$(CCACHE) $(CXX) -isystem $(MUTATION)/$1 $(CPPFLAGS) $(CXXFLAGS) $(CXXFLAGS_tests) -MMD -MP -c $$< -o $$@
$(MUTATION)/$1/judge: $(JUDGE) $(patsubst tests/%.cc,$(MUTATION)/$1/%.o,$3) \
    $(2:%=$(MUTATION)/$1/%.o) $(4:%=$(BUILD)/models/%.o) $(VERILATED_RUNTIME) $(SUPPORT_LIBRARY) $(UNIT_LIBRARIES) | $(IDENTITY_OBJECTS)
	$$(SAY) LINK $$@
	$$(Q)$(CXX) -Wl,--start-group $$^ -Wl,--end-group $(GTEST_LDLIBS) $(SIM_LDLIBS) -o $$@
	@echo '$(or $(MUTATION_SECONDS_$1),$(MUTATION_SECONDS)) $2' > $(MUTATION)/$1/block
endef
# Widths are those of the node: only models of its sizes have such mutants.
MUTATED_MODELS := $(if $(MUTATES_WIDTHS),$(BUILD)/sizes/models)
MUTATION_RULES := $(BUILD)/mutation$(MUTATES_WIDTHS:%=.%).mk
$(BUILD)/sizes/models: $(wildcard tests/sizes/*) $(PROOF_LISTS) $(BUILD)/test_models.mk $(RTL_MODULES)
	@tests/sizes/sizes.sh $(BUILD) "$(MODULE_NAMES)" "$(BGP_FLAGS)" > /dev/null
$(MUTATION_RULES): tests/mutation/blocks.awk $(MUTATED_MODELS) $(BUILD)/test_models.mk
	@awk -v subjects="$(SUBJECTS)" -f $^ > $@.new && mv $@.new $@
ifneq ($(BUILDS),)
include $(MUTATION_RULES)
endif

-include $(wildcard $(MUTATION)/*/*/*.d)
$(MUTATION_REPORT): $(BUILD)/obj/tests/mutation/report.o $(BUILD)/obj/docs/pages/reasons.o
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@
