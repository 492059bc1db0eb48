# SPDX-License-Identifier: Apache-2.0
"""Elaborates and analyses SystemVerilog with slang, which shares no code with Verilator or Yosys:

    build/venv/bin/python tb/checks/slang.py --top mu_node -f rtl/rtl.f

The arguments are those of slang. Exit status 0 if it has nothing to say: a warning counts as an error.
"""
import shlex
import sys

import pyslang

# Warnings of -Wextra that the style of this project asks for.
EXEMPT = [
    "case-redundant-default",  # a `unique case` has a default, so that no value is left out
    "useless-cast",  # a cast says the width wanted, which is that of the value for some sizes only
]


def is_clean(arguments):
    options = ["-Wextra", "-Werror", *(f"-Wno-{name}" for name in EXEMPT)]
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    return (
        driver.parseCommandLine(shlex.join(["slang", *options, *arguments]))
        and driver.processOptions()
        and driver.parseAllSources()
        and driver.runFullCompilation()
    )


sys.exit(0 if is_clean(sys.argv[1:]) else 1)
