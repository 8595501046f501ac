/*
 * win_listener.c -- nobody else gets at a listener: neither by binding over
 * it nor by being started.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/sock.c"

#include "tap.h"


/* What a thief would do: without exclusive use, Windows lets him. */
static lun_err
bind_over(const lun_addr *addr)
{
    int           len, on = 1;
    SOCKET        s;
    lun_err       err;
    lun_sockaddr  sa;

    s = lun_sock_new(AF_INET, SOCK_STREAM, IPPROTO_TCP);
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, (const char *) &on, sizeof(on));
    len = lun_sock_encode(&sa, addr);
    err = bind(s, (struct sockaddr *) &sa, len) == 0 ? 0 : last();
    closesocket(s);
    return err;
}


int
main(void)
{
    int          on = 0, len = sizeof(on);
    DWORD        flags = HANDLE_FLAG_INHERIT;
    lun_fd       fd;
    lun_addr     addr;
    const char  *failed;

    const lun_listen_options  plain = { .backlog = 16, .fastopen = -1 };

    lun_sock_init();
    lun_addr_parse(LUN_STR("127.0.0.1"), &addr);
    is_int(lun_sock_listen(&addr, &plain, &fd, &failed), 0, "a listener");
    lun_sock_local(fd, &addr);

    getsockopt((SOCKET) fd, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (char *) &on,
               &len);
    is_int(on, 1, "is for exclusive use");
    ok(bind_over(&addr) != 0, "nobody binds over it");
    ok(GetHandleInformation((HANDLE) fd, &flags)
       && (flags & HANDLE_FLAG_INHERIT) == 0, "no child inherits it");

    lun_sock_close(fd);
    return done_testing();
}
