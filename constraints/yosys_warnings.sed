# SPDX-License-Identifier: Apache-2.0
# Leaves of a log of Yosys its warnings, without what changes from run to run: paths, line numbers, names that Yosys makes up.
/Warning: /!d
s/.*Warning: /Warning: /
s/ See .*//
s/\$[^ ]*:[0-9][^ ]*/$id/g
s/\$[a-z_]*\$[0-9][^ ]*/$id/g
s/[^ ]*\.sv:[0-9.-]*/FILE/g
s/__[0-9][0-9]*//g
s|/tmp/[^ ]*/|/tmp/|g
s/ [0-9]* complex flops and [0-9]* carries/ N complex flops and N carries/
