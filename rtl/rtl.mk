# SPDX-License-Identifier: Apache-2.0
# Where the RTL is, and how a model is made of it.
# A module mu_x lives in rtl/**/mu_x.sv and is found by its name; rtl/rtl.f lists the files of the node
# in the order in which a packet meets them.

RTL_PACKAGE := $(wildcard rtl/package/mu_pkg.sv)
RTL_FILES := $(shell sed 's|//.*||' rtl/rtl.f)
RTL_MODULES := $(filter-out $(RTL_PACKAGE),$(sort $(shell find rtl -name 'mu_*.sv')))
WAIVERS := rtl/waivers.vlt

# CLOSURE_mu_x: the files of module mu_x and of all modules below it, the package first if they use it;
# also for the SystemVerilog files of tb/ and tests/.
WRAPPERS := $(sort $(shell find tb tests -name '*.sv' -not -path 'tests/lint/*' -not -path 'tests/seeded_bugs/*'))
ifneq ($(BUILDS),)
include $(BUILD)/closures.mk
endif
# Made anew when a file has changed, and for a file that it does not know: one that was moved may be old.
without_closure = $(foreach f,$(RTL_PACKAGE) $(RTL_MODULES) $(WRAPPERS),$(if $(CLOSURE_$(basename $(notdir $f))),,$f))
.PHONY: look_again
$(BUILD)/closures.mk: rtl/closures.awk $(RTL_PACKAGE) $(RTL_MODULES) $(WRAPPERS) $(if $(strip $(without_closure)),look_again)
	@mkdir -p $(@D) && awk -f $(filter-out look_again,$^) > $@.new && mv $@.new $@
closure = $(or $(CLOSURE_$(basename $(notdir $1))),$(RTL_PACKAGE) $1)

# What is unrolled 128 times makes functions that would compile for minutes, were they not split.
VERILATOR := verilator --cc -O3 $(if $(IS_BGP),$(BGP_FLAGS) --output-split-cfuncs 1000) $(COVERAGE_FLAGS) $(COVERAGE_MODEL_WIDTH) --x-assign unique --x-initial unique -Wno-lint -Wno-fatal
MODEL_CPPFLAGS := -DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0
MODEL_CXXFLAGS := -std=c++20 -O1 -faligned-new -fcf-protection=none -w

# What every model includes, parsed once. GCC takes the .gch in place of the header of that name, which is not there.
MODEL_PARSED_ONCE := $(BUILD)/models/parsed_once.h
$(MODEL_PARSED_ONCE).gch: $(VERILATOR_INCLUDE)/verilated.h rtl/rtl.mk
	@mkdir -p $(@D)
	$(SAY) C++ $<
	$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) $(MODEL_CPPFLAGS) $(MODEL_CXXFLAGS) -x c++-header $< -o $@

# $(call verilated_model,PREFIX,SV FILE,FLAGS): $(BUILD)/models/PREFIX.o and PREFIX.h of the top module
# named like the file. One C++ file for the whole model: cheap for the many small ones.
define verilated_model
$(call keep_text,$(BUILD)/flags/model.$1,flags $3)
$(BUILD)/models/$1.o $(BUILD)/models/$1.h &: $(call closure,$2) $(call points_of,$2) $(COVERAGE_TOOLS) $(filter %.sv %.svh,$3) \
    $(WAIVERS) rtl/rtl.mk $(BUILD)/flags/model.$1 $(MODEL_PARSED_ONCE).gch
	@rm -rf $(BUILD)/models/$1 && mkdir -p $(BUILD)/models/$1
	$$(SAY) VERILATE $1
	$$(Q)$(VERILATOR) --assert --prefix $1 --top-module $(basename $(notdir $2)) --Mdir $(BUILD)/models/$1 \
	  $3 $(WAIVERS) $(call closure,$2) $(call points_of,$2)
	$(if $(filter 1,$(COVERAGE)),@$(call count_in_model,$(BUILD)/models/$1))
	@cd $(BUILD)/models/$1 && printf '#include "%s"\n' *.cpp > all.cc
	$$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) $(MODEL_CPPFLAGS) -I$(BUILD)/models/$1 $(MODEL_CXXFLAGS) \
	  -include $(MODEL_PARSED_ONCE) -c $(BUILD)/models/$1/all.cc -o $(BUILD)/models/$1.o
	@awk -v model=$1 -f rtl/model_header.awk $(BUILD)/models/$1/$1.h > $(BUILD)/models/$1.h
endef

# Verilator's run-time library, once for all models.
VERILATED_OBJECTS := $(BUILD)/models/verilated.o $(BUILD)/models/verilated_threads.o
VERILATED_RUNTIME := $(VERILATED_OBJECTS) $(BUILD)/obj/tb/verilated_stop.o $(COVERAGE_OBJECTS)
$(VERILATED_OBJECTS) $(patsubst %,$(BUILD)/models/verilated_%.o,save cov): $(BUILD)/models/%.o: tb/verilated_output.h
	@mkdir -p $(@D)
	$(SAY) C++ $*.cpp
	$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) $(MODEL_CPPFLAGS) -include tb/verilated_output.h -DVL_USER_STOP -DVL_USER_FATAL \
	  -std=c++20 -O2 -fPIC -w \
	  -c $(VERILATOR_INCLUDE)/$*.cpp -o $@

# --- layouts: rtl/package/*.def -> the package, its C++ names, its test probe, its reference pages --
LAYOUT_OBJECTS := $(patsubst %.cc,$(BUILD)/obj/%.o,$(wildcard rtl/package/*.cc))
.PHONY: layouts
$(BUILD)/layout_gen: $(LAYOUT_OBJECTS)
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -o $@
layouts: $(BUILD)/layout_gen
	@mkdir -p docs/reference
	$(BUILD)/layout_gen pkg rtl/package
	$(BUILD)/layout_gen names host/include/torusmu
	$(BUILD)/layout_gen probe tb
	$(BUILD)/layout_gen docs docs/reference
	$(BUILD)/layout_gen bsdl rtl/debug
# The layout tests run the program and look into its tables.
$(BUILD)/tests/layout_tests: $(BUILD)/obj/rtl/package/layout_tables.o | $(BUILD)/layout_gen

# --- manifests: rtl/rtl.f -> what FuseSoC and Bender read instead -----------------------------------
MANIFESTS := rtl/torusmu.core rtl/Bender.yml
.PHONY: manifests
manifests:
	awk -v form=core -v version=$(VERSION) -f rtl/manifests.awk rtl/rtl.f > rtl/torusmu.core
	awk -v form=bender -f rtl/manifests.awk rtl/rtl.f > rtl/Bender.yml
