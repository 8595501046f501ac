# exports.awk -- a linker's list out of `exports`: -v target=linux (a dynamic
# list), or windows (a .def; what is not OpenSSL's carries dllexport already).
#
# SPDX-License-Identifier: BSD-2-Clause

BEGIN {
    print target == "windows" ? "EXPORTS" : "{"
}

/^#/ || NF == 0 {
    next
}

/^\[/ {
    part = $1
    next
}

target == "windows" && part == "[windows]" {
    print "    " $1
}

target == "linux" && part == "" {
    print "    " $1 ";"
}

END {
    if (target == "linux") {
        print "};"
    }
}
