# What holds for the border between C and Lua: that both sides mean the same.
#
#   awk -f border.awk FILES...     .c and .h of core and modules, then the .lua
#                                  of lua and of t
#
# - A prototype in a cdef is the one that LUN_EXPORT has in C; a pointer to
#   what Lua knows nothing of may be a void *.  A struct has the same fields.
# - Codes have their names, and the numbers that C gives them:
#
#       -- As in core/shm/shdict.h: LUN_SHDICT_...
#       local NIL, BOOLEAN = 0, 1
#
#   holds up to an empty line.  "LUN_... for HTTP_..." says that HTTP_GET here
#   is LUN_GET there.  Other lists say so: "-- Not C's: why".
#
# SPDX-License-Identifier: BSD-2-Clause

BEGIN {
    opaque = "^(const )?(void|lun_[a-z0-9_]+|lua_State|X509|EVP_PKEY|" \
        "EVP_CIPHER(_CTX)?|EVP_MD(_CTX)?|SSL[A-Z_]*) [*]( |$)"
    lua_struct = "typedef struct *{[^{}]*} *[A-Za-z0-9_]+ *;"
    codes_list = "local [A-Z][A-Z0-9_]*(, *[A-Z][A-Z0-9_]*)+ = *" \
        "-?[0-9][-0-9a-fx, ]*"
}

FNR == 1 {
    finish()
    file = FILENAME
    is_lua = file ~ /\.lua$/
    text = ""
    in_comment = in_macro = in_cdef = scope_line = others = 0
}

# --- C ----------------------------------------------------------------------

!is_lua {
    line = uncommented($0)
    if (in_macro || line ~ /^ *#/) {
        in_macro = line ~ /\\$/
        next
    }
    text = text " " line
    next
}

function uncommented(line,    out, i)
{
    out = ""
    while (line != "") {
        if (in_comment) {
            i = index(line, "*/")
            if (!i)
                return out
            line = substr(line, i + 2)
            in_comment = 0
        } else {
            i = index(line, "/*")
            if (!i)
                return out line
            out = out substr(line, 1, i - 1) " "
            line = substr(line, i + 2)
            in_comment = 1
        }
    }
    return out
}

function read_c()
{
    each("LUN_EXPORT [^;{=]*\\([^;{]*", "function")
    each("enum *[A-Za-z0-9_]* *{[^{}]*}", "enum")
    each("struct *[A-Za-z0-9_]* *{[^{}]*} *[A-Za-z0-9_]* *;", "struct")
}

function each(pattern, kind,    rest, found)
{
    rest = text
    while (match(rest, pattern)) {
        found = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (kind == "function")
            note_function(substr(found, 12))
        else if (kind == "enum")
            note_enum(found)
        else
            note_struct(found)
    }
}

function note_function(decl,    name)
{
    name = function_name(decl)
    if (name !~ /^lun_ffi_/)
        return
    if (name in shape && shape[name] != function_shape(decl))
        print file ":1: " name " is declared twice, and differs [cdef]"
    shape[name] = function_shape(decl)
    shape_file[name] = file
}

function note_enum(decl,    body, items, n, i, name, value, at)
{
    body = decl
    sub(/^[^{]*{/, "", body)
    sub(/}$/, "", body)
    n = split(body, items, ",")
    value = -1
    for (i = 1; i <= n; i++) {
        name = trimmed(items[i])
        if (name == "")
            continue
        at = index(name, "=")
        if (at) {
            value = evaluated(substr(name, at + 1))
            name = trimmed(substr(name, 1, at - 1))
        } else if (value != "?") {
            value++
        }
        code[file, name] = value
    }
}

# A number, a name, or one operator between two of them.
function evaluated(text,    at, a, b, op)
{
    text = trimmed(text)
    while (text ~ /^\(.*\)$/)
        text = trimmed(substr(text, 2, length(text) - 2))
    if (text ~ /^-?[0-9]+$/)
        return text + 0
    if (text ~ /^0x[0-9a-fA-F]+$/)
        return hex(substr(text, 3))
    if ((file, text) in code)
        return code[file, text]
    if (!match(text, /<<|[*+|-]/) || RSTART == 1)
        return "?"
    op = substr(text, RSTART, RLENGTH)
    at = RSTART + RLENGTH
    a = evaluated(substr(text, 1, RSTART - 1))
    b = evaluated(substr(text, at))
    if (a == "?" || b == "?")
        return "?"
    if (op == "<<")
        return a * 2 ^ b
    return op == "*" ? a * b : op == "-" ? a - b : a + b
}

function hex(text,    i, n)
{
    n = 0
    text = tolower(text)
    for (i = 1; i <= length(text); i++)
        n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
    return n
}

function note_struct(decl,    name)
{
    name = struct_name(decl)
    if (name != "")
        fields[name] = field_list(decl)
}

# --- shapes ------------------------------------------------------------------

function trimmed(text)
{
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    return text
}

function function_name(decl,    name)
{
    name = decl
    sub(/\(.*/, "", name)
    name = trimmed(name)
    sub(/.*[ *]/, "", name)
    return name
}

# "int(const char *,size_t)"
function function_shape(decl,    head, args, list, n, i, out)
{
    head = decl
    sub(/\(.*/, "", head)
    args = substr(decl, length(head) + 2)
    sub(/\)[^)]*$/, "", args)
    out = type_of(head) "("
    n = split(args, list, ",")
    for (i = 1; i <= n; i++)
        if (trimmed(list[i]) != "void")
            out = out (i > 1 ? "," : "") type_of(list[i])
    return out ")"
}

# Of "const char *name": without the name, in one spelling.
function type_of(decl,    words, n, i, nouns, out)
{
    sub(/extern /, "", decl)
    gsub(/\*/, " * ", decl)
    n = split(trimmed(decl), words, " ")
    nouns = 0
    for (i = 1; i <= n; i++)
        if (words[i] != "*" && words[i] !~ /^(const|struct|unsigned)$/)
            nouns++
    if (nouns > 1 || (nouns == 1 && n > 1 && words[1] == "unsigned" \
        && words[n] !~ /^(char|int|long|short|\*)$/))
        n--
    out = ""
    for (i = 1; i <= n; i++)
        if (words[i] != "struct")
            out = out (words[i] == "*" && out ~ /\*$/ ? "" : out == "" ? "" \
                : " ") words[i]
    gsub(/uint8_t/, "unsigned char", out)
    gsub(/lun_msec/, "uint64_t", out)
    return out
}

function struct_name(decl,    name)
{
    name = decl
    sub(/ *;$/, "", name)
    sub(/.*}/, "", name)
    name = trimmed(name)
    if (name == "") {
        name = decl
        sub(/{.*/, "", name)
        sub(/struct/, "", name)
        name = trimmed(name)
    }
    return name
}

# "int32_t type;char * data;"
function field_list(decl,    body, list, n, i, k, m, parts, type, name, out)
{
    body = decl
    sub(/^[^{]*{/, "", body)
    sub(/}[^}]*$/, "", body)
    n = split(body, list, ";")
    out = ""
    for (i = 1; i <= n; i++) {
        if (trimmed(list[i]) == "")
            continue
        m = split(list[i], parts, ",")
        type = type_of(parts[1])
        for (k = 1; k <= m; k++) {
            name = trimmed(parts[k])
            sub(/.*[ *]/, "", name)
            out = out type " " name ";"
        }
    }
    return out
}

# Whether Lua's shape will do for C's.
function agrees(lua, c,    a, b, n, i)
{
    if (lua == c)
        return 1
    n = split(lua, a, /[(),;]/)
    if (split(c, b, /[(),;]/) != n)
        return 0
    for (i = 1; i <= n; i++)
        if (a[i] != b[i] && !is_opaque(a[i], b[i]))
            return 0
    return 1
}

# "void * name" for "lun_request * name"; either may have no name.
function is_opaque(lua, c,    name)
{
    name = lua
    if (!sub(/^(const )?void \*/, "", name) || name ~ /^\*/)
        return 0
    return c ~ opaque && (name == "" || ends(c, name))
}

function ends(text, tail)
{
    return length(text) >= length(tail) \
        && substr(text, length(text) - length(tail) + 1) == tail
}

# --- Lua ---------------------------------------------------------------------

is_lua && /(ffi|base)\.cdef *\[\[/ {
    in_cdef = 1; cdef = ""; cdef_line = FNR; next
}
is_lua && in_cdef && /^\]\]/ { in_cdef = 0; read_cdef(cdef); next }
/lun_ffi_[a-z0-9_]+\(/ && file ~ /^t\// { in_tests[$0] = 1 }
is_lua && in_cdef { cdef = cdef " " $0; next }

!is_lua || file !~ /^lua\/(resty|ngx)/ { next }

/-- Not C's: / { others = 1 }

/^ *-- As in [^ ]+\.[ch]:/ {
    end_scope()
    scope_line = FNR
    scope = ""
    as_in = $0
    next
}

/^ *$/ { end_scope(); others = 0 }

scope_line { scope = scope " " without_comment($0) }

!scope_line && /^local [A-Z][A-Z0-9_]*, .* = -?[0-9]/ && !others \
    && /= -?(0x)?[0-9a-f]+(, -?(0x)?[0-9a-f]+)+ *(--.*)?$/ {
    print file ":" FNR ": whose codes are these? [codes]"
}

!others && /(^ *|{ *)\[-?(0x)?[0-9a-fA-F]+\] = / {
    print file ":" FNR ": a code without its name [codes]"
}

function without_comment(line)
{
    sub(/--.*/, "", line)
    return line
}

function read_cdef(text,    rest, decls, n, i, decl, name)
{
    for (rest = text; match(rest, lua_struct); ) {
        decl = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
        name = struct_name(decl)
        if (name in fields && !agrees(field_list(decl), fields[name]))
            breach(cdef_line, name " differs: C has {" fields[name] "}", "cdef")
    }
    n = split(rest, decls, ";")
    for (i = 1; i <= n; i++) {
        decl = trimmed(decls[i])
        if (decl == "" || decl !~ /\(/)
            continue
        name = function_name(decl)
        if (name !~ /^lun_/)
            continue
        declared[name] = 1
        if (!(name in shape))
            breach(cdef_line, name "() is no LUN_EXPORT of C", "cdef")
        else if (!agrees(function_shape(decl), shape[name]))
            breach(cdef_line, name "() differs: C has " shape[name], "cdef")
    }
}

# "-- As in FILE: C_... for LUA_...", and what has stood under it.
function end_scope(    words, n, c_file, c_prefix, lua_prefix)
{
    if (!scope_line)
        return
    n = split(trimmed(as_in), words, " ")
    c_file = words[4]
    sub(/:$/, "", c_file)
    c_prefix = n >= 5 ? words[5] : ""
    lua_prefix = n >= 7 ? words[7] : ""
    sub(/\.\.\.\.?$/, "", c_prefix)
    sub(/\.\.\.\.?$/, "", lua_prefix)
    check_lists(c_file, c_prefix, lua_prefix)
    check_pairs(c_file, c_prefix, lua_prefix)
    scope_line = 0
}

# local A, B = 0, 1
# local A, B = 0, 1
function check_lists(c_file, c_prefix, lua_prefix,    rest, list, at, names, \
    values, n, i)
{
    rest = scope
    while (match(rest, codes_list)) {
        list = substr(rest, RSTART + 6, RLENGTH - 6)
        rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
        at = index(list, "=")
        n = split(substr(list, 1, at - 1), names, ",")
        if (split(substr(list, at + 1), values, ",") != n)
            breach(scope_line, "more names than numbers", "codes")
        for (i = 1; i <= n; i++)
            check_name(c_file, c_prefix, lua_prefix, trimmed(names[i]), \
                trimmed(values[i]))
    }
    scope = rest
}

# A = 0, in a table or not
function check_pairs(c_file, c_prefix, lua_prefix,    rest, pair, name, value)
{
    rest = scope
    while (match(rest, /[A-Za-z_][A-Za-z0-9_]* = -?(0x)?[0-9a-fA-F]+/)) {
        pair = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        name = value = pair
        sub(/ = .*/, "", name)
        sub(/.* = /, "", value)
        check_name(c_file, c_prefix, lua_prefix, name, value)
    }
}

function check_name(c_file, c_prefix, lua_prefix, name, value)
{
    if (lua_prefix != "" && index(name, lua_prefix) != 1)
        breach(scope_line, name " does not begin with " lua_prefix, "codes")
    check_code(c_file, c_prefix, substr(name, length(lua_prefix) + 1), value)
}

function check_code(c_file, prefix, name, value,    c_name)
{
    c_name = prefix toupper(name)
    if (!((c_file, c_name) in code) && (c_file, c_name "_") in code)
        c_name = c_name "_"        # EOF is C's own
    checked++
    if (!((c_file, c_name) in code))
        breach(scope_line, c_file " has no " c_name, "codes")
    else if (code[c_file, c_name] != (value ~ /^0x/ ? hex(substr(value, 3)) \
        : value + 0))
        breach(scope_line, name " is " value ", but " c_name " is " \
            code[c_file, c_name], "codes")
}

function breach(line, text, kind)
{
    print file ":" line ": " text " [" kind "]"
}

function in_test(name,    line)
{
    for (line in in_tests)
        if (index(line, name "("))
            return 1
    return 0
}

# --- ends --------------------------------------------------------------------

function finish()
{
    if (file == "")
        return
    if (is_lua)
        end_scope()
    else
        read_c()
}

END {
    finish()
    for (name in shape)
        if (!(name in declared) && !in_test(name))
            print shape_file[name] ":1: no Lua declares " name "() [cdef]"
    if (checked < 1)
        print "t/style/border.awk:1: has found no codes [codes]"
}
