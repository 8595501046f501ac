# What holds for folders and their READMEs: how many rooms a folder has, that
# its README names each, and that what a README names is there.
#
#   awk -f rooms.awk KNOWN FILES READMES...
#
# KNOWN is t/style/known, FILES a list of all files of the tree.
#
# SPDX-License-Identifier: BSD-2-Clause

BEGIN { MOST = 20 }

FNR == 1 { input++ }

# --- what is known ----------------------------------------------------------

input == 1 && /^[a-z]/ {
    known_line[$1 " " $2] = FNR
    known_most[$1 " " $2] = $3
}

input == 1 { next }

# --- files -------------------------------------------------------------------

input == 2 {
    there[$0] = 1
    names[basename($0)] = names[basename($0)] " " $0

    for (dir = dirname($0); dir != ""; dir = dirname(dir))
        there[dir] = folder[dir] = 1

    if ($0 ~ /\.c$/)
        sources[dirname($0)]++
    if ($0 ~ /\/README\.md$/)
        readme[dirname($0)] = $0
    if ($0 ~ /^(core|modules|windows)\/.*\.[ch]$/ || $0 ~ /^lua\/.*\.lua$/)
        rooms[++room_count] = $0
    next
}

# --- READMEs -----------------------------------------------------------------

FNR == 1 {
    home = dirname(FILENAME)
    in_table = in_code = 0
}

/^```/ { in_code = !in_code }
in_code || /^    / { next }

# A table of rooms says so in its head.
!/^\|/ { in_table = 0 }
/^\|/ { in_table++ }
in_table == 1 { of_rooms = /^\| *(room|file|folder) *\|/ }

in_table > 2 && of_rooms {
    note_names($0)
    cell = $0
    sub(/^\| */, "", cell)
    sub(/ *\|.*/, "", cell)
    check_cell(cell)
}

{ check_paths($0) }

# Every word of a row that may be a room's name; "..._x" and "_x" stand for a
# longer name that begins as one in the same row does.
function note_names(line,    words, n, i, k, full, part, at)
{
    n = split(line, words, /[^A-Za-z0-9_.]+/)
    for (i = 1; i <= n; i++) {
        sub(/^\.+/, "", words[i])
        sub(/\.(c|h|lua|sh|awk)$/, "", words[i])
        sub(/\.+$/, "", words[i])
        if (words[i] == "")
            continue
        named[home, words[i]] = 1
        if (words[i] !~ /^_/)
            continue
        for (k = 1; k <= n; k++) {
            full = words[k]
            sub(/\.(c|h)$/, "", full)
            named[home, full words[i]] = 1
            while (match(full, /_[^_]*$/)) {
                full = substr(full, 1, RSTART - 1)
                named[home, full words[i]] = 1
            }
        }
    }
}

# The first cell of a row: rooms, in words.
function check_cell(cell,    words, n, i, first)
{
    gsub(/\*\*|`/, "", cell)
    gsub(/\([^)]*\)/, "", cell)
    n = split(cell, words, /[, ]+/)
    first = words[1]
    for (i = 1; i <= n; i++) {
        if (words[i] == "" || words[i] ~ /^(\.\.\.)?_/)
            continue
        if (words[i] !~ /^[A-Za-z0-9_.\/*-]+$/)
            continue
        if (!is_there(words[i]))
            breach("a row for \"" words[i] "\", which is not there", "row")
    }
}

# Names of files in running text.  NAME.c and the like stand for any.
function check_paths(line,    rest, path, before)
{
    rest = line
    while (match(rest, /[A-Za-z0-9_.*\/-]+\.(c|h|lua|awk|t|sh|def|rc)/)) {
        before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : ""
        path = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (rest ~ /^[A-Za-z0-9_(.]/ && rest !~ /^\.( |$)/)
            continue
        if (before ~ /[<${]/ || path ~ /^(\/|\.\.\.)/ \
            || path ~ /NAME|FILE|(^|\/)[a-z]\.|nginx/)
            continue
        if (basename(path) ~ /^(noun|noun_priv|foo2|util|area|ffi_area)\./)
            continue
        if (!is_there(path))
            breach("\"" path "\" is not there", "path")
    }
}

# Beside the README, below it, or from the top of the tree or of core.
function is_there(path,    list, n, i)
{
    sub(/\/$/, "", path)
    if (path ~ /\*/)
        return some_match(path)
    if (at(home "/" path) || at(path) || at("core/" path) || at("t/" path))
        return 1
    if (path ~ /^\.\.\//)
        return up_is_there(path)

    n = split(names[basename(path)], list, " ")
    for (i = 1; i <= n; i++)
        if (list[i] == "" || path ~ /\// && !ends(list[i], "/" path))
            continue
        else
            return 1
    return below(path)
}

function at(path)
{
    return path in there || (path ".c") in there || (path ".h") in there \
        || (path ".lua") in there
}

# "../x.c" is seen from a folder below where a table is about that.
function up_is_there(path,    dir)
{
    for (dir in folder)
        if ((dir == home || dirname(dir) == home) \
            && at(resolved(dir "/" path)))
            return 1
    return 0
}

# A room of a folder below, named without its folder.
function below(name,    dir)
{
    for (dir in folder)
        if ((dir == home || index(dir, home "/") == 1) && at(dir "/" name))
            return 1
    return 0
}

function some_match(pattern,    path)
{
    gsub(/\./, "[.]", pattern)
    gsub(/\*/, "[^/]*", pattern)
    for (path in there)
        if (path ~ "(^|/)" pattern "$")
            return 1
    return 0
}

function resolved(path)
{
    while (match(path, /[^\/]+\/\.\.\//))
        path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    return path
}

function ends(text, tail)
{
    return length(text) >= length(tail) \
        && substr(text, length(text) - length(tail) + 1) == tail
}

function breach(text, kind)
{
    print FILENAME ":" FNR ": " text " [" kind "]"
}

# --- the house ---------------------------------------------------------------

function dirname(path)
{
    return match(path, /\/[^\/]*$/) ? substr(path, 1, RSTART - 1) : ""
}

function basename(path)
{
    sub(/.*\//, "", path)
    return path
}

function known(kind, place)
{
    used[kind " " place] = 1
    return (kind " " place) in known_line
}

# The folder whose README speaks for a file.
function home_of(path,    dir)
{
    for (dir = dirname(path); dir != ""; dir = dirname(dir))
        if (dir in readme)
            return dir
    return ""
}

# A noun_priv.h is a part of its room, and so is noun.h of noun.c.
function noun_of(path,    noun)
{
    noun = basename(path)
    sub(/\.(c|h|lua)$/, "", noun)
    sub(/_priv$/, "", noun)
    return noun
}

function check_named(path,    dir, noun, place)
{
    dir = home_of(path)
    noun = noun_of(path)
    if (dir == "" || (dir, noun) in named)
        return
    for (place = dirname(path); place != dir && place != ""; \
         place = dirname(place))
        if (known("unnamed", place))
            return
    if (!known("unnamed", dirname(path)) && !((dir, noun) in told)) {
        print readme[dir] ":1: says nothing of " path " [unnamed]"
        told[dir, noun] = 1
    }
}

END {
    for (dir in sources) {
        if (dir !~ /^(core|modules|windows)/ || sources[dir] <= MOST)
            continue
        if (!known("rooms", dir))
            print dir ":1: has " sources[dir] " .c files, " MOST \
                " are enough [rooms]"
        else if (sources[dir] > known_most["rooms " dir])
            print dir ":1: has " sources[dir] " .c files, " \
                known_most["rooms " dir] " were known [rooms]"
    }

    for (i = 1; i <= room_count; i++)
        check_named(rooms[i])

    for (what in known_line)
        if (!(what in used))
            print "t/style/known:" known_line[what] ": \"" what \
                "\" is not needed any more [known]"
}
