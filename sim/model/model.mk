# SPDX-License-Identifier: Apache-2.0
# The model of the node, $(NODE_LIBRARY), for the fast engine. MODEL=plain compiles what Verilator writes of the RTL as it is;
# MODEL=tuned, the default, has parts of it replaced by what lies here. Same results: docs/simulation.md.

NODE_LIBRARY := $(BUILD)/node/libnode.a
# The machine without what looks on and what is played on it.
MACHINE_SOURCES := $(filter-out %/mesh_plugin.cc,$(wildcard sim/machine/*.cc))

NODE_FLAGS := --cc -O3 --assert --x-assign fast --x-initial fast --output-split 20000 -Wno-lint -Wno-fatal \
  $(if $(IS_BGP),$(BGP_FLAGS))

# $(call verilate_model,FOLDER,TOP,FLAGS,FILES,SCRIPT): the C++ of a model; SCRIPT, if any, reads its sources and
# the header of its state and writes that header anew.
define verilate_model
$(if $(CLOSURE_mu_node),$(call keep_text,$(BUILD)/flags/$(subst /,.,$1),$(NODE_FLAGS) $3 $4))
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

ifeq ($(filter 1,$(COVERAGE))$(filter plain,$(MODEL)),)
# tuned, the model that make run runs: what Verilator wrote and the order in which sim/machine/node_batch.h has it evaluated, in
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
else
ifneq ($(COVERAGE),1)
$(eval $(call large_model,node,mu_gated_node,,$(CLOSURE_mu_gated_node)))
endif
# Nodes are evaluated one by one, by Verilator's own functions.
$(NODE_LIBRARY): $(BUILD)/node/Vmu_gated_node__ALL.a $(BUILD)/obj/sim/model/plain_evaluation.o
	$(if $(call given,MODEL)$(filter 1,$(COVERAGE)),,@echo 'sim/model/ knows Verilator $(TUNED_VERILATOR) alone: the model is plain, and the fast engine slower')
	$(SAY) AR $@
	$(Q)cp $< $@.new && ar rs $@.new $(word 2,$^) && mv $@.new $@
QUICK_OBJECTS := $(NODE_LIBRARY)
endif

# Both models, for the job that compares them.
.PHONY: plain-program
plain-program: $(BUILD)/torusmu
	-@$(MAKE) --no-print-directory MODEL=plain BUILD=$(BUILD)/plain $(BUILD)/plain/torusmu
