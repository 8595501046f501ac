/*
 * fds.c -- what this process has open, and since when.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/fds.h"

#include "base/check.h"
#include "os/sock.h"
#include "tap.h"


static size_t  found;
static char    names[2048];


static void
on_fd(void *data, lun_fd fd, const char *what)
{
    size_t  used = strlen(names);

    if (fd == *(const lun_fd *) data) {
        found++;
    }

    snprintf(names + used, sizeof(names) - used, "%s\n", what);
}


/* How often `fd` is among those that were opened since; names has all. */
static size_t
look(const lun_fds *before, lun_fd fd)
{
    found = 0;
    names[0] = '\0';
    lun_fds_since(before, on_fd, &fd);
    return found;
}


int
main(void)
{
    lun_fd   file, sock;
    lun_fds  *before, *later;

    lun_sock_init();

    /* Whatever the system opens for its first socket. */
    LUN_CHECK(lun_sock_datagram(LUN_AF_INET, &sock) == 0);
    lun_sock_close(sock);

    before = lun_fds_list();
    ok(before != NULL, "the system says what is open");
    is_int((int64_t) look(before, LUN_FD_NONE), 0, "nothing was opened");
    is_str(names, "", "and nothing is named");

    LUN_CHECK(lun_file_open("fds.test", LUN_FILE_WRITE | LUN_FILE_CREATE, 0644,
                            &file) == 0);
    is_int((int64_t) look(before, file), 1, "a file was");
    ok(strstr(names, "fds.test") != NULL, "its name is told");
    is_int((int64_t) look(before, LUN_FD_NONE), 0, "nothing else");

    LUN_CHECK(lun_sock_datagram(LUN_AF_INET, &sock) == 0);
    is_int((int64_t) look(before, sock), 1, "a socket was");
    ok(strstr(names, "socket") != NULL, "and is called so");

    later = lun_fds_list();
    is_int((int64_t) look(later, file), 0, "what was open is not told");

    lun_sock_close(sock);
    lun_file_close(file);
    (void) look(before, file);
    is_str(names, "", "what is closed is forgotten");

    lun_fds_free(before);
    lun_fds_free(later);
    (void) lun_file_delete("fds.test");
    return done_testing();
}
