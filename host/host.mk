# SPDX-License-Identifier: Apache-2.0
# The host library: every host/**/*.cc goes into $(BUILD)/libtorusmu.a; headers in host/include/torusmu/.

HOST_OBJECTS := $(patsubst %.cc,$(BUILD)/obj/%.o,$(shell find host -name '*.cc' | sort))
HOST_LIBRARY := $(BUILD)/libtorusmu.a
$(HOST_LIBRARY): $(HOST_OBJECTS)
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^
