# exports.awk -- a linker's list out of `exports`: -v target=list (Linux: what is
# shown), map (Linux: which of these have a version), or def (Windows; what is
# not OpenSSL's carries dllexport already).
#
# SPDX-License-Identifier: BSD-2-Clause

BEGIN {
    head["list"] = "{"
    head["map"] = "LUNETTE_OPENSSL {"
    head["def"] = "EXPORTS"
    print head[target]
}

/^#/ || NF == 0 {
    next
}

/^\[[a-z]+\]$/ {
    part = $1
    next
}

target == "def" && part == "[windows]" {
    print "    " $1
}

(target == "list" && part != "[windows]") ||
(target == "map" && part == "[linux]") {
    print "    " $1 ";"
}

END {
    if (target != "def") {
        print "};"
    }
}
