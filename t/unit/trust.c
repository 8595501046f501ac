/*
 * trust.c -- the file of authorities that the environment has chosen.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/posix/trust.c"

#include "tap.h"


static char    taken[64];
static size_t  count;


static void
take(void *data, lun_str certificates)
{
    size_t  n = lun_min(certificates.len, sizeof(taken) - 1);

    ok(data == &count, "what it was called with");
    count++;
    memcpy(taken, certificates.data, n);
    taken[n] = '\0';
}


int
main(void)
{
    lun_fd  fd;
    char    path[128];
    int     levels[3] = { 0 };

    is_int(lun_file_temp("/tmp", levels, false, path, sizeof(path), &fd), 0,
           "a file");
    is_int(lun_file_write(fd, "chosen", 6, 0), 0, "of authorities");
    lun_file_close(fd);

    setenv("SSL_CERT_FILE", path, 1);
    is_int(lun_trust_each(take, &count), 0, "it is read");
    is_int(count, 1, "once");
    is_str(taken, "chosen", "as it is");

    lun_file_delete(path);
    ok(lun_trust_each(take, &count) != 0, "one that is not there is an error");
    is_int(count, 1, "whatever else the system has");
    return done_testing();
}
