# SPDX-License-Identifier: Apache-2.0
# The simulator: every sim/**/*.cc but main.cc, x_main.cc, mesh_plugin.cc and those of sim/model/ goes into
# libsim.a; main.cc makes build/torusmu, and linked with a traced node model build/torusmu-wave.
#   $(BUILD)/node/libnode.a                   the node, rtl/mu_gated_node.sv, header Vmu_gated_node.h (sim/model/model.mk)
#   $(BUILD)/node_wave/Vmu_gated_node__ALL.a  the same with FST trace (compiled with -DTORUSMU_WAVE=1)
#   $(BUILD)/mesh/XxYxZ.so              rtl/mu_torus.sv with X_NODES, Y_NODES, Z_NODES and sim/machine/mesh_plugin.cc
#   $(BUILD)/mesh/node/Vmu_node__ALL.a  the node of all these, rtl/mu_node.sv

SHAPE := 2x2x2
$(if $(shell grep -xE '([1-9][0-9]?x){2}[1-9][0-9]?' <<< '$(SHAPE)'),,$(error SHAPE is XxYxZ, as 4x2x2, not '$(SHAPE)'))
MESH_SHAPES := $(sort 2x2x2 $(SHAPE))
# Shapes on which the tests compare the two engines.
TEST_MESH_SHAPES := 2x2x2 3x1x2

SIM_MAIN := sim/app/main.cc
SIM_SOURCES := $(filter-out $(SIM_MAIN) %_main.cc sim/machine/mesh_plugin.cc sim/model/%,$(shell find sim -name '*.cc' | sort))
# These see the class of the node's model, or do other things where it has a trace, and are compiled for torusmu-wave
# once more. The others do not find the model's header.
MODEL_SOURCES := $(patsubst %,sim/%.cc,machine/fast_engine machine/fast_node machine/faults machine/node_batch \
  observe/wave observe/wave_diff/fstapi app/wave_build)
SIM_LIBRARY := $(BUILD)/libsim.a
SIM_WAVE_LIBRARY := $(BUILD)/libsim_wave.a
TB_SOURCES := $(shell find tb -name '*.cc' -not -path 'tb/checks/*' -not -path 'tb/example/*' -not -path 'tb/lab/*' -not -name verilated_stop.cc | sort)
TB_LIBRARY := $(BUILD)/libtb.a
SIM_LDLIBS := $(IDENTITY_OBJECTS) -lboost_context -lfmt -lsqlite3 -ldl $(LDLIBS)

# The debug port that stands beside each node of `torusmu jtag`.
$(eval $(call verilated_model,Vdebug_port,rtl/debug/mu_debug_port.sv,))
$(BUILD)/obj/sim/app/jtag_chain.o: $(BUILD)/models/Vdebug_port.h
$(SIM_LIBRARY): $(patsubst %.cc,$(BUILD)/obj/%.o,$(SIM_SOURCES)) $(BUILD)/models/Vdebug_port.o
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^
$(SIM_WAVE_LIBRARY): $(patsubst %.cc,$(BUILD)/obj_wave/%.o,$(MODEL_SOURCES)) \
    $(patsubst %.cc,$(BUILD)/obj/%.o,$(filter-out $(MODEL_SOURCES),$(SIM_SOURCES) $(SIM_MAIN))) $(BUILD)/models/Vdebug_port.o
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^
$(TB_LIBRARY): $(patsubst %.cc,$(BUILD)/obj/%.o,$(TB_SOURCES))
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^

# --- C++ ---------------------------------------------------------------------------------------
$(MODEL_SOURCES:%.cc=$(BUILD)/obj/%.o) $(BUILD)/obj/sim/model/plain_evaluation.o: $(BUILD)/node/Vmu_gated_node.mk
$(MODEL_SOURCES:%.cc=$(BUILD)/obj_wave/%.o): $(BUILD)/node_wave/Vmu_gated_node.mk
NODE_HEADERS := -isystem $(BUILD)/node $(MODEL_CPPFLAGS)
# Commands, pages and plans run for less time than they take to compile with all effort: a third less time. What runs in each
# cycle of a machine stays as it is.
COMMAND_SOURCES := $(filter-out sim/play/bench/traffic.cc,$(filter $(addprefix sim/,app/% observe/report_page/% \
  observe/wave_diff/% play/%),$(SIM_SOURCES))) $(SIM_MAIN)
CXXFLAGS_sim = $(if $(filter %/jtag_chain.cc,$<),$(MODEL_CPPFLAGS)) $(if $(filter $(MODEL_SOURCES) sim/model/%,$<),$(NODE_HEADERS)) $(if $(filter $<,$(COMMAND_SOURCES)),-O1)
$(BUILD)/obj_wave/%.o: %.cc
	@mkdir -p $(@D)
	$(SAY) C++ $<
	$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) $(CXXFLAGS) -isystem $(BUILD)/node_wave -DTORUSMU_WAVE=1 -DVM_TRACE=1 \
	  -DVM_TRACE_FST=1 -DVM_TRACE_VCD=0 -MMD -MP -c $< -o $@
-include $(shell [ -d $(BUILD)/obj_wave ] && find $(BUILD)/obj_wave -name '*.d')

# --- the mesh: the whole machine as one model ----------------------------------------------------
# The node is compiled once for all shapes; in the model of a shape a mu_node made from its header stands for
# rtl/mu_node.sv.
# The rules of its two AXI ports are bound to this node.
$(eval $(call large_model,mesh/node,mu_node,,$(CLOSURE_mu_node) $(AXI_RULES),.so))
MESH_NODE := $(BUILD)/mesh/node/mu_node.sv
$(MESH_NODE): sim/model/mesh_node.awk $(BUILD)/mesh/node/Vmu_node.mk
	$(SAY) AWK $@
	$(Q)awk -v part=def -f $< $(@D)/Vmu_node.h > $(@D)/mesh_node_ports.def
	$(Q)awk -v part=sv -f $< $(@D)/Vmu_node.h > $@
MESH_CLOSURE := $(RTL_PACKAGE) $(MESH_NODE) $(filter-out $(CLOSURE_mu_node),$(CLOSURE_mu_torus))
define mesh_rules
$(call large_model,mesh/$1,mu_torus,-GX_NODES=$(word 1,$(subst x, ,$1)) \
  -GY_NODES=$(word 2,$(subst x, ,$1)) -GZ_NODES=$(word 3,$(subst x, ,$1)),$(MESH_CLOSURE),.so)
$(BUILD)/mesh/$1.so: sim/machine/mesh_plugin.cc $(BUILD)/mesh/$1/Vmu_torus__ALL.a $(BUILD)/mesh/node/Vmu_node__ALL.a \
    $(VERILATED_RUNTIME) $(MODEL_IDENTITY)
	$$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) -isystem $(BUILD)/mesh/$1 -isystem $(BUILD)/mesh/node $(MODEL_CPPFLAGS) \
	  $(CXXFLAGS) -fPIC -MMD -MP -DMESH_SHAPE='"$1"' -c $$< -o $(BUILD)/mesh/$1/mesh_plugin.o
	$$(SAY) LINK $$@
	$$(Q)$(CXX) -shared -fPIC -O2 -Wl,-Bsymbolic $(BUILD)/mesh/$1/mesh_plugin.o $$(filter %.a %.o,$$^) \
	  -pthread -latomic -o $$@
endef
$(foreach s,$(sort $(MESH_SHAPES) $(TEST_MESH_SHAPES)),$(eval $(call mesh_rules,$s)))
HELP_mesh := builds the machine of SHAPE=XxYxZ as one model, for --engine mesh
.PHONY: mesh
mesh: $(MESH_SHAPES:%=$(BUILD)/mesh/%.so)
all: $(BUILD)/mesh/2x2x2.so
ifneq ($(COVERAGE),1)
$(BUILD)/tests/machine_tests: | $(TEST_MESH_SHAPES:%=$(BUILD)/mesh/%.so)
endif
$(BUILD)/tests/cli_tests $(BUILD)/tests/docs_tests: | $(BUILD)/mesh/2x2x2.so

# --- the program -------------------------------------------------------------------------------
# With all of the host library, not only what it calls itself: scenarios outside the tree call the rest.
$(BUILD)/torusmu: $(SIM_MAIN:%.cc=$(BUILD)/obj/%.o) $(SIM_LIBRARY) $(LAB_LIBRARY) $(HOST_OBJECTS) $(TB_LIBRARY) \
    $(NODE_LIBRARY) $(VERILATED_RUNTIME) $(IDENTITY_OBJECTS)
	$(SAY) LINK $@
	$(Q)$(CXX) -Wl,--start-group $(filter-out $(IDENTITY_OBJECTS),$^) -Wl,--end-group $(SIM_LDLIBS) -o $@
# For who has changed a line of the RTL and wants to see it run: same results, sooner built, slower.
$(BUILD)/torusmu-quick: $(SIM_MAIN:%.cc=$(BUILD)/obj/%.o) $(SIM_LIBRARY) $(LAB_LIBRARY) $(HOST_OBJECTS) $(TB_LIBRARY) \
    $(QUICK_OBJECTS) $(NODE_REST) $(VERILATED_RUNTIME) $(IDENTITY_OBJECTS)
	$(SAY) LINK $@
	$(Q)$(CXX) -Wl,--start-group $(filter-out $(IDENTITY_OBJECTS),$^) -Wl,--end-group $(SIM_LDLIBS) -o $@
HELP_quick := build/torusmu-quick: as torusmu, in a minute from a change of the RTL; same results, slower
.PHONY: quick
quick: $(BUILD)/torusmu-quick
	@echo 'now: $< scenario put'
$(BUILD)/torusmu-wave: $(SIM_WAVE_LIBRARY) $(LAB_LIBRARY) $(HOST_OBJECTS) $(TB_LIBRARY) $(VERILATED_RUNTIME) \
    $(BUILD)/node_wave/Vmu_gated_node__ALL.a $(IDENTITY_OBJECTS)
	$(SAY) LINK $@
	$(Q)$(CXX) -Wl,--start-group $(filter-out $(IDENTITY_OBJECTS),$^) -Wl,--end-group $(SIM_LDLIBS) -o $@
$(BUILD)/tests/cli_tests $(BUILD)/tests/docs_tests: | $(BUILD)/torusmu $(BUILD)/torusmu-wave
HELP_all := build/torusmu, the machine in simulation (plain make)
all: $(BUILD)/torusmu
TRACE := tests/traces/lulesh-27.trace
HELP_run := builds torusmu and replays TRACE, by default what 27 ranks of LULESH sent, on a 3x3x3 torus
.PHONY: run
run: $(BUILD)/torusmu
	@echo 'Replaying the messages of a real MPI program on the Verilated torus:' $(call quoted,$(TRACE))
	$< replay $(call quoted,$(TRACE))
SCENARIO := reflection
HELP_wave := plays SCENARIO (default reflection) with waves and opens GTKWave; without a display says how
WAVE_VIEW = gtkwave -a $(BUILD)/$(SCENARIO).gtkw $(BUILD)/$(SCENARIO).fst
.PHONY: wave
wave: $(BUILD)/torusmu $(BUILD)/torusmu-wave
	$< scenario $(SCENARIO) --wave $(BUILD)/$(SCENARIO).fst
	@echo '$(WAVE_VIEW)'
	@if [ -n "$${DISPLAY:-}" ]; then $(WAVE_VIEW); else echo 'No display here: the line above opens the waves.'; fi
HELP_bench := measures all figures (15 minutes at most, on a quiet machine) and writes the pages of results; BEFORE=COMMIT: speed against it
# Benches compare engines and measure waves, too.
BENCH_PROGRAMS := $(addprefix $(BUILD)/,torusmu torusmu-wave mesh/2x2x2.so)
.PHONY: bench
BEFORE :=
ifeq ($(BEFORE),)
# The pages are written though a check fails, and say so.
bench: $(BENCH_PROGRAMS) $(BUILD)/pages
	@rm -f $(BUILD)/bench.json
	status=0; $(BUILD)/torusmu bench all --json $(BUILD)/bench.json || status=$$?; $(BUILD)/pages $(BUILD) docs; exit $$status
else
bench: $(BUILD)/torusmu $(BUILD)/pages
	$(Q)sim/play/bench/against.sh $< '$(BEFORE)' $(BUILD)/against $(BUILD)/against.json && $(BUILD)/pages $(BUILD) docs
endif
