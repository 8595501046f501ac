/*
 * vars.c -- the stream core's $variables.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "stream/conf/stream_conf.h"


static void
give_number(lun_session *s, lun_value *v, int64_t n)
{
    v->text = lun_pool_fmt(s->pool, "%" PRId64, n);
}


static void
get_bytes_received(lun_session *s, lun_value *v, uintptr_t data)
{
    give_number(s, v, s->conn->received);
}


static void
get_bytes_sent(lun_session *s, lun_value *v, uintptr_t data)
{
    give_number(s, v, s->conn->sent);
}


static void
get_protocol(lun_session *s, lun_value *v, uintptr_t data)
{
    v->text = s->conn->datagram ? LUN_STR("UDP") : LUN_STR("TCP");
}


static void
get_status(lun_session *s, lun_value *v, uintptr_t data)
{
    v->text = lun_pool_fmt(s->pool, "%03u", lun_stream_session_of(s)->status);
}


static void
get_session_time(lun_session *s, lun_value *v, uintptr_t data)
{
    int64_t                    ms;
    const lun_stream_session  *ss = lun_stream_session_of(s);

    ms = (lun_clock.sec - ss->start_sec) * 1000
         + (int64_t) lun_clock.msec - (int64_t) ss->start_msec;
    ms = lun_max(ms, 0);
    v->text = lun_pool_fmt(s->pool, "%" PRId64 ".%03d", ms / 1000,
                           (int) (ms % 1000));
}


#define VOLATILE(text, get_it, says)                                          \
    { .name = LUN_STR_INIT(text), .get = get_it, .flags = LUN_VAR_VOLATILE,   \
      .help = says }

const lun_variable  lun_stream_variables[] = {
    VOLATILE("bytes_received", get_bytes_received, "bytes from the client"),
    VOLATILE("bytes_sent", get_bytes_sent,
             "bytes of the answer that were sent"),
    { .name = LUN_STR_INIT("protocol"), .get = get_protocol,
      .help = "TCP or UDP" },
    VOLATILE("status", get_status, "the status of the answer"),
    VOLATILE("session_time", get_session_time,
             "seconds since the session began"),
    { .name = LUN_STR_NULL }
};
