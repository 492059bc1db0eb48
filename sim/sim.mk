# SPDX-License-Identifier: Apache-2.0
# The simulator: every sim/**/*.cc but main.cc, x_main.cc and mesh_plugin.cc goes into
# libsim.a; main.cc makes build/torusmu, and linked with a traced node model build/torusmu-wave.
#   $(BUILD)/node/libnode.a                   the node, rtl/mu_gated_node.sv, header Vmu_gated_node.h
#   $(BUILD)/node_wave/Vmu_gated_node__ALL.a  the same with FST trace (compiled with -DTORUSMU_WAVE=1)
#   $(BUILD)/mesh/XxYxZ.so              rtl/mu_torus.sv with X_NODES, Y_NODES, Z_NODES and sim/machine/mesh_plugin.cc
#   $(BUILD)/mesh/node/Vmu_node__ALL.a  the node of all these, rtl/mu_node.sv

SHAPE := 2x2x2
$(if $(shell grep -xE '([1-9][0-9]?x){2}[1-9][0-9]?' <<< '$(SHAPE)'),,$(error SHAPE is XxYxZ, as 4x2x2, not '$(SHAPE)'))
MESH_SHAPES := $(sort 2x2x2 $(SHAPE))
# Shapes on which the tests compare the two engines.
TEST_MESH_SHAPES := 2x2x2 3x1x2

SIM_MAIN := sim/app/main.cc
SIM_SOURCES := $(filter-out $(SIM_MAIN) %_main.cc sim/machine/mesh_plugin.cc,$(shell find sim -name '*.cc' | sort))
# These see the class of the node's model, or do other things where it has a trace, and are compiled for torusmu-wave
# once more. The others do not find the model's header.
MODEL_SOURCES := $(patsubst %,sim/%.cc,machine/fast_engine machine/fast_node machine/faults machine/node_batch \
  observe/wave observe/wave_diff/fstapi app/wave_build)
# The machine as a library, without commands.
MACHINE_SOURCES := $(filter-out %/mesh_plugin.cc,$(wildcard sim/machine/*.cc))
SIM_LIBRARY := $(BUILD)/libsim.a
SIM_WAVE_LIBRARY := $(BUILD)/libsim_wave.a
TB_SOURCES := $(shell find tb -name '*.cc' -not -path 'tb/checks/*' -not -path 'tb/example/*' -not -path 'tb/lab/*' -not -name verilated_stop.cc | sort)
TB_LIBRARY := $(BUILD)/libtb.a
SIM_LDLIBS := $(IDENTITY_OBJECTS) -lboost_context -lfmt -lsqlite3 -ldl $(LDLIBS)
NODE_LIBRARY := $(BUILD)/node/libnode.a

$(SIM_LIBRARY): $(patsubst %.cc,$(BUILD)/obj/%.o,$(SIM_SOURCES))
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^
$(SIM_WAVE_LIBRARY): $(patsubst %.cc,$(BUILD)/obj_wave/%.o,$(MODEL_SOURCES)) \
    $(patsubst %.cc,$(BUILD)/obj/%.o,$(filter-out $(MODEL_SOURCES),$(SIM_SOURCES) $(SIM_MAIN)))
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^
$(TB_LIBRARY): $(patsubst %.cc,$(BUILD)/obj/%.o,$(TB_SOURCES))
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^

# --- the node ----------------------------------------------------------------------------------
NODE_FLAGS := --cc -O3 --assert --x-assign fast --x-initial fast --output-split 20000 -Wno-lint -Wno-fatal \
  $(if $(IS_BGP),$(BGP_FLAGS))

# $(call verilate_model,FOLDER,TOP,FLAGS,FILES,SCRIPT): the C++ of a model; SCRIPT, if any, reads its sources and
# the header of its state and writes that header anew.
define verilate_model
$(call keep_text,$(BUILD)/flags/$(subst /,.,$1),$(NODE_FLAGS) $3 $4)
$(BUILD)/$1/V$2.mk: $4 $(WAIVERS) $(BUILD)/flags/$(subst /,.,$1) $5
	@rm -rf $$(@D) && mkdir -p $$(@D)
	$$(SAY) VERILATE $$@
	$$(Q)verilator $$(NODE_FLAGS) $3 --prefix V$2 --top-module $2 --Mdir $$(@D) $(WAIVERS) $4
	$(if $5,$$(Q)header=$$(@D)/V$2___024root.h; awk -f $5 $$$$(ls $$(@D)/V*.cpp | grep -v -e __Slow.cpp -e __Syms.cpp) \
	  $$$$header > $$(@D)/header.new && mv $$(@D)/header.new $$$$header)
endef
# A parity (there are 32 in each step of a CRC) is one instruction on any x86-64 since 2008.
PARITY := $(if $(filter x86_64,$(shell uname -m)),-mpopcnt)
# $(call compile_model,FOLDER,TOP,FLAGS) is the command that compiles it, in parallel.
compile_model = $(MAKE) -s --no-print-directory -C $(BUILD)/$1 -f V$2.mk VM_PARALLEL_BUILDS=1 \
  OBJCACHE=$(CCACHE) OPT_FAST=-O2 OPT_SLOW=-O0 USER_CPPFLAGS='-std=c++20 $(PARITY) $3' V$2__ALL.a | sed '/^Archive /d'
# $(call large_model,FOLDER,TOP,FLAGS,FILES,.so if it goes into a shared library)
define large_model
$(call verilate_model,$1,$2,$3,$4)
$(BUILD)/$1/V$2__ALL.a: $(BUILD)/$1/V$2.mk
	$$(SAY) C++ $$@
	$$(Q)+$$(UNLESS_SHOWN)$$(call compile_model,$1,$2,$(if $(findstring .so,$5),-fPIC))
	@touch $$@
endef
$(eval $(call large_model,node_wave,mu_gated_node,--trace-fst --trace-structs,$(CLOSURE_mu_gated_node)))

ifneq ($(COVERAGE),1)
# The model that make run runs: what Verilator wrote and the order in which sim/machine/node_batch.h has it evaluated, in
# two sources that are compiled side by side. Each is compiled twice: once to count how often each branch is
# taken, and after a short run of typical traffic once more with those counts. The model is a third faster for
# it. What runs only once, before the first cycle, is a third source, compiled once and fast.
# Its CRC is that of sim/model/, and what only cycles in reset need is a fourth source.
NODE_RTL := $(patsubst rtl/common/mu_crc32c.sv,sim/model/mu_crc32c.sv,$(CLOSURE_mu_gated_node))
$(eval $(call verilate_model,node,mu_gated_node,,$(NODE_RTL),sim/model/node_layout.awk))
NODE_SOURCE := $(BUILD)/node/node_evaluation.cpp
NODE_PARTS := node_evaluation node_second
NODE_REST := $(BUILD)/node/node_slow.o $(BUILD)/node/node_reset.o
$(NODE_SOURCE): sim/model/node_evaluation.awk sim/machine/fast_node.h $(BUILD)/node/Vmu_gated_node.mk
	$(SAY) AWK $@
	$(Q)rm -f $(@D)/node_*.cpp && cat $(@D)/*__Slow.cpp $(@D)/*__Syms.cpp > $(@D)/node_slow.cpp
	$(Q)sources=$$(ls $(@D)/V*.cpp | grep -v -e __Slow.cpp -e __Syms.cpp); \
	awk -v second_source=$(@D)/node_second.cpp -v reset_source=$(@D)/node_reset.cpp -f $< sim/machine/fast_node.h \
	  pass=1 $$sources pass=2 $$sources > $@.new && mv $@.new $@
# Instructions of 2013, where the processor that builds has them: 3 % less time. $(BUILD) belongs to one machine.
NEEDED_BY_V3 := abm avx2 bmi1 bmi2 f16c fma movbe
PROCESSOR_FLAGS := $(shell grep -m1 '^flags' /proc/cpuinfo 2>/dev/null)
NODE_PROCESSOR := $(if $(filter-out $(PROCESSOR_FLAGS),$(NEEDED_BY_V3)),$(PARITY),-march=x86-64-v3)
NODE_CPPFLAGS := $(CPPFLAGS) -I$(BUILD)/node $(MODEL_CPPFLAGS) -DVM_TRACE=0 -include sim/model/crc32c_step.h $(NODE_PROCESSOR)
# $(call compile_node,PART,FOLDER,FLAGS)
compile_node = $(CCACHE) $(CXX) -std=c++20 -w $(NODE_CPPFLAGS) -frandom-seed=$1 $3 -c $(BUILD)/node/$1.cpp -o $(BUILD)/$2/$1.o
TRAIN_SOURCES := $(MACHINE_SOURCES) $(addprefix sim/play/,bench/train_main.cc bench/traffic.cc scenario/raw_node.cc)
$(NODE_REST): $(BUILD)/node/%.o: $(NODE_SOURCE) sim/model/crc32c_step.h
	$(SAY) C++ $@
	$(Q)$(call compile_node,$*,node,-O0)
# What is left out comes after the places that are counted are chosen, and takes longer than the training run gains by it.
TRAIN_FLAGS := -fno-gcse -fno-tree-pre -fno-tree-dominator-opts -fno-schedule-insns2
define node_part
$(BUILD)/node_train/$1.o: $(NODE_SOURCE) sim/model/crc32c_step.h
	@mkdir -p $$(@D)
	$$(SAY) C++ $$@
	$$(Q)$$(call compile_node,$1,node_train,-O2 -fprofile-generate $(TRAIN_FLAGS))
# Counts that are as before leave the object as it is.
$(BUILD)/node/$1.gcda: $(BUILD)/node_train/counted
	@cmp -s $$(<D)/$$(@F) $$@ || cp $$(<D)/$$(@F) $$@
$(BUILD)/node/$1.o: $(BUILD)/node/$1.gcda
	$$(SAY) C++ $$@
	$$(Q)$$(call compile_node,$1,node,-O2 -fprofile-use -fprofile-partial-training)
endef
$(foreach p,$(NODE_PARTS),$(eval $(call node_part,$p)))
$(BUILD)/node_train/train: $(TRAIN_SOURCES:%.cc=$(BUILD)/obj/%.o) $(NODE_PARTS:%=$(BUILD)/node_train/%.o) \
    $(NODE_REST) $(VERILATED_RUNTIME) | $(IDENTITY_OBJECTS)
	$(SAY) LINK $@
	$(Q)$(CXX) -fprofile-generate $^ $(SIM_LDLIBS) -o $@
# What is counted goes to this folder, wherever the program was built: a copy of the tree trains its own.
$(BUILD)/node_train/counted: $(BUILD)/node_train/train
	$(SAY) TRAIN $<
	$(Q)rm -f $(@D)/*.gcda && GCOV_PREFIX="$$PWD/$(@D)" GCOV_PREFIX_STRIP=100 $< && touch $@
$(NODE_LIBRARY): $(NODE_PARTS:%=$(BUILD)/node/%.o) $(NODE_REST)
	$(SAY) AR $@
	$(Q)rm -f $@ && ar rcs $@ $^
# The same, compiled once and with less effort.
QUICK_OBJECTS := $(NODE_PARTS:%=$(BUILD)/quick/%.o)
$(QUICK_OBJECTS): $(BUILD)/quick/%.o: $(NODE_SOURCE) sim/model/crc32c_step.h
	@mkdir -p $(@D)
	$(SAY) C++ $@
	$(Q)$(call compile_node,$*,quick,-O1)
endif

$(MODEL_SOURCES:%.cc=$(BUILD)/obj/%.o): $(BUILD)/node/Vmu_gated_node.mk
$(MODEL_SOURCES:%.cc=$(BUILD)/obj_wave/%.o): $(BUILD)/node_wave/Vmu_gated_node.mk
NODE_HEADERS := -isystem $(BUILD)/node $(MODEL_CPPFLAGS)
# Commands, pages and plans run for less time than they take to compile with all effort: a third less time. What runs in each
# cycle of a machine stays as it is.
COMMAND_SOURCES := $(filter-out sim/play/bench/traffic.cc,$(filter $(addprefix sim/,app/% regress/% observe/report_page/% \
  observe/wave_diff/% play/%),$(SIM_SOURCES))) $(SIM_MAIN)
CXXFLAGS_sim = $(if $(filter $<,$(MODEL_SOURCES)),$(NODE_HEADERS)) $(if $(filter $<,$(COMMAND_SOURCES)),-O1)
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
    $(NODE_LIBRARY) $(VERILATED_RUNTIME) $(COVERAGE_PROGRAM) $(IDENTITY_OBJECTS)
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
# The page is written though a check fails, and says so.
RESULTS_PAGE_SOURCES := sim/app/results_page_main.cc sim/app/results_page.cc sim/play/figures.cc
$(BUILD)/results_page: $(RESULTS_PAGE_SOURCES:%.cc=$(BUILD)/obj/%.o)
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@
WRITE_RESULTS_PAGE := $(BUILD)/results_page docs/results.md docs/synthesis.md docs/place_and_route.md docs/coverage.md \
  docs/mutation.md docs/narrow_mutants.md $(BUILD)/bench.json $(BUILD)/against.json $(BUILD)/results/test.stages.json \
  $(BUILD)/results/nightly.stages.json
HELP_bench := measures all figures (15 minutes at most, on a quiet machine) and writes docs/results.md; BEFORE=COMMIT: speed against it
# Benches compare engines and measure waves, too.
BENCH_PROGRAMS := $(addprefix $(BUILD)/,torusmu torusmu-wave mesh/2x2x2.so)
.PHONY: bench results-page
BEFORE :=
ifeq ($(BEFORE),)
bench: $(BENCH_PROGRAMS) $(BUILD)/results_page
	@rm -f $(BUILD)/bench.json
	status=0; $(BUILD)/torusmu bench all --json $(BUILD)/bench.json || status=$$?; $(WRITE_RESULTS_PAGE); exit $$status
else
bench: $(BUILD)/torusmu $(BUILD)/results_page
	$(Q)sim/play/bench/against.sh $< '$(BEFORE)' $(BUILD)/against $(BUILD)/against.json && $(WRITE_RESULTS_PAGE)
endif
results-page: $(BUILD)/results_page
	$(WRITE_RESULTS_PAGE)
