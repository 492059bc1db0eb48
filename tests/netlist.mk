# SPDX-License-Identifier: Apache-2.0
# Scenarios on the netlist that Yosys makes of the node, and the same on the RTL. What leaves each node in
# each cycle and what is in the memories at the end must be equal.

# The machine is that of the mesh engine: its links and what surrounds it are the same, its nodes are the netlist.
NETLIST_SHAPE := 2x1x1
NETLIST := $(BUILD)/netlist
$(if $(filter $(NETLIST_SHAPE),$(MESH_SHAPES) $(TEST_MESH_SHAPES)),,$(eval $(call mesh_rules,$(NETLIST_SHAPE))))

$(NETLIST)/mu_node.v: tb/checks/netlist.sh tb/checks/netlist_map.v $(CLOSURE_mu_node)
	$(if $(IS_BGP),@echo 'the netlist is that of PROFILE=sim'; exit 1)
	$(SAY) YOSYS $@
	$(Q)tb/checks/netlist.sh $(NETLIST) mu_node $(CLOSURE_mu_node)
# It runs for less time than a compiler would need to make it fast. What depends on itself through bits of one vector may
# be left unsettled by Verilator 5.006; here nothing may.
$(NETLIST)/node/Vmu_node__ALL.a: $(NETLIST)/mu_node.v
	@rm -rf $(@D) && mkdir -p $(@D)
	$(SAY) VERILATE $@
	$(Q)verilator $(NODE_FLAGS) -Werror-UNOPTFLAT --prefix Vmu_node --top-module mu_node --Mdir $(@D) $<
	$(SAY) C++ $@
	$(Q)+$(UNLESS_SHOWN)$(MAKE) -s --no-print-directory -C $(@D) -f Vmu_node.mk VM_PARALLEL_BUILDS=1 OBJCACHE=$(CCACHE) OPT_FAST=-O0 \
	  OPT_SLOW=-O0 USER_CPPFLAGS='-std=c++20 $(PARITY) -fPIC' Vmu_node__ALL.a | sed '/^Archive /d'
# $(call netlist_program,FOLDER,0 or 1: the value of the netlist's fault_i): the program looks for machines beside itself.
define netlist_program
$1/mesh/$(NETLIST_SHAPE).so: sim/machine/mesh_plugin.cc $(wildcard sim/machine/*.h) $(BUILD)/mesh/$(NETLIST_SHAPE)/Vmu_torus__ALL.a \
    $(NETLIST)/node/Vmu_node__ALL.a $(BUILD)/mesh/node/mu_node.sv $(VERILATED_RUNTIME) $(MODEL_IDENTITY)
	@mkdir -p $$(@D)
	$$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) -isystem $(NETLIST)/node -isystem $(BUILD)/mesh/$(NETLIST_SHAPE) \
	  -isystem $(BUILD)/mesh/node $(MODEL_CPPFLAGS) $(CXXFLAGS) -fPIC -DMESH_SHAPE='"$(NETLIST_SHAPE)"' -DNETLIST_FAULT=$2 \
	  -c $$< -o $1/mesh_plugin.o
	$$(SAY) LINK $$@
	$$(Q)$(CXX) -shared -fPIC -O2 -Wl,-Bsymbolic $1/mesh_plugin.o $$(filter %.a %.o,$$^) -pthread -latomic -o $$@
$1/torusmu: $(BUILD)/torusmu $1/mesh/$(NETLIST_SHAPE).so
	$$(Q)cp $$< $$@
endef
$(eval $(call netlist_program,$(NETLIST),0))
$(eval $(call netlist_program,$(NETLIST)/changed_gate,1))
