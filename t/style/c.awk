# What holds for C: floors, sizes, shapes, names.
#
# SPDX-License-Identifier: BSD-2-Clause

BEGIN {
    n = split("core/base core/format core/os core/shm core/log core/net " \
              "core/cache core/client core/store core/config core/session " \
              "core/http core/stream modules modules/lua core/run", list, " ")
    for (i = 1; i <= n; i++)
        height[list[i]] = i
    height["core/os/posix"] = height["windows"] = height["core/os"]

    system_header = "^(windows|winsock2|ws2tcpip|mswsock|unistd|pthread|" \
        "dirent|poll|dlfcn|fcntl|netdb|pwd|grp|termios|io|process|" \
        "sys/.*|netinet/.*|arpa/.*|linux/.*)\\.h$"
    word = "(^|[^A-Za-z0-9_])"
    system_macro = "__(linux|unix|MINGW(32|64)|APPLE)__|" word "_WIN(32|64)"
}

# A breach is forgiven by an exemption of its kind just before it.
function breach(line, kind, text,    i)
{
    for (i = line; i > 0 && i >= line - 3; i--)
        if (kind_at[i] == kind)
            return
    print file ":" line ": " text " [" kind "]"
}

function forgiven(kind, from, to,    i)
{
    for (i = from; i <= to; i++)
        if (kind_at[i] == kind)
            return 1
    return 0
}

function dirname(path)
{
    return match(path, /\/[^\/]*$/) ? substr(path, 1, RSTART - 1) : ""
}

function basename(path)
{
    sub(/.*\//, "", path)
    return path
}

# A folder of a floor belongs to it: core/http/h1 is as high as core/http.
function floor_of(path)
{
    while (path != "" && !(path in height))
        path = dirname(path)
    return path == "" ? 0 : height[path]
}

# What knows a protocol; what is common to them (core/session and below,
# modules/common) knows none, and none of them knows another.
function protocol_of(path)
{
    sub(/^(core|modules)\//, "", path)
    sub(/\/.*/, "", path)
    return path ~ /^(http|stream)$/ ? path : ""
}

FNR == 1 {
    finish()
    file = FILENAME
    dir = dirname(file)
    floor = floor_of(dir)
    is_test = file ~ /^(t|bench)\//
    is_side = file ~ /^(core\/os\/posix|windows|t\/unit)\//
    is_header = file ~ /\.h$/
    split("", kind_at)
    guard = in_body = head_line = includes = 0
    head = ""
    code_lines = 0
}

{ lines_read = FNR }

# What a header says costs it nothing: its limit is for what it has.
!/^ *(\/\*|\*|$)/ { code_lines++ }

/style: [a-z ]+, / {
    kind = $0
    sub(/.*style: /, "", kind)
    sub(/,.*/, "", kind)
    kind_at[FNR] = kind
}

/^#ifndef LUN_[A-Z0-9_]+_H$/ { guard = 1 }

/^ *# *include/ { include() }

$0 ~ system_macro && /^ *#/ && !is_side && !is_test \
    && file != "core/base/base.h" {
    breach(FNR, "system test", "names a system outside of core/os")
}

/^ *\/\/|[;{}] *\/\// { breach(FNR, "comment", "// comment") }

/(^|[^A-Za-z0-9_"])long [a-z_*]/ && !/long long|^ *\*|\/\*|"/ \
    && file !~ /^core\/os\/posix|\/capi\// && !is_test {
    breach(FNR, "long type", "long has 32 bits on Windows")
}

/lua_to(number|integer)|luaL_(check|opt)(number|int|long)/ \
    && file ~ /^modules\/lua\// && file != "modules/lua/run/number.c" \
    && file !~ /^modules\/lua\/json\/json_(en|de)code\.c$/ \
    && !/^ \*|\/\*/ {
    breach(FNR, "number", "a number of Lua goes through number.h")
}

/^typedef .*[a-z]_t;/ || /^} [a-z_]+_t;/ {
    breach(FNR, "name", "POSIX owns names that end in _t")
}

# Functions: collect what stands at the margin until a brace does.

in_body && /^}/ {
    if (FNR - in_body - 1 > 100 && !forgiven("long function", head_line, FNR))
        print file ":" head_line ": a function of " FNR - in_body - 1 \
            " lines [long function]"
    in_body = 0
    head = ""
    next
}

in_body { next }

/^{/ {
    function_head()
    in_body = FNR
    next
}

/^[A-Za-z_].*\) *{$/ && !/^(struct|union|enum|typedef)/ {
    breach(FNR, "shape", "a function's brace has a line of its own")
}

/^[A-Za-z_]/ && !/[;={]$/ {
    if (head == "")
        head_line = FNR
    head = head "\n" $0
    next
}

/^ / && head != "" && !/;$/ { next }

{ head = "" }

function function_head(    count, lines, i, name)
{
    count = split(head, lines, "\n")
    for (i = 2; i <= count; i++) {
        if (lines[i] ~ /^[A-Za-z_][A-Za-z0-9_]*\(/) {
            name = lines[i]
            sub(/\(.*/, "", name)
        }
    }
    if (name == "") {
        if (head ~ /\(/)
            breach(head_line, "shape", "a function's name begins its line")
        return
    }
    if (head !~ /^\n(static|LUN_UNUSED|TAP_UNUSED)/ && !is_test && floor \
        && name !~ /^(lun_|luaopen_|main$|wmain$|DllMain$)/ \
        && !(file ~ /\/ffi_ngx\.c$|\/capi\// && name ~ /^ngx_/) \
        && !(file ~ /\/quic_(crypto|tls)\.c$/ && name ~ /^ngtcp2_crypto_/))
        breach(head_line, "name", name " is global but not lun_...")
}

# echo_priv.h is shared by echo.c and echo_vars.c.
function same_module(header, source,    noun)
{
    noun = basename(header)
    sub(/(_priv)?\.h$/, "", noun)
    source = basename(source)
    sub(/\.[ch]$/, "", source)
    return source == noun || index(source, noun "_") == 1
}

function include(    what, target, at)
{
    includes++
    what = $0
    sub(/^[^"<]*["<]/, "", what)
    sub(/[">].*/, "", what)
    own_first(what)
    if (/</) {
        if (what ~ system_header && !is_side && !is_test)
            breach(FNR, "system header", "<" what "> outside of core/os")
        return
    }
    if (is_test)
        return

    at = dirname(what)
    target = floor_of("core/" at)
    if (!target)
        target = floor_of(at)

    if (!target) {
        breach(FNR, "include", "\"" what "\" is on no floor")
    } else if (target > floor) {
        breach(FNR, "include", "\"" what "\" is on a higher floor")
    } else if (protocol_of(at) != "" && protocol_of(at) != protocol_of(dir) \
        && dir !~ /^(core\/run\/?.*|modules|modules\/lua\/?.*)$/) {
        breach(FNR, "include", "\"" what "\" is another protocol's")
    } else if (at ~ /^(windows|os\/posix)$/ && !is_side) {
        breach(FNR, "include", "one system's header outside of core/os")
    } else if (dir == "modules" && at == "modules" \
        && basename(file) !~ /^modules\./ && !same_module(what, file)) {
        breach(FNR, "include", "a module includes another")
    }
}

function exists(path,    line, found)
{
    found = (getline line < path) >= 0
    close(path)
    return found
}

# A header that compiles alone is one its own .c includes first.
function own_first(what,    own)
{
    if (includes > 1 || is_header || is_test)
        return
    own = basename(file)
    sub(/\.c$/, ".h", own)
    own = (is_side ? "os" : floor == height["modules/lua"] \
        || floor == height["modules"] ? dir : substr(dir, 6)) "/" own
    if (what != own && (exists("core/" own) || exists(own)))
        breach(FNR, "own header", "\"" own "\" is to come first")
}

# Comments and empty lines do not count: nobody is to leave one out to be done.
function finish(    limit)
{
    if (file == "")
        return
    limit = is_header ? 250 : 650
    if (code_lines > limit && !forgiven("long file", 1, lines_read))
        print file ":" lines_read ": is it two rooms? " code_lines \
            " lines without comments [long file]"
    if (is_header && !guard)
        print file ":1: no guard LUN_..._H [guard]"
}

END { finish() }
