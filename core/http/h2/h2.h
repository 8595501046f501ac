/*
 * h2.h -- HTTP/2 connections.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H2_H
#define LUN_HTTP_H2_H

#include "http/engine.h"

extern const lun_http_protocol  lun_h2_protocol;

/* Whether connections to that address may speak HTTP/2. */
bool lun_h2_enabled(const lun_listen_addr *listen);

/*
 * What the first bytes of a connection say: YES begins as HTTP/2 does, MAYBE
 * has not said enough.
 */
typedef enum { LUN_H2_NO, LUN_H2_MAYBE, LUN_H2_YES } lun_h2_guess;
lun_h2_guess lun_h2_guess_of(const char *data, size_t size);

/* The connection speaks it from here on; what has come is in c->in. */
void lun_h2_begin(lun_conn *c);

/* Tells the clients of a generation that is to end to go elsewhere. */
void lun_h2_quit(lun_generation *gen);
/* Whether it is one of ours, which lun_h2_quit() has told. */
bool lun_h2_is(const lun_conn *c);

#endif
