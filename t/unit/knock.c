/*
 * knock.c -- a knock is heard by who listens, and by nobody else.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/knock.h"

#include "os/time.h"
#include "tap.h"


static int  heard;


static void
on_knock(void)
{
    heard++;
}


/* At most a second: on Windows a thread of the system's is between. */
static int
count_heard(lun_port *port)
{
    int  i;

    heard = 0;

    for (i = 0; i < 100 && heard == 0; i++) {
        lun_port_wait(port, 10, NULL);
    }

    return heard;
}


int
main(void)
{
    lun_err    err;
    lun_port  *port;

    lun_sock_init();
    port = lun_port_new(&err);

    lun_knock();
    ok(true, "nobody listens: nothing happens");
    ok(lun_knock_open(port, on_knock) == 0, "somebody listens");
    ok(lun_knock_open(port, on_knock) == 0, "and again, which is harmless");
    lun_knock();
    ok(count_heard(port) >= 1, "a knock is heard");
    lun_knock();
    lun_knock();
    ok(count_heard(port) >= 1, "two are, as one or two");
    lun_knock();
    ok(count_heard(port) >= 1, "and one after them");

    lun_knock_close();
    lun_knock();
    heard = 0;
    lun_port_wait(port, 20, NULL);
    is_int(heard, 0, "nobody listens any more");
    lun_port_free(port);

    return done_testing();
}
