#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The page of make place: constraints/place_page.sh ROW_FILE...
set -eu
export LC_ALL=C
cat <<TEXT
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by make place; do not edit. -->

# Place and route

\`make place\` maps each module of up to eight files, alone, to a Lattice iCE40 HX8K by $(yosys -V | cut -d' ' -f1,2), places
and routes it with $(nextpnr-ice40 --version 2>&1 | sed 's/.*(Version \([^)]*\)).*/nextpnr \1/; s/"//g'), and says how fast its clock may be. A module has the parameters that its file
gives it, which may be fewer or narrower than in a node (FIFOs are 4 deep, numbers of 32 bits). It stands between registers on all of its pins,
and every path counts, also one from an input through the module to an output. The slowest path is named by the registers
of the RTL at its ends: a name without \`_q\` is a port or a memory, one with \`.\` is in a part of the module, and of a
register that Yosys made it says from what. Levels: LUTs and carries between them. LC: logic cells, those of the
registers on the pins included; RAM: SB_RAM40_4K. Modules of
more than 4,500 LUTs or flip-flops or 32 RAMs are not placed, those of more files are not tried. Of what
nearly fills the device nextpnr may find no place, and of some others no way for all wires in 240 s. Pins are those of constraints/boards/ice40_hx8k.pcf.

| module | LC | RAM | MHz | levels | slowest path from | to |
| --- | ---: | ---: | ---: | ---: | --- | --- |
TEXT
cat "$@"
