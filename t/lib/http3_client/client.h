/*
 * client.h -- what the rooms of the client share: words.c (the command line),
 * http.c (requests and answers), quic.c (packets), main.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP3_CLIENT_H
#define LUN_HTTP3_CLIENT_H

#include <nghttp3/nghttp3.h>
#include <ngtcp2/ngtcp2.h>

#include "base/str.h"
#include "format/addr.h"

enum {
    MOST      = 64,                /* headers */
    EXCHANGES = 1024,
    TIMED_OUT = 28,                /* curl's codes */
    FAILED    = 56
};

typedef struct {
    int64_t   id;
    lun_str   path;
    char     *head;                /* what is printed before the body */
    size_t    head_len;
    char     *body;
    size_t    len;
    size_t    room;
    char     *trailers;
    size_t    trailers_len;
    bool      ended;               /* whole */
    bool      sent;                /* its body */
    bool      closed;
    uint64_t  code;                /* why it is closed */
} exchange;

typedef struct {
    const char  *method;
    lun_str      headers[MOST];
    size_t       header_count;
    lun_str      trailer;
    char        *body;             /* NULL: none */
    size_t       body_len;
    unsigned     repeat, pause;
    bool         parallel, show_trailers, show_end, no_body, slow, rebind;
    bool         cancel, hold, early;
    const char  *websocket, *connect;
    const char  *alpn, *sni, *cert, *key;
    double       max_time;
    lun_str      host;             /* of the URLs: address and port */
    lun_addr     peer;             /* the same */
} options;

extern options   opt;
extern exchange  exchanges[EXCHANGES];
extern size_t    exchange_count;

/* NULL: no request of ours. */
exchange *find_exchange(int64_t id);

/* Says why, and ends the program. */
void quit(int status, const char *why) __attribute__((noreturn));

/* --- words.c --- */

void read_words(int argc, char **argv);

/* --- http.c --- */

/* HTTP/0.9, which has no frames. */
bool is_plain(void);

/* Streams may be opened. */
void begin_http(void);

void submit(exchange *x);

/* For quic.c.  false: the connection makes no sense any more. */
bool http_data(int64_t id, const uint8_t *bytes, size_t n, bool fin);
void http_acked(int64_t id, uint64_t n);
void http_closed(int64_t id, uint64_t code);
void http_reset(int64_t id);
void http_stopped(int64_t id);
void http_may_send(int64_t id);
void http_blocked(int64_t id);

/* What is to go out next: of which stream; -1: of none. */
nghttp3_ssize http_next(int64_t *id, int *fin, nghttp3_vec *vec, size_t most);
void http_went(int64_t id, size_t n);

/* --- quic.c --- */

extern bool  over;                 /* the connection is */

/* Shakes hands, unless requests are to come with that (--early). */
void begin_quic(void);

/* Sends, and waits until something comes, or is due, or `end` has come (ns of
   lun_quic_now()). */
void turn(uint64_t end);

/* Tries to open a stream for it. */
bool open_stream(exchange *x);
int64_t open_uni(void);
void give_room(int64_t id, size_t n);
void cancel_stream(int64_t id, uint64_t code);
void stop_reading(int64_t id, uint64_t code);
void stop_writing(int64_t id, uint64_t code);

void say_goodbye(void);
/* How the server ended the connection. */
void print_end(void);

#endif
