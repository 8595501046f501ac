/*
 * upreq_stage.h -- the stages of an upstream request, in the order that it
 * goes through them.  Another server is another time from CHOOSE on.
 *
 * A stage is a row of a table (upreq_stage.c): its name and its entry.  What
 * the events of its connection mean is said by the lun_conn_state that the
 * entry enters; sending goes on beside HEADER and BODY, when a server answers
 * before it has all of the request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_STAGE_H
#define LUN_HTTP_UPREQ_STAGE_H

typedef enum {
    LUN_UPREQ_NEW,                 /* the request's body is read */
    LUN_UPREQ_LOOK_UP,             /* upreq_hooks.h: a cache is asked */
    LUN_UPREQ_RESOLVE,             /* which servers are there? */
    LUN_UPREQ_CHOOSE,              /* one of them */
    LUN_UPREQ_CONNECT,
    LUN_UPREQ_HANDSHAKE,           /* TLS */
    LUN_UPREQ_SEND,                /* the request */
    LUN_UPREQ_HEADER,              /* of the answer: some of it, or all of the
                                      request is out */
    LUN_UPREQ_JUDGE,               /* is it good enough?  It becomes ours. */
    LUN_UPREQ_BODY,
    LUN_UPREQ_TUNNEL,              /* 101 */
    LUN_UPREQ_END,                 /* it holds nothing any more */
    LUN_UPREQ_STAGES
} lun_upreq_stage;

#endif
