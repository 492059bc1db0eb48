# SPDX-License-Identifier: Apache-2.0
# Fuzzing: each tests/fuzz/x_fuzz.cc is a target of libFuzzer, $(BUILD)/fuzz/x_fuzz; its corpus is
# tests/fuzz/corpus/x.tar.gz, unpacked into $(BUILD)/fuzz/corpus/x before anything reads it.
# C++ has AddressSanitizer and UndefinedBehaviorSanitizer; the node has libFuzzer's counters at its branches, so that
# it looks for new ways through the RTL, and its assertions.
#   make check JOBS="fuzz/*" FUZZ_SECONDS=60      all targets, a minute each
#   make check JOBS=fuzz/packet FUZZ_SECONDS=600  one
FUZZ_SECONDS := 15
# make nightly takes another each night.
FUZZ_SEED := 1
FUZZ_TARGETS := $(patsubst tests/fuzz/%_fuzz.cc,%,$(sort $(wildcard tests/fuzz/*_fuzz.cc)))
# The same sources as functions x_input(), for the layer that judges what tests/fuzz/corpus/ keeps.
FUZZ_INPUTS := $(FUZZ_TARGETS:%=$(BUILD)/obj/tests/fuzz/%_input.o)
$(FUZZ_INPUTS): $(BUILD)/obj/tests/fuzz/%_input.o: tests/fuzz/%_fuzz.cc | $(BUILD)/node/Vmu_gated_node.mk
	@mkdir -p $(@D)
	$(SAY) C++ $@
	$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) $(CXXFLAGS) $(CXXFLAGS_tests) -DLLVMFuzzerTestOneInput=$*_input -MMD -MP -c $< -o $@

FUZZ_CXX := $(CCACHE) clang++ -std=c++20 -O1 -g1 -w
FUZZ_COUNTERS := -fsanitize=fuzzer-no-link
FUZZ_CHECKS := $(FUZZ_COUNTERS) -fsanitize=address,undefined -fno-sanitize-recover=undefined -D__SANITIZE_ADDRESS__=1
FUZZ_SOURCES := $(MACHINE_SOURCES) $(addprefix sim/play/,scenario/raw_node.cc replay/trace.cc replay/matching.cc) \
  $(shell find host tb/reference_model -name '*.cc') $(patsubst %,tests/support/%.cc,node_bench node_judge seed)
FUZZ_OBJECTS := $(FUZZ_SOURCES:%.cc=$(BUILD)/obj_fuzz/%.o)
FUZZ_NODE := $(NODE_PARTS:%=$(BUILD)/fuzz/%.o) $(NODE_REST:$(BUILD)/node/%=$(BUILD)/fuzz/%)
FUZZ_NODE_LIBRARY := $(if $(NODE_PARTS),,$(NODE_LIBRARY))
$(BUILD)/obj_fuzz/%.o: %.cc | $(BUILD)/node/Vmu_gated_node.mk
	@mkdir -p $(@D)
	$(SAY) C++ $<
	$(Q)$(FUZZ_CXX) $(FUZZ_CHECKS) $(CPPFLAGS) $(NODE_HEADERS) -DTORUSMU_BUILD='"$(BUILD)"' -MMD -MP -c $< -o $@
-include $(shell [ -d $(BUILD)/obj_fuzz ] && find $(BUILD)/obj_fuzz -name '*.d')
$(FUZZ_NODE): $(BUILD)/fuzz/%.o: $(NODE_SOURCE) sim/model/crc32c_step.h
	@mkdir -p $(@D)
	$(SAY) C++ $@
	$(Q)$(FUZZ_CXX) $(FUZZ_COUNTERS) $(NODE_CPPFLAGS) -c $(BUILD)/node/$*.cpp -o $@
$(FUZZ_TARGETS:%=$(BUILD)/fuzz/%_fuzz): $(BUILD)/fuzz/%_fuzz: $(BUILD)/obj_fuzz/tests/fuzz/%_fuzz.o $(FUZZ_OBJECTS) $(FUZZ_NODE) $(FUZZ_NODE_LIBRARY) \
    $(VERILATED_RUNTIME) | $(IDENTITY_OBJECTS)
	$(SAY) LINK $@
	$(Q)clang++ -fsanitize=fuzzer,address,undefined $^ -lgtest $(SIM_LDLIBS) -o $@

FUZZ_ARCHIVES := $(wildcard tests/fuzz/corpus/*.tar.gz)
FUZZ_CORPORA := $(FUZZ_ARCHIVES:tests/fuzz/corpus/%.tar.gz=$(BUILD)/fuzz/corpus/%)
$(FUZZ_CORPORA): $(BUILD)/fuzz/corpus/%: tests/fuzz/corpus/%.tar.gz
	@rm -rf $@ && mkdir -p $(@D)
	$(SAY) TAR $@
	$(Q)tar -xzf $< -C $(@D) && touch $@
# The tests of the corpus list its inputs when they start.
$(BUILD)/tests/fuzz_tests $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%_fuzz): | $(FUZZ_CORPORA)

# The fewest of the kept and the found inputs that reach all that these reach.
.PHONY: fuzz-keep $(FUZZ_TARGETS:%=fuzz-keep-%)
fuzz-keep: $(FUZZ_TARGETS:%=fuzz-keep-%)
# The same inputs make the same bytes.
FUZZ_PACK := tar --sort=name --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -c
$(FUZZ_TARGETS:%=fuzz-keep-%): fuzz-keep-%: $(BUILD)/fuzz/%_fuzz $(FUZZ_CORPORA)
	$(Q)rm -rf $(BUILD)/fuzz/kept/$* && mkdir -p $(BUILD)/fuzz/kept/$* $(BUILD)/fuzz/found/$* $(BUILD)/fuzz/corpus/$*
	$(SAY) FUZZ tests/fuzz/corpus/$*.tar.gz
	$(Q)$< -set_cover_merge=1 -max_len=2048 $(BUILD)/fuzz/kept/$* $(BUILD)/fuzz/corpus/$* $(BUILD)/fuzz/found/$* 2> $(BUILD)/fuzz/kept/$*.txt
	$(Q)$(FUZZ_PACK) -C $(BUILD)/fuzz/kept $* | gzip -n9 > tests/fuzz/corpus/$*.tar.gz
