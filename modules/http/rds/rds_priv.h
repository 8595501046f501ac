/*
 * rds_priv.h -- results of a database, as bytes in pieces (Resty-DBD-Stream).
 *
 * A header (byte order, version, kind, error, rows affected, last id, how many
 * columns), the columns, and rows, each behind a byte that says that there is
 * one.  ngx_drizzle and ngx_postgres make it; scripts may, too.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_RDS_PRIV_H
#define LUN_HTTP_RDS_PRIV_H

#include "http/module.h"

#include "http/filter_buf.h"

enum {
    LUN_RDS_WHOLE   = 4096,        /* a value up to here comes at once */
    LUN_RDS_COLUMNS = 4096,        /* more is no result */
    LUN_RDS_NAMES   = 1 << 20      /* bytes of all their names */
};

typedef enum {
    LUN_RDS_INT, LUN_RDS_FLOAT, LUN_RDS_TEXT, LUN_RDS_BOOL
} lun_rds_kind;

typedef struct {
    lun_str       name;
    lun_rds_kind  kind;
} lun_rds_column;

typedef struct lun_rds  lun_rds;

/*
 * What is made of it.  A value has `first` and `last` at once if it is no
 * longer than LUN_RDS_WHOLE, and comes in pieces otherwise.
 */
typedef struct {
    void  (*head)(lun_rds *s);     /* all columns are known */
    void  (*row)(lun_rds *s);
    void  (*null)(lun_rds *s);
    void  (*value)(lun_rds *s, lun_str piece, bool first, bool last);
    void  (*row_end)(lun_rds *s);
    void  (*end)(lun_rds *s);
} lun_rds_writer;

typedef struct {
    lun_str          type;         /* of the answer's content */
    size_t           buffer;
    const lun_rds_writer  *writer;
} lun_rds_options;

/* The filter of one answer. */
struct lun_rds {
    lun_filter_buf          out;
    const lun_rds_writer   *writer;
    const void             *conf;      /* the module's */

    /* the header */
    uint16_t                errcode;
    lun_str                 errstr;
    uint64_t                affected, insert_id;
    size_t                  count;     /* columns */
    lun_rds_column         *columns;

    size_t                  column;    /* present one */
    bool                    any_row;

    /* the reader's own */
    int                     step;
    bool                    big_end;
    bool                    pieces;    /* of the present value */
    size_t                  names;
    uint32_t                left;      /* of the present value */
    char                   *to;        /* what is being filled */
    size_t                  have, want;
    char                    held[LUN_RDS_WHOLE];
};

/*
 * For a header filter: the answer is such a result, and will be what the writer
 * makes of it; NULL: it is not.
 */
lun_rds *lun_rds_start(lun_request *r, lun_http_module *m,
    const lun_rds_options *options);

/* Its reader is at the beginning of a result; at the end of one. */
void lun_rds_init(lun_rds *s);
bool lun_rds_is_whole(const lun_rds *s);

/* A body filter's lun_filter functions; state is the lun_rds. */
lun_filter_take_fn   lun_rds_take;
lun_filter_close_fn  lun_rds_close;

void lun_rds_put(lun_rds *s, lun_str text);
void lun_rds_put_number(lun_rds *s, uint64_t n);

#endif
