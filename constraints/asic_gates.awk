# SPDX-License-Identifier: Apache-2.0
# A library of cells by which a path takes as many ns as it has gates: reads one, in which each delay becomes 1, those of flip-flops
# and latches and the times before and after their clocks 0.
/^ *cell *\(/ { sequential = /\((DFF|LATCH)/ }
/(cell|retaining)_(rise|fall) *\(/ { value = sequential ? 0 : 1 }
/(rise|fall)_(transition|constraint|power) *\(/ { value = 0 }
/^ *values *\(/ { inside = 1 }
inside { gsub(/-?[0-9][-+0-9.e]*/, value) }
/;/ { inside = 0 }
{ print }
