# stream.awk -- the functions of capi's headers once more, by the names that
# lua-resty-core has for them in stream contexts: written into one C file.
#
# SPDX-License-Identifier: BSD-2-Clause

BEGIN {
    print "/* Written by modules/lua/capi/stream.awk; not to be edited. */"

    # What only HTTP has, and what looks different there.
    http = "^(req_[gs]et|req_is|set_resp|get_resp_header|headers_sent|ndk_" \
           "|is_subrequest|bypass|get_setby|.*body_filter|pipe_|.*http_time" \
           "|cookie_time|balancer_(set_timeouts|enable|recreate|set_upstream)" \
           "|str_replace|.*session|.*ocsp|get_resp_status)"
}

FNR == 1 {
    file = FILENAME
    sub(/^\.\//, "", file)
    printf "#include \"%s\"\n", file
}

/^LUN_EXPORT .*/ {
    reading = 1
    text = ""
}

reading {
    text = text " " $0

    if (/;/) {
        reading = 0
        add(text)
    }
}

# "LUN_EXPORT int ngx_http_lua_ffi_NAME(void *r, size_t len);"
function add(text,    name, type, params, args, list, i, n) {
    if (!match(text, /ngx_http_lua_ffi_[a-z0-9_]+/)) {
        return
    }

    name = substr(text, RSTART + 17, RLENGTH - 17)

    if (name ~ http || text ~ /\.\.\./) {
        return
    }

    type = substr(text, 1, RSTART - 1)
    params = substr(text, RSTART + RLENGTH)
    sub(/;.*/, "", params)
    sub(/^ *LUN_EXPORT/, "", type)
    n = split(substr(params, 2, length(params) - 2), list, ",")

    for (i = 1; i <= n; i++) {
        match(list[i], /[A-Za-z0-9_]+ *$/)
        args = args (i > 1 ? ", " : "") \
               (list[i] == "void" ? "" : substr(list[i], RSTART))
    }

    done[++count] = "LUN_EXPORT" type "ngx_stream_lua_ffi_" name params ";\n" \
        type "ngx_stream_lua_ffi_" name params "\n{ " \
        (type ~ /^ *void *$/ ? "" : "return ") \
        "ngx_http_lua_ffi_" name "(" args "); }"
}

END {
    for (i = 1; i <= count; i++) {
        print done[i]
    }
}
