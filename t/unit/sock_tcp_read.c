/*
 * sock_tcp_read.c -- how a socket's buffer grows with what is wanted.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* tap.h has a skip of its own. */
#define skip  skip_input
#include "../../modules/lua/sock/sock_tcp_read.c"
#undef skip

#include "tap.h"


static lun_conn  conn;

/* A buffer of `room` bytes of which `read` have been read, `have` are here. */
static void
buffer(size_t room, size_t read, size_t have)
{
    lun_conn_grow(&conn, room);
    memset(conn.in.start, 'x', room);
    conn.in.pos = conn.in.start + read;
    conn.in.last = conn.in.pos + have;
}


/* The room after asking for more of that. */
static int64_t
room_for(lun_cosock_want want, size_t size)
{
    lun_cosock  s = { .conn = &conn, .want = want, .size = size };

    make_room(&s);
    return conn.in.end - conn.in.start;
}


static void
known_sizes(void)
{
    const char  *was;

    buffer(4096, 0, 0);
    is_int(room_for(LUN_COSOCK_SIZE, 4097), 4097, "room for all of a size");

    buffer(4096, 0, 100);
    is_int(room_for(LUN_COSOCK_SIZE, 50000), 50000, "at once");
    is_int(conn.in.last - conn.in.pos, 100, "what was here stays");

    buffer(4096, 0, 100);
    is_int(room_for(LUN_COSOCK_SIZE, 1 << 20), GROW_LEAST,
           "but a large one has to come first");

    buffer(GROW_LEAST, 0, 100);
    is_int(room_for(LUN_COSOCK_SIZE, 1 << 20), 2 * GROW_LEAST,
           "and doubles the room each time");

    buffer(4096, 0, 100);
    was = conn.in.start;
    is_int(room_for(LUN_COSOCK_SIZE, 4096), 4096, "one that has room");
    ok(conn.in.start == was, "moves nothing");
}


static void
unknown_sizes(void)
{
    lun_cosock_want  want;
    const char      *was;

    for (want = LUN_COSOCK_LINE; want <= LUN_COSOCK_UNTIL; want++) {
        if (want == LUN_COSOCK_SIZE) {
            continue;
        }

        /* A limit is no size: nobody says that so much will come. */
        buffer(4096, 0, 4095);
        was = conn.in.start;
        is_int(room_for(want, 100000), 4096, "a byte is free");
        ok(conn.in.start == was, "that is enough");

        buffer(4096, 0, 4096);
        is_int(room_for(want, 100000), 8192, "a full buffer doubles");

        buffer(4096, 2047, 2049);
        is_int(room_for(want, 100000), 8192, "also if the half was read");

        buffer(4096, 2048, 2048);
        is_int(room_for(want, 100000), 4096, "less of it");
        ok(conn.in.pos == conn.in.start, "is moved to the front");
    }
}


static void
nothing_here(void)
{
    buffer(4096, 4096, 0);
    is_int(room_for(LUN_COSOCK_LINE, 0), 4096, "all of it was read");
    ok(conn.in.pos == conn.in.start, "from the front again");
}


int
main(void)
{
    known_sizes();
    unknown_sizes();
    nothing_here();

    lun_free(conn.in.start);
    return done_testing();
}
