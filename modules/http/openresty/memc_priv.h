/*
 * memc_priv.h -- what the files of the memc module share.
 *
 *     memc.c          commands, directives
 *     memc_answer.c   what a server says
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MEMC_PRIV_H
#define LUN_MEMC_PRIV_H

#include "http/module.h"
#include "http/upstream/upreq_address.h"
#include "http/upstream/upreq_value.h"

/* What a command consists of behind its name, in this order. */
enum {
    LUN_MEMC_KEY    = 0x01,
    LUN_MEMC_STORES = 0x02,        /* flags, time, length; then the value */
    LUN_MEMC_VALUE  = 0x04,        /* a number */
    LUN_MEMC_TIME   = 0x08,
    LUN_MEMC_MAY    = 0x10         /* the time may be left away */
};

typedef struct {
    lun_str   name;
    unsigned  parts;
} lun_memc_command;

/* In the order of the bits of memc_cmds_allowed. */
extern const lun_memc_command  lun_memc_commands[];

enum { LUN_MEMC_GET = 0, LUN_MEMC_STATS = 11 };

/* $memc_...; a variable's .data is one of these. */
enum {
    LUN_MEMC_V_CMD, LUN_MEMC_V_KEY, LUN_MEMC_V_VALUE, LUN_MEMC_V_FLAGS,
    LUN_MEMC_V_EXPTIME, LUN_MEMC_V_COUNT
};

typedef struct {
    lun_upreq_conf      up;
    lun_upreq_address  *address;   /* NULL: no memc_pass */
    unsigned           *variables; /* indexes */
    uint32_t            allowed;   /* a bit per command; 0: all */
    bool                flags_are_time;
} lun_memc_conf;

typedef struct {
    const lun_memc_command  *cmd;
    lun_str                  key;  /* as it is sent */
    lun_str                  line; /* of a command that is no get */
    lun_upreq_value          value;
} lun_memc_state;

extern lun_http_module  lun_http_memc;

static inline const lun_memc_conf *
lun_memc_conf_of(const lun_request *r)
{
    return lun_http_conf(r, &lun_http_memc);
}

/* The index in lun_memc_commands. */
static inline size_t
lun_memc_index(const lun_memc_state *s)
{
    return (size_t) (s->cmd - lun_memc_commands);
}

/* As lun_upstream_protocol has them. */
void lun_memc_reset(lun_upreq *x);
lun_upstream_verdict lun_memc_read_header(lun_upreq *x, const char **pos,
    const char *end);
lun_upstream_verdict lun_memc_read_body(lun_upreq *x, const char **pos,
    const char *end, lun_str *piece);

#endif
