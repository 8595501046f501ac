/*
 * headers.h -- header lines, in and out, and the ones that the core knows.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_HEADERS_H
#define LUN_HTTP_HEADERS_H

#include "base/array.h"

typedef struct lun_header  lun_header;
struct lun_header {
    lun_str      name;
    lun_str      value;
    uint32_t     hash;             /* of the lower-case name; 0: removed */
    int16_t      known;            /* lun_hin / lun_hout, or -1 */
    lun_header  *same;             /* the next one of this name, or NULL */
};

/* X(enumerator, "name", repeats: later ones are linked, not refused) */
#define LUN_HEADERS_IN(X)                                                     \
    X(HOST, "host", 0)                                                        \
    X(CONNECTION, "connection", 1)                                            \
    X(IF_MODIFIED_SINCE, "if-modified-since", 0)                              \
    X(IF_UNMODIFIED_SINCE, "if-unmodified-since", 0)                          \
    X(IF_MATCH, "if-match", 0)                                                \
    X(IF_NONE_MATCH, "if-none-match", 0)                                      \
    X(USER_AGENT, "user-agent", 1)                                            \
    X(REFERER, "referer", 1)                                                  \
    X(CONTENT_LENGTH, "content-length", 0)                                    \
    X(CONTENT_RANGE, "content-range", 0)                                      \
    X(CONTENT_TYPE, "content-type", 1)                                        \
    X(RANGE, "range", 1)                                                      \
    X(IF_RANGE, "if-range", 0)                                                \
    X(TRANSFER_ENCODING, "transfer-encoding", 0)                              \
    X(TE, "te", 1)                                                            \
    X(EXPECT, "expect", 0)                                                    \
    X(UPGRADE, "upgrade", 1)                                                  \
    X(ACCEPT_ENCODING, "accept-encoding", 1)                                  \
    X(VIA, "via", 1)                                                          \
    X(AUTHORIZATION, "authorization", 0)                                      \
    X(PROXY_AUTHORIZATION, "proxy-authorization", 0)                          \
    X(KEEP_ALIVE, "keep-alive", 1)                                            \
    X(X_FORWARDED_FOR, "x-forwarded-for", 1)                                  \
    X(X_REAL_IP, "x-real-ip", 1)                                              \
    X(ACCEPT, "accept", 1)                                                    \
    X(ACCEPT_LANGUAGE, "accept-language", 1)                                  \
    X(COOKIE, "cookie", 1)                                                    \
    X(DATE, "date", 1)                                                        \
    X(DEPTH, "depth", 1)                                                      \
    X(DESTINATION, "destination", 1)                                          \
    X(OVERWRITE, "overwrite", 1)

#define LUN_HEADERS_OUT(X)                                                    \
    X(SERVER, "server", 0)                                                    \
    X(DATE, "date", 0)                                                        \
    X(CONTENT_TYPE, "content-type", 0)                                        \
    X(CONTENT_LENGTH, "content-length", 0)                                    \
    X(CONTENT_ENCODING, "content-encoding", 0)                                \
    X(LOCATION, "location", 0)                                                \
    X(REFRESH, "refresh", 0)                                                  \
    X(LAST_MODIFIED, "last-modified", 0)                                      \
    X(CONTENT_RANGE, "content-range", 0)                                      \
    X(ACCEPT_RANGES, "accept-ranges", 0)                                      \
    X(WWW_AUTHENTICATE, "www-authenticate", 1)                                \
    X(EXPIRES, "expires", 0)                                                  \
    X(ETAG, "etag", 0)                                                        \
    X(CACHE_CONTROL, "cache-control", 1)                                      \
    X(LINK, "link", 1)                                                        \
    X(CONNECTION, "connection", 0)                                            \
    X(TRANSFER_ENCODING, "transfer-encoding", 0)                              \
    X(VARY, "vary", 1)                                                        \
    X(SET_COOKIE, "set-cookie", 1)

#define LUN_HEADER_ENUM_IN(e, name, repeats)   LUN_HIN_##e,
#define LUN_HEADER_ENUM_OUT(e, name, repeats)  LUN_HOUT_##e,
typedef enum { LUN_HEADERS_IN(LUN_HEADER_ENUM_IN) LUN_HIN_COUNT } lun_hin;
typedef enum { LUN_HEADERS_OUT(LUN_HEADER_ENUM_OUT) LUN_HOUT_COUNT } lun_hout;

/*
 * A list of headers in the order they came, in blocks that never move, so
 * that lun_header pointers stay valid.
 */
typedef struct lun_header_block  lun_header_block;
struct lun_header_block {
    lun_header_block  *next;
    unsigned           count;
    unsigned           room;
    lun_header         items[];
};

typedef struct {
    lun_header_block  *first;
    lun_header_block  *last;
    lun_pool          *pool;
    unsigned           count;      /* removed ones included */
} lun_header_list;

void lun_header_list_init(lun_header_list *l, lun_pool *pool, unsigned room);

/* Takes all items out; their memory is used again. */
void lun_header_list_clear(lun_header_list *l);

/* A new last item: name, value are views. hash and known are for the caller. */
lun_header *lun_header_list_push(lun_header_list *l);
/* The same, a copy of h. */
void lun_header_list_add(lun_header_list *l, const lun_header *h);

#define lun_header_each(list, h)                                              \
    for (lun_header_block *h##_b = (list)->first; h##_b != NULL;              \
         h##_b = h##_b->next)                                                 \
        for (lun_header *h = h##_b->items;                                    \
             h < h##_b->items + h##_b->count; h++)                            \
            if (h->hash == 0) { } else

uint32_t lun_header_hash(lun_str name);        /* caseless, never 0 */
/* -1 when it is not among the known ones. */
int lun_header_known_in(lun_str name, uint32_t hash);
int lun_header_known_out(lun_str name, uint32_t hash);
/* In lower case, of a known one. */
lun_str lun_header_out_name(int known);
bool lun_header_in_repeats(int known);
bool lun_header_out_repeats(int known);

/*
 * Names by hash: a bit says that one with it may be among those of a set, and
 * none that it is not.
 */
static inline uint64_t
lun_header_bit(uint32_t hash)
{
    return UINT64_C(1) << hash % 64;
}

/* First of that name that is not removed, any list. */
lun_header *lun_header_find(const lun_header_list *l, lun_str name);

#endif
