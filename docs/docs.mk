# SPDX-License-Identifier: Apache-2.0
# Pictures of docs/, and what draws them; pages of what was measured. docs/draw/*.cc but x_main.cc goes into libdraw.a.

DRAW_LIBRARY := $(BUILD)/libdraw.a
DRAW_SOURCES := $(filter-out %_main.cc,$(sort $(wildcard docs/draw/*.cc)))
$(DRAW_LIBRARY): $(DRAW_SOURCES:%.cc=$(BUILD)/obj/%.o)
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^

# --- make pages ----------------------------------------------------------------------------------
# What was measured, docs/results/*.json, and the pages of it: docs/pages/*.cc.
PAGES := $(BUILD)/pages
$(PAGES): $(patsubst %.cc,$(BUILD)/obj/%.o,$(wildcard docs/pages/*.cc) sim/play/figures.cc)
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@
.PHONY: pages
pages: $(PAGES)
	$< $(BUILD) docs

.PHONY: status
status:
	docs/status.sh $(BUILD)/closures.mk > $(BUILD)/status.md
	cp $(BUILD)/status.md docs/status.md

# --- make pictures -------------------------------------------------------------------------------
# Block diagrams show what Yosys reads: $(call design,JSON,TOP,MODULES TO LOOK INTO,COMMANDS). Only the ports of
# all other modules matter.
PICTURES := $(BUILD)/pictures
DIAGRAMS := $(basename $(notdir $(sort $(wildcard docs/draw/*.picture))))
DIAGRAM_MODULES := $(sort $(shell awk '$$1 == "expand" || $$1 == "top" { $$1 = ""; print }' docs/draw/*.picture))
files_of_modules = $(filter $(addsuffix .sv,$(addprefix %/,$1)),$(RTL_FILES))
define design
$1: $(RTL_FILES) docs/docs.mk $(wildcard docs/draw/*.picture)
	@mkdir -p $$(@D)
	$$(SAY) YOSYS $$@
	$$(Q)yosys -q -p "read_verilog -sv $(RTL_PACKAGE) $(call files_of_modules,$3); \
	  read_verilog -sv -lib $(filter-out $(RTL_PACKAGE) $(call files_of_modules,$3),$(RTL_FILES)); \
	  $4 hierarchy -top $2; proc; write_json $$@" > $$(@:.json=.log) 2>&1 || { cat $$(@:.json=.log) >&2; exit 1; }
endef
$(eval $(call design,$(PICTURES)/node.json,mu_gated_node,$(DIAGRAM_MODULES),))
$(eval $(call design,$(PICTURES)/torus.json,mu_torus,mu_torus,  chparam -set X_NODES 3 -set Y_NODES 3 -set Z_NODES 3 mu_torus;))
$(BUILD)/draw: $(BUILD)/obj/docs/draw/draw_main.o $(DRAW_LIBRARY) $(BUILD)/obj/rtl/package/layout_tables.o $(HOST_LIBRARY)
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -lz -o $@
$(DIAGRAMS:%=$(PICTURES)/%.svg): $(PICTURES)/%.svg: docs/draw/%.picture $(PICTURES)/node.json $(BUILD)/draw
	$(SAY) DRAW $@
	$(Q)$(BUILD)/draw blocks $(PICTURES)/node.json $< > $@
$(PICTURES)/torus.svg: $(PICTURES)/torus.json $(BUILD)/draw
	$(SAY) DRAW $@
	$(Q)$(BUILD)/draw torus $< > $@
$(PICTURES)/packet.svg: $(BUILD)/draw docs/docs.mk
	$(SAY) DRAW $@
	@mkdir -p $(@D)
	$(Q)$(BUILD)/draw layouts 'A packet: header flit, 0 to 32 payload flits, trailer flit' packet_header packet_trailer > $@
$(PICTURES)/descriptor.svg: $(BUILD)/draw docs/docs.mk
	$(SAY) DRAW $@
	@mkdir -p $(@D)
	$(Q)$(BUILD)/draw layouts 'A descriptor: 64 bytes in a ring' descriptor > $@
$(PICTURES)/collective_schedules.md: $(BUILD)/draw
	$(SAY) DRAW $@
	@mkdir -p $(@D)
	$(Q)$(BUILD)/draw collectives > $@

$(BUILD)/screenshot: $(BUILD)/obj/docs/draw/screenshot_main.o $(DRAW_LIBRARY)
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -lz -o $@
$(PICTURES)/reflection.png: $(BUILD)/torusmu $(BUILD)/torusmu-wave $(BUILD)/screenshot
	$(SAY) DRAW $@
	@mkdir -p $(@D)
	$(Q)$(BUILD)/torusmu scenario reflection --quiet --wave $(PICTURES)/reflection.fst
	$(Q)$(BUILD)/screenshot $(PICTURES)/reflection.gtkw $(PICTURES)/reflection.fst $@

# What Chromium shows of a page. Its folder of settings is new and empty each time.
$(PICTURES)/report_page.png: $(BUILD)/torusmu
	$(SAY) DRAW $@
	@mkdir -p $(@D)
	$(Q)$(BUILD)/torusmu scenario put --mesh 3x3x2 --quiet --report $(PICTURES)/report_page.html
	$(Q)settings=$$(mktemp -d) && trap 'rm -rf "$$settings"' EXIT && \
	  timeout -k 5 100 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
	  --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars \
	  --user-data-dir="$$settings" --window-size=1160,1560 --screenshot=$(abspath $@) \
	  file://$(abspath $(PICTURES))/report_page.html > $(PICTURES)/chromium.log 2>&1 || \
	  { cat $(PICTURES)/chromium.log >&2; exit 1; }

# Several processes of tests draw: none of them may have to link what the others run.
$(BUILD)/tests/docs_tests: | $(BUILD)/draw $(BUILD)/screenshot $(PAGES) $(BUILD)/mutation/report
# A test compares the drawings with docs/pictures/. What GTKWave shows is not the same on every machine.
DRAWINGS := $(DIAGRAMS:%=$(PICTURES)/%.svg) $(addprefix $(PICTURES)/,torus.svg packet.svg descriptor.svg) \
  $(PICTURES)/collective_schedules.md
.PHONY: pictures drawings
drawings: $(DRAWINGS)
	@rm -f $(filter-out $(DRAWINGS),$(wildcard $(PICTURES)/*.svg))
pictures: $(DRAWINGS) $(PICTURES)/reflection.png $(PICTURES)/report_page.png
	@mkdir -p docs/pictures
	cp $(filter-out %.md,$^) docs/pictures/
	cp $(filter %.md,$^) docs/
