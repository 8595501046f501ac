/*
 * otel_export.c -- batches of spans, and the way to a collector.
 *
 * A worker has batch_count batches: one is written, the others are on their
 * way, wait for theirs, or are empty.  If none is, spans are dropped, and that
 * is counted: nobody's request waits for a collector.
 *
 *     EMPTY -> WRITTEN -> FULL -> ASKED -> EMPTY
 *                          ^        |
 *                          +--------+  it could not be reached, or had enough
 *
 * A batch that the collector did not take for a reason that may pass is kept
 * and sent again: one at a time, after a pause that doubles up to a minute.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/otel/otel_priv.h"

#include "format/grpc_message.h"
#include "net/conn_pool.h"
#include "os/clock.h"


enum {
    BYTES      = 3 * 1024 * 1024,  /* a batch with so many is full, too */
    TIMEOUT    = 10000,            /* ms, of a question */
    CONNECT    = 3000,             /* the same, of its connection */
    MOST_PAUSE = 60000,
    LINE       = 64,               /* bytes of a status line, for the log */
    SOON       = 20                /* ms, for what ends after the quit */
};

typedef enum { EMPTY, WRITTEN, FULL, ASKED } batch_state;

typedef struct {
    lun_otlp            otlp;
    batch_state         state;
    lun_otel_exporter  *exporter;
} batch;

struct lun_otel_exporter {
    lun_otel         *otel;
    lun_loop         *loop;
    const lun_log    *log;
    lun_http_client  *client;
    lun_http_field   *fields;
    size_t            field_count;
    batch            *batches;
    batch            *written;     /* NULL: none is */
    size_t            asked;
    unsigned          failures;    /* in a row */
    bool              quitting;
    lun_timer         flush;
    lun_timer         pause;       /* runs: nobody is asked */
    uint64_t          dropped;
    int64_t           told;        /* of that: the second in the log */
};

static const char *const  outcomes[] = {
    "exported", "dropped", "failed", NULL
};

enum { EXPORTED, DROPPED, FAILED };

static uint32_t  spans_at;

const lun_metric  lun_otel_metrics[] = {
    { .name = "otel_spans", .kind = LUN_COUNTER, .at = &spans_at,
      .choice = "outcome", .values = outcomes,
      .help = "Spans of traces: taken by a collector, dropped since batches "
              "were full, refused" },
    { 0 }
};

static void send_full(lun_otel_exporter *ex);


/* --- asking -------------------------------------------------------------- */

static void
on_pause_over(lun_timer *timer)
{
    send_full(lun_container_of(timer, lun_otel_exporter, pause));
}


static void
back_off(lun_otel_exporter *ex)
{
    lun_msec  ms = ex->otel->interval;

    ms = lun_min(ms << lun_min(ex->failures, 16U), (lun_msec) MOST_PAUSE);
    ex->failures++;
    ex->pause.idle = true;
    lun_timer_start(ex->loop, &ex->pause, ms, on_pause_over);
}


static bool
is_taken(const lun_otel *otel, const lun_http_client_answer *a)
{
    return a->verdict == LUN_HTTP_ANSWERED && a->status / 100 == 2
           && (otel->protocol != LUN_OTEL_GRPC
               || lun_http_answer_grpc(a->http) == 0);
}


/* Statuses of gRPC by which OTLP has a client try again. */
static bool
grpc_may_pass(int64_t status)
{
    enum {
        CANCELLED = 1, DEADLINE_EXCEEDED = 4, RESOURCE_EXHAUSTED = 8,
        ABORTED = 10, OUT_OF_RANGE = 11, UNAVAILABLE = 14, DATA_LOSS = 15
    };

    return status == CANCELLED || status == DEADLINE_EXCEEDED
           || status == RESOURCE_EXHAUSTED || status == ABORTED
           || status == OUT_OF_RANGE || status == UNAVAILABLE
           || status == DATA_LOSS;
}


/* What OTLP says may be tried again. */
static bool
may_pass(const lun_otel *otel, const lun_http_client_answer *a)
{
    switch (a->verdict) {

    case LUN_HTTP_ANSWERED:
        return a->status == 429 || (a->status >= 502 && a->status <= 504)
               || (otel->protocol == LUN_OTEL_GRPC
                   && grpc_may_pass(lun_http_answer_grpc(a->http)));

    case LUN_HTTP_UNRESOLVED:
    case LUN_HTTP_UNREACHED:
    case LUN_HTTP_TIMED_OUT:
    case LUN_HTTP_LOST:
        return true;

    default:
        return false;
    }
}


static lun_str
say_why(const lun_http_client_answer *a)
{
    lun_str  line;

    if (a->verdict != LUN_HTTP_ANSWERED) {
        return lun_str_z(lun_http_client_text(a->verdict));
    }

    line = a->http->line;

    if (a->status / 100 == 2) {    /* it was gRPC that has failed */
        line = lun_http_answer_trailer(a->http, LUN_STR("grpc-message"));
        line = line.len != 0 ? line : LUN_STR("no gRPC status of success");
    }

    return lun_str_of(line.data, lun_min(line.len, (size_t) LINE));
}


static void
on_answer(void *data, const lun_http_client_answer *a)
{
    batch              *b = data;
    lun_otel_exporter  *ex = b->exporter;

    ex->asked--;

    if (is_taken(ex->otel, a)) {
        lun_metric_add(spans_at + EXPORTED, b->otlp.count);
        ex->failures = 0;

    } else if (may_pass(ex->otel, a) && !ex->quitting) {
        b->state = FULL;
        back_off(ex);
        return;

    } else {
        lun_metric_add(spans_at + FAILED, b->otlp.count);
        lun_log(LUN_LOG_ERR, ex->log, 0, "OTel export failure: %.*s, %u "
                "spans are lost", LUN_S(say_why(a)), b->otlp.count);
    }

    lun_otlp_clear(&b->otlp);
    b->state = EMPTY;
    send_full(ex);
}


/* A message of gRPC has its length in front, for which there is room. */
static lun_str
body_of(const lun_otel_exporter *ex, batch *b)
{
    char     *p;
    lun_str   body = lun_otlp_finish(&b->otlp, &ex->otel->head);

    if (ex->otel->protocol != LUN_OTEL_GRPC) {
        return body;
    }

    p = (char *) (uintptr_t) body.data - LUN_GRPC_PREFIX;
    (void) lun_grpc_put_prefix(p, body.len);
    return lun_str_of(p, body.len + LUN_GRPC_PREFIX);
}


static void
ask(lun_otel_exporter *ex, batch *b)
{
    b->state = ASKED;
    ex->asked++;
    (void) lun_http_client_ask(ex->client, &(lun_http_client_question) {
        .method = LUN_STR("POST"),
        .url = ex->otel->url,
        .fields = ex->fields,
        .field_count = ex->field_count,
        .body = body_of(ex, b),
        .done = on_answer,
        .data = b
    });
}


/* All that are full; one, while it is not known whether it will be taken. */
static void
send_full(lun_otel_exporter *ex)
{
    size_t  i;

    for (i = 0; i < ex->otel->batch_count; i++) {
        if (lun_timer_runs(&ex->pause)
            || (ex->failures != 0 && ex->asked != 0))
        {
            return;
        }

        if (ex->batches[i].state == FULL) {
            ask(ex, &ex->batches[i]);
        }
    }
}


/* --- batches ------------------------------------------------------------- */

static void
end_written(lun_otel_exporter *ex)
{
    if (ex->written != NULL) {
        ex->written->state = FULL;
        ex->written = NULL;
        lun_timer_stop(&ex->flush);
        send_full(ex);
    }
}


static void
on_flush(lun_timer *timer)
{
    end_written(lun_container_of(timer, lun_otel_exporter, flush));
}


/* Once a second it is said, however many there are. */
static LUN_NOINLINE void
drop(lun_otel_exporter *ex)
{
    ex->dropped++;
    lun_metric_add(spans_at + DROPPED, 1);

    if (ex->told != lun_clock.sec) {
        ex->told = lun_clock.sec;
        lun_log(LUN_LOG_NOTICE, ex->log, 0, "OTel dropped records: %" PRIu64,
                ex->dropped);
    }
}


static batch *
find_empty(lun_otel_exporter *ex)
{
    size_t  i;

    for (i = 0; i < ex->otel->batch_count; i++) {
        if (ex->batches[i].state == EMPTY) {
            return &ex->batches[i];
        }
    }

    return NULL;
}


/* With the first span of a batch the time runs until it is sent. */
lun_otlp *
lun_otel_batch(lun_otel *otel)
{
    lun_otel_exporter  *ex = otel->exporter;

    if (LUN_LIKELY(ex->written != NULL)) {
        return &ex->written->otlp;
    }

    ex->written = find_empty(ex);

    if (ex->written == NULL) {
        drop(ex);
        return NULL;
    }

    ex->written->state = WRITTEN;
    ex->flush.idle = !ex->quitting;
    lun_timer_start(ex->loop, &ex->flush,
                    ex->quitting ? SOON : otel->interval, on_flush);
    return &ex->written->otlp;
}


void
lun_otel_wrote(lun_otel *otel)
{
    lun_otel_exporter  *ex = otel->exporter;
    const lun_otlp     *o = &ex->written->otlp;

    if (o->count >= otel->batch_size || o->p - o->start >= BYTES) {
        end_written(ex);
    }
}


/* --- its life ------------------------------------------------------------ */

/* Questions end with their client, which was made before. */
static void
end_exporter(void *data)
{
    size_t              i;
    lun_otel_exporter  *ex = data;

    lun_timer_stop(&ex->flush);
    lun_timer_stop(&ex->pause);
    ex->otel->exporter = NULL;

    for (i = 0; i < ex->otel->batch_count; i++) {
        lun_otlp_free(&ex->batches[i].otlp);
    }
}


static void
make_fields(lun_otel_exporter *ex, lun_pool *pool)
{
    const lun_otel  *otel = ex->otel;

    ex->field_count = otel->headers.count + 1;
    ex->fields = lun_pool_new_n(pool, lun_http_field, ex->field_count);
    ex->fields[0].name = LUN_STR("content-type");
    ex->fields[0].value = otel->protocol == LUN_OTEL_GRPC
                          ? LUN_STR("application/grpc")
                          : otel->form == LUN_OTLP_JSON
                          ? LUN_STR("application/json")
                          : LUN_STR("application/x-protobuf");

    if (otel->headers.count != 0) {
        memcpy(ex->fields + 1, otel->headers.items,
               otel->headers.count * sizeof(lun_http_field));
    }
}


/*
 * Batches are made once and used again: their number bounds the memory while
 * the collector is away.
 */
static LUN_NOINLINE void
begin(lun_otel *otel, lun_generation *gen)
{
    size_t                   i;
    lun_pool                *pool = gen->pool;
    lun_otel_exporter       *ex = lun_pool_new(pool, lun_otel_exporter);
    lun_http_client_options  options = {
        .trusted = otel->trusted.name.len != 0 ? &otel->trusted : NULL,
        .peer = "OTel collector",
        .role = "collector",
        .doing = "exporting spans",
        .user_agent = LUN_PRODUCT,
        .connect_timeout = CONNECT,
        .timeout = TIMEOUT,
        .keep = otel->batch_count,
        .http2 = otel->protocol == LUN_OTEL_GRPC
    };

    otel->exporter = ex;
    ex->otel = otel;
    ex->loop = gen->loop;
    ex->log = &gen->log;
    ex->quitting = gen->exiting;
    ex->batches = lun_pool_new_n(pool, batch, otel->batch_count);

    for (i = 0; i < otel->batch_count; i++) {
        ex->batches[i].exporter = ex;
        ex->batches[i].otlp.form = otel->form;
        ex->batches[i].otlp.head = lun_otlp_head_room(&otel->head)
                                   + LUN_GRPC_PREFIX;
    }

    make_fields(ex, pool);
    lun_pool_on_end(pool, end_exporter, ex);
    ex->client = lun_http_client_new(pool, ex->loop, &options, ex->log);
}


void
lun_otel_begin(lun_otel *otel, lun_generation *gen)
{
    if (LUN_UNLIKELY(otel->exporter == NULL)) {
        begin(otel, gen);
    }
}


/* The worker waits for what it asks: no longer than TIMEOUT. */
void
lun_otel_quit(lun_otel *otel)
{
    lun_otel_exporter  *ex = otel->exporter;

    if (ex == NULL) {
        return;
    }

    ex->quitting = true;
    ex->failures = 0;
    lun_timer_stop(&ex->pause);
    end_written(ex);
    send_full(ex);
}


void
lun_otel_exit(lun_otel *otel)
{
    if (otel->exporter != NULL) {
        lun_timer_stop(&otel->exporter->flush);
        lun_timer_stop(&otel->exporter->pause);
        lun_conn_pool_close_idle(otel->exporter->loop);
    }
}
