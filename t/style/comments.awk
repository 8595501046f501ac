# What holds for comments in C and Lua: files that they name are there.
#
#   awk -f comments.awk FILES SOURCES...     FILES: a list of all of the tree
#
# "_x.c" stands for a longer name in the same comment, X.c and x/ for any;
# files of LuaJIT (lj_*) and nginx (ngx_*) are not ours to check.
#
# SPDX-License-Identifier: BSD-2-Clause

NR == FNR {
    base = $0
    sub(/.*\//, "", base)
    paths[base] = paths[base] " /" $0
    next
}

FNR == 1 {
    is_lua = FILENAME ~ /\.lua$/
    inside = 0
}

/^ *#/ && !is_lua { next }

{
    text = is_lua ? after($0, "--") : in_c($0)
    while (match(text, /[A-Za-z0-9_.*\/-]+\.(c|h|lua|awk|sh)/)) {
        path = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (text !~ /^[A-Za-z0-9_]/)
            check(path)
    }
}

function after(line, mark,    at)
{
    at = index(line, mark)
    return at ? substr(line, at) : ""
}

# The part of a line that is comment.  (A string with one in it is rare.)
function in_c(line,    part)
{
    part = inside ? line : after(line, "/*")
    if (part != "")
        inside = part !~ /\*\//
    return part
}

function check(path,    base, list, n, i)
{
    base = path
    sub(/.*\//, "", base)
    if (base ~ /^(_|X\.|[a-z]\.|lj_|ngx_)|\*/ || path ~ /(^|\/)x\//)
        return
    sub(/^(\.\.\/)+/, "", path)
    n = split(paths[base], list, " ")
    for (i = 1; i <= n; i++)
        if (ends(list[i], "/" path))
            return
    print FILENAME ":" FNR ": \"" path "\" is not there [path]"
}

function ends(text, tail)
{
    return length(text) >= length(tail) \
        && substr(text, length(text) - length(tail) + 1) == tail
}
