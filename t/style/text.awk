# What holds for every kind of text.
#
# SPDX-License-Identifier: BSD-2-Clause

function breach(line, text)
{
    if (!(FILENAME in exempt) || exempt[FILENAME] < line - 3)
        print FILENAME ":" line ": " text
}

FNR == 1 {
    if (FILENAME ~ /\.(c|h|lua|sh|awk)$/) {
        if (last != "" && !licensed)
            print last ":1: no SPDX line [spdx]"
        last = FILENAME
        licensed = 0
    }
    is_code = FILENAME ~ /\.(c|h|lua|sh|rc)$|^t\/(tap|style\/)/ \
        && FILENAME !~ /\.md$/
    is_lua = FILENAME ~ /\.lua$/
    in_cdef = 0
}

/SPDX-License-Identifier: BSD-2-Clause/ { licensed = 1 }
/style: [a-z ]+, / { exempt[FILENAME] = FNR }

is_code && length($0) > 80 {
    breach(FNR, length($0) " columns [long line]")
}

is_code && /\t/ { breach(FNR, "a tab [tab]") }
/[ \t]$/ && FILENAME !~ /\.(t|md)$/ {
    breach(FNR, "space at the end of the line [space]")
}
/\r$/ && FILENAME !~ /\.t$/ { breach(FNR, "CR before LF [space]") }

FILENAME !~ /^t\/style\// \
    && /(^|[^A-Za-z0-9_])(TODO|FIXME|XXX)([^A-Za-z0-9_]|$)/ {
    breach(FNR, "unfinished business [todo]")
}

# `long` has 32 bits on Windows: not in a signature that Lua sees.
is_lua && /cdef/ { in_cdef = 1 }
is_lua && in_cdef && /(^|[^A-Za-z0-9_])long([^A-Za-z0-9_]|$)/ {
    breach(FNR, "long in a cdef [long type]")
}
is_lua && /\]=*\]/ { in_cdef = 0 }

# What a script may have chosen is no size for an array yet.
is_lua && FILENAME != "lua/lunette/base.lua" \
    && /ffi[._]new\(("[^"]*\[\?\]"|[a-z_.]*type), [^)]*[a-z]/ {
    breach(FNR, "an array of a size that is no constant: base.new_array() " \
        "[array]")
}

END {
    if (last != "" && !licensed)
        print last ":1: no SPDX line [spdx]"
}
