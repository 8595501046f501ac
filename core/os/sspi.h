/*
 * sspi.h -- who a client is, as the system's own security says it: Kerberos
 * and, where there is one, NTLM, inside of Negotiate (RFC 4559) or bare.
 *
 * Windows: SSPI, as the account of the server.  Linux: GSSAPI, whose library
 * is looked for when it is first needed, with the keys of a keytab.
 *
 * Each of these may take long (a keytab, a domain's controller) and may be
 * called in any thread, one at a time for one conversation.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_SSPI_H
#define LUN_OS_SSPI_H

#include "base/str.h"

typedef struct lun_sspi  lun_sspi;         /* a conversation with a client */

typedef enum {
    LUN_SSPI_DONE,                 /* it is known who that is */
    LUN_SSPI_MORE,                 /* it has to answer on the same connection */
    LUN_SSPI_REFUSED,
    LUN_SSPI_BROKEN                /* nobody can be known */
} lun_sspi_verdict;

typedef enum {
    LUN_SSPI_UNBOUND,              /* no channel is looked at */
    LUN_SSPI_MAY_BIND,             /* who names one has to name this one */
    LUN_SSPI_MUST_BIND
} lun_sspi_binding;

typedef struct {
    bool              kerberos_only;
    bool              bare_ntlm;   /* the token is NTLM's own */
    const char       *keytab;      /* Linux; NULL: the system's */
    lun_sspi_binding  binding;
    lun_str           channel;     /* RFC 5929: "tls-server-end-point:..." */
} lun_sspi_server;

/* What a step has found: valid until the next, or the end. */
typedef struct {
    lun_str      token;            /* for the client; may be empty */
    lun_str      user;             /* "alice@EXAMPLE.COM", "EXAMPLE\alice" */
    const char  *package;          /* "Kerberos", "NTLM" */
    const char  *why;              /* REFUSED, BROKEN */
} lun_sspi_answer;

/* Whether clients may be offered NTLM. */
bool lun_sspi_has_ntlm(void);

lun_sspi *lun_sspi_begin(void);
lun_sspi_verdict lun_sspi_step(lun_sspi *s, const lun_sspi_server *server,
    lun_str token, lun_sspi_answer *answer);
/* After DONE: whether the user is in a group of the system's. */
bool lun_sspi_is_member(lun_sspi *s, const char *group);
void lun_sspi_end(lun_sspi *s);

#endif
