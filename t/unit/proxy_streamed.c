/*
 * proxy_streamed.c -- what is sent to a server while it comes, and a tunnel:
 * either side is slower than the other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/proxy/proxy.c"

#define LUN_TEST_MODULES  &lun_http_proxy.head,
#include "memory_http.h"

#define ANSWER  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


static void
end_all(wire *client)
{
    if (!wire_gone(client)) {
        wire_end(client);
    }

    wire_wait(600000);
    is_int((int64_t) lun_conn_count(lp), 0, "all connections are gone");
}


/* A 101 whose header the client does not take: no server is too slow. */
static void
a_tunnel_that_waits_for_the_client(void)
{
    wire  *c = http_client(0), *s;

    c->room = 0;
    wire_say(c, "GET /tunnel HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n"
             "Connection: upgrade\r\n\r\n");
    s = wire_latest(true);
    wire_say(s, "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\n"
             "Upgrade: x\r\n\r\n");
    wire_wait(6000);
    ok(!wire_gone(c) && !wire_gone(s), "read_timeout is not the client's");
    c->room = SIZE_MAX;
    wire_run();
    ok(http_says(wire_heard(c), "HTTP/1.1 101 "), "the header comes");
    wire_say(s, "down");
    is_str(wire_heard(c), "down", "and what follows");
    end_all(c);
}


/* A body comes while the server has not even taken the request's head. */
static void
a_body_behind_a_head_on_its_way(void)
{
    wire  *c = http_client(0), *s;

    wire_room = 0;
    wire_say(c, "POST /streamed HTTP/1.1\r\nHost: a\r\n"
             "Content-Length: 10\r\n\r\n");
    s = wire_latest(true);
    wire_room = SIZE_MAX;
    wire_say(c, "01234");
    is_str(wire_heard(s), "", "the server has taken nothing");
    s->room = SIZE_MAX;
    wire_run();
    ok(strstr(wire_heard(s), "\r\n\r\n01234") != NULL, "then all there is");
    wire_say(c, "56789");
    is_str(wire_heard(s), "56789", "and the rest");
    wire_say(s, ANSWER);
    ok(http_says(wire_heard(c), "HTTP/1.1 200 "), "it is answered");
    end_all(c);
}


/* For the sanitizer: nothing is touched that went with the request. */
static void
a_body_that_is_none(void)
{
    wire  *c = http_client(0);

    wire_say(c, "POST /streamed HTTP/1.1\r\nHost: a\r\n"
             "Transfer-Encoding: chunked\r\n\r\nzz\r\n");
    ok(http_says(wire_heard(c), "HTTP/1.1 400 "), "a chunk that is none");
    end_all(c);
}


/* X-Accel-Limit-Rate: as fast as a number can say is no limit at all. */
static void
a_rate_beyond_all(void)
{
    wire  *c = http_client(0), *s;

    wire_say(c, "GET /streamed HTTP/1.1\r\nHost: a\r\n\r\n");
    s = wire_latest(true);
    wire_wait(1000);
    wire_say(s, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
             "X-Accel-Limit-Rate: 9223372036854775807\r\n\r\nhello");
    ok(http_says(wire_heard(c), "hello"), "a rate beyond all holds nothing");
    end_all(c);
}


int
main(void)
{
    char  cwd[512], folder[600];

    LUN_CHECK(lun_dir_current(cwd, sizeof(cwd)) == 0);
    snprintf(folder, sizeof(folder), "%s/build/proxy_streamed.test/", cwd);
    http_begin(folder,
               "proxy_read_timeout 5s;\n"
               "upstream one { server 127.0.0.1:1 max_fails=0; }\n"
               "server { listen 127.0.0.1:1;\n"
               "  location /streamed { proxy_pass http://one;\n"
               "                       proxy_request_buffering off; }\n"
               "  location /tunnel { proxy_pass http://one;\n"
               "                     proxy_set_header Upgrade x;\n"
               "                     proxy_set_header Connection upgrade; }\n"
               "}\n");

    a_tunnel_that_waits_for_the_client();
    a_body_behind_a_head_on_its_way();
    a_body_that_is_none();
    a_rate_beyond_all();

    http_end();
    return done_testing();
}
