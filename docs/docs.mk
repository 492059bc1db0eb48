# SPDX-License-Identifier: Apache-2.0
# Pictures of docs/, and what draws them. docs/draw/*.cc but x_main.cc goes into libdraw.a.

DRAW_LIBRARY := $(BUILD)/libdraw.a
DRAW_SOURCES := $(filter-out %_main.cc,$(sort $(wildcard docs/draw/*.cc)))
$(DRAW_LIBRARY): $(DRAW_SOURCES:%.cc=$(BUILD)/obj/%.o)
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^
