# SPDX-License-Identifier: Apache-2.0
# make install, and what it copies that is made for it alone:
#   $(BUILD)/include/torusmu/     the headers as they are installed: they include each other as torusmu/...
#   $(BUILD)/libtorusmu-sim.a     the machine in simulation as a library
#   $(BUILD)/install/             torusmu.pc, torusmu-sim.pc and the files of find_package(TorusMU), from sim/install/

PREFIX := /usr/local

# --- headers -----------------------------------------------------------------------------------
# The machine as a library, and what scenarios outside this tree use.
SIM_HEADERS := $(addprefix sim/machine/,assertion.h axi_memory.h axil_master.h bus_pins.def core.h core_watch.h cycle_file.h \
  engine.h errors.h events.h machine.h memory.h mix.h node_observer.h node_shell.h profile.h register_port.h shape.h) \
  sim/observe/program_message.h sim/observe/wave_view.h sim/play/stage.h \
  $(addprefix sim/play/scenario/,checks.h opening.h outside.h pins.h raw_node.h scenario.h)
STAGED := $(BUILD)/include/torusmu
STAGED_SOURCES := $(wildcard host/include/torusmu/*.h) $(SIM_HEADERS) $(wildcard rtl/package/*.def)
STAGED_HEADERS := $(patsubst host/include/torusmu/%,$(STAGED)/%,$(filter host/%,$(STAGED_SOURCES))) \
  $(addprefix $(STAGED)/,$(filter-out host/%,$(STAGED_SOURCES)))
# The tree includes "sim/..." and "rtl/...", as folders of its own; of those that install it both lie below torusmu/.
STAGE_HEADER = @mkdir -p $(@D) && sed 's,^\( *\# *include\) "\(sim\|rtl\)/,\1 "torusmu/\2/,' $< > $@.new && mv $@.new $@
$(STAGED)/%.h: host/include/torusmu/%.h
	$(STAGE_HEADER)
$(STAGED)/sim/%: sim/%
	$(STAGE_HEADER)
$(STAGED)/rtl/%: rtl/%
	$(STAGE_HEADER)
# A scenario outside the tree was compiled with some headers, and must be played by a program that was compiled with the same:
# both know the sum over them.
INTERFACE := $(STAGED)/sim/interface.h
$(INTERFACE): $(STAGED_HEADERS) sim/install.mk
	@sum=$$(cat $(sort $(STAGED_HEADERS)) | sha256sum | cut -c 1-16); printf '%s\n' '// SPDX-License-Identifier: Apache-2.0' \
	  '// Of this installation, see torusmu/sim/play/scenario/outside.h.' '#ifdef TORUSMU_PROFILE_BGP' \
	  "#define TORUSMU_INTERFACE \"$(VERSION), profile bgp, headers $$sum\"" '#else' \
	  "#define TORUSMU_INTERFACE \"$(VERSION), profile sim, headers $$sum\"" '#endif' > $@
$(BUILD)/interface.cc: $(INTERFACE)
	@printf '#include "%s"\nnamespace torusmu { extern const char* const kInterface; const char* const kInterface = TORUSMU_INTERFACE; }\n' \
	  $< > $@
$(BUILD)/interface.o: $(BUILD)/interface.cc
	$(Q)$(CCACHE) $(CXX) $(CPPFLAGS) $(CXXFLAGS) -c $< -o $@
$(SIM_LIBRARY) $(SIM_WAVE_LIBRARY): $(BUILD)/interface.o
# Such a scenario calls what is in the program.
$(BUILD)/torusmu $(BUILD)/torusmu-wave: private SIM_LDLIBS += -Wl,--export-dynamic-symbol='_Z*7torusmu*'
$(BUILD)/tests/shift.so: tb/example/shift.cc $(STAGED_HEADERS) $(INTERFACE)
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(CXX) -std=c++20 $(WARNINGS) $(PROFILE_DEFINITION:%=-D%) -shared -fPIC -I$(BUILD)/include $< -o $@
$(BUILD)/tests/cli_tests: | $(BUILD)/tests/shift.so

# --- the machine as a library --------------------------------------------------------------------
MACHINE_LIBRARY := $(BUILD)/libtorusmu-sim.a
LIBRARY_SOURCES := $(MACHINE_SOURCES) $(addprefix sim/play/scenario/,checks.cc raw_node.cc)
$(MACHINE_LIBRARY): $(LIBRARY_SOURCES:%.cc=$(BUILD)/obj/%.o) $(NODE_LIBRARY) $(VERILATED_RUNTIME) $(IDENTITY_OBJECTS)
	@rm -rf $@ $@.node && mkdir -p $@.node
	$(SAY) AR $@
	$(Q)(cd $@.node && ar x $(abspath $(NODE_LIBRARY))) && ar rcs $@ $(filter %.o,$^) $@.node/*.o

# --- for pkg-config and CMake --------------------------------------------------------------------
# What a program that uses the headers has to define.
PROFILE_DEFINITION := $(if $(IS_BGP),TORUSMU_PROFILE_BGP)
PACKAGE_FILES := $(addprefix $(BUILD)/install/,torusmu.pc torusmu-sim.pc TorusMUConfig.cmake TorusMUConfigVersion.cmake)
$(PACKAGE_FILES): $(BUILD)/install/%: sim/install/%.in sim/install.mk VERSION
	@mkdir -p $(@D)
	@sed 's|@VERSION@|$(VERSION)|; s|@DEFINITION@|$(PROFILE_DEFINITION)|; s|@DEFINE@|$(PROFILE_DEFINITION:%= -D%)|' $< > $@

# --- install -----------------------------------------------------------------------------------
# In quotes: the recipe is a shell's.
AT = "$(DESTDIR)$(PREFIX)"
INSTALL := install -m 644 -D
# What a shell around the node has to keep.
AXI_RULES := $(wildcard tb/formal/mu_axi4_*_properties.sv tb/formal/mu_axi4_*bind.svh)
SHARED_FILES := $(RTL_FILES) $(wildcard rtl/*.svh) $(wildcard rtl/package/*.def) rtl/rtl.f $(WAIVERS) $(MANIFESTS) $(AXI_RULES)
# $(call install_tree,FILES,FOLDER,TARGET): files below FOLDER go to the same place below TARGET. `install` gives folders
# and files their modes whatever the umask.
install_tree = for file in $1; do $(INSTALL) $$file $3/$${file\#$2/}; done
HELP_install := copies the programs, the libraries, their headers, the RTL and examples to PREFIX
INSTALLED_PRODUCTS := $(BUILD)/torusmu $(BUILD)/torusmu-wave $(HOST_LIBRARY) $(MACHINE_LIBRARY) $(STAGED_HEADERS) $(INTERFACE) $(PACKAGE_FILES)
# Commands of the documents install it.
$(BUILD)/tests/docs_tests: | $(INSTALLED_PRODUCTS)
# Folders that are TorusMU's alone are made anew: what an older version had there and this one has not is gone.
.PHONY: install
install: $(INSTALLED_PRODUCTS)
	rm -rf $(AT)/include/torusmu $(AT)/share/torusmu $(AT)/lib/cmake/TorusMU
	install -m 755 -D -t $(AT)/bin $(BUILD)/torusmu $(BUILD)/torusmu-wave
	$(INSTALL) -t $(AT)/lib $(HOST_LIBRARY) $(MACHINE_LIBRARY)
	$(INSTALL) -t $(AT)/lib/pkgconfig $(filter %.pc,$(PACKAGE_FILES))
	$(INSTALL) -t $(AT)/lib/cmake/TorusMU $(filter %.cmake,$(PACKAGE_FILES))
	@echo '# headers to $(AT)/include/torusmu, RTL to $(AT)/share/torusmu'
	@$(call install_tree,$(STAGED_HEADERS) $(INTERFACE),$(BUILD)/include,$(AT)/include)
	@$(call install_tree,$(SHARED_FILES),.,$(AT)/share/torusmu)
	$(INSTALL) -t $(AT)/share/torusmu sim/install/README.md
	$(INSTALL) -t $(AT)/share/torusmu/example $(wildcard tb/example/*)

# --- integration ---------------------------------------------------------------------------------
# What the jobs integration/x are given, which build from nothing else: installed by a user who hides his files (umask 077)
# and who has an older version there.
INSTALLED := $(BUILD)/installed
$(INSTALLED)/.done: $(INSTALLED_PRODUCTS) $(SHARED_FILES) $(wildcard tb/example/*) sim/install/README.md sim/install.mk
	@rm -rf $(INSTALLED)
	@$(INSTALL) README.md $(INSTALLED)/usr/include/torusmu/of_an_older_version.h
	@umask 077 && $(MAKE) -s --no-print-directory install DESTDIR=$(abspath $(INSTALLED)) PREFIX=/usr
	@$(UNLESS_SHOWN)touch $@
