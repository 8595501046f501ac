# page.awk -- the page of status_page as a C text, line by line.
#
# SPDX-License-Identifier: BSD-2-Clause

BEGIN {
    print "/* Written by modules/http/status/page.awk; not to be edited. */\n"
    print "#include \"modules/http/status/page.h\"\n"
    print "const char  lun_status_page_text[] ="
}

{
    gsub(/\\/, "\\\\&")
    gsub(/"/, "\\\\&")
    print "    \"" $0 "\\n\""
}

END {
    print "    ;\n"
    print "const size_t  lun_status_page_size = sizeof(lun_status_page_text) - 1;"
}
