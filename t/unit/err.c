/*
 * err.c -- kinds and texts of errors, the same on both systems.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/err.h"

#include "os/file.h"
#include "tap.h"


static const struct {
    lun_err_kind   kind;
    const char    *text;
    const char    *sock;
} cases[] = {
    { LUN_ERR_NOT_FOUND, "No such file or directory", NULL },
    { LUN_ERR_NOT_DIR, "Not a directory", NULL },
    { LUN_ERR_EXISTS, "File exists", NULL },
    { LUN_ERR_ACCESS, "Permission denied", "permission denied" },
    { LUN_ERR_LINK, "Too many levels of symbolic links", NULL },
    { LUN_ERR_NO_SPACE, "No space left on device", NULL },
    { LUN_ERR_TOO_MANY_FILES, "Too many open files", NULL },
    { LUN_ERR_ADDR_IN_USE, "Address already in use", NULL },
    { LUN_ERR_ADDR_NOT_AVAILABLE, "Cannot assign requested address", NULL },
    { LUN_ERR_REFUSED, "Connection refused", "connection refused" },
    { LUN_ERR_RESET, "Connection reset by peer", "connection reset by peer" },
    { LUN_ERR_TIMEOUT, "Connection timed out", "timeout" }
};


static void
a_kind_and_its_number_belong_together(void)
{
    lun_err_kind  kind;

    is_int(lun_err_of_kind(LUN_ERR_NONE), 0, "no error is 0");
    is_int(lun_err_kind_of(0), LUN_ERR_NONE, "0 is no error");

    for (kind = LUN_ERR_NONE; kind <= LUN_ERR_NOT_SUPPORTED; kind++) {
        is_int(lun_err_kind_of(lun_err_of_kind(kind)), kind,
               "kind %d comes back", kind);
    }

    is_int(lun_err_kind_of(987654), LUN_ERR_OTHER, "an unknown number");
}


static void
texts_are_those_people_look_for(void)
{
    char     room[128], text[128];
    size_t   i;
    lun_err  err;
    lun_str  s;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        err = lun_err_of_kind(cases[i].kind);
        s = lun_err_text(err, room, sizeof(room));
        snprintf(text, sizeof(text), "%.*s", LUN_S(s));
        is_str(text, cases[i].text, "text of kind %d", cases[i].kind);

        if (cases[i].sock) {
            is_str(lun_err_sock_text(err), cases[i].sock,
                   "a socket's text of kind %d", cases[i].kind);
        }
    }

    s = lun_err_text(987654, room, sizeof(room));
    ok(s.len > 0, "an unknown number has a text");
}


static void
the_system_s_numbers_are_known(void)
{
    lun_fd  fd;

    is_int(lun_err_kind_of(lun_file_open("no/such/file", LUN_FILE_READ, 0,
                                         &fd)),
           LUN_ERR_NOT_FOUND, "a file that is not there");
}


int
main(void)
{
    a_kind_and_its_number_belong_together();
    texts_are_those_people_look_for();
    the_system_s_numbers_are_known();

    return done_testing();
}
