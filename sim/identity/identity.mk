# SPDX-License-Identifier: Apache-2.0
# What programs say of themselves with --version, and by which torusmu, torusmu-wave and the machines of the mesh engine know
# that they come from one build: sim/app/identity.h. It is looked at in every build; its two objects are made again if something of
# it has changed: a source, a flag, a tool, the commit. Tests keep the one that they were linked with.

IDENTITY := $(BUILD)/identity
MODEL_IDENTITY := $(IDENTITY)/model.o
IDENTITY_OBJECTS := $(IDENTITY)/facts.o $(MODEL_IDENTITY)
IDENTITY_RTL := $(sort $(RTL_FILES) $(RTL_MODULES) $(wildcard rtl/package/*.def) rtl/rtl.f $(WAIVERS) sim/model/mu_crc32c.sv)
# What surrounds the RTL in a machine of the mesh engine.
IDENTITY_MODEL = $(sort $(wildcard sim/machine/mesh_*) sim/model/mesh_node.awk sim/machine/node_pins.def sim/machine/bus_pins.def $(AXI_RULES))
IDENTITY_SOURCES := $(sort $(shell find sim host tb/reference_model tb/verilated_stop.cc -type f))

.PHONY: look_at_identity
look_at_identity:
$(BUILD)/write_identity: $(BUILD)/obj/sim/identity/write_identity_main.o
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@
$(IDENTITY)/facts.cc $(IDENTITY)/model.cc &: $(BUILD)/write_identity look_at_identity
	@mkdir -p $(@D)
	@commit=$$(sim/identity/commit.sh); verilator=$$(verilator --version); $< $(@D) version=$(VERSION) "commit=$$commit" \
	  profile=$(PROFILE) "verilator=$${verilator#Verilator }" "root=$$(realpath -m --relative-to=$(BUILD) .)" \
	  'model_flags=$(NODE_FLAGS)' "flags=$$($(CXX) --version | head -n 1) "'$(CPPFLAGS) $(CXXFLAGS) $(NODE_PROCESSOR)' \
	  $(IDENTITY_RTL:%=rtl=%) $(IDENTITY_MODEL:%=model=%) $(IDENTITY_SOURCES:%=source=%)
$(IDENTITY)/%.o: $(IDENTITY)/%.cc sim/identity/facts.h
	@$(CXX) -I. -std=c++20 $(WARNINGS) -fPIC -c $< -o $@
