/*
 * nginx_stat.c -- ngx_stat_active and its kin.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/nginx_stat.h"

#include "http/accept/request_metrics.h"


/* ngx_atomic_t has a machine word there. */
static volatile uint64_t  accepted, handled, requests;
static volatile uint64_t  active, reading, writing, waiting;

#define SHOWN  extern LUN_EXPORT volatile uint64_t

SHOWN  *ngx_stat_accepted, *ngx_stat_handled, *ngx_stat_requests;
SHOWN  *ngx_stat_active, *ngx_stat_reading, *ngx_stat_writing;
SHOWN  *ngx_stat_waiting;

volatile uint64_t  *ngx_stat_accepted = &accepted;
volatile uint64_t  *ngx_stat_handled = &handled;
volatile uint64_t  *ngx_stat_requests = &requests;
volatile uint64_t  *ngx_stat_active = &active;
volatile uint64_t  *ngx_stat_reading = &reading;
volatile uint64_t  *ngx_stat_writing = &writing;
volatile uint64_t  *ngx_stat_waiting = &waiting;

bool  lun_nginx_stat_wanted;

LUN_EXPORT void lun_ffi_nginx_stat(void);


void
lun_nginx_stat_update(void)
{
    accepted = lun_metric_sum(lun_conn_accepted_at);
    handled = lun_metric_sum(lun_conn_handled_at);
    requests = lun_metric_sum(lun_requests_at);
    active = lun_metric_sum(lun_conn_states_at + LUN_CONN_ACTIVE);
    reading = lun_metric_sum(lun_conn_states_at + LUN_CONN_READING);
    writing = lun_metric_sum(lun_conn_states_at + LUN_CONN_WRITING);
    waiting = lun_metric_sum(lun_conn_states_at + LUN_CONN_WAITING);
}


/* A script has declared one: it may read it at once. */
void
lun_ffi_nginx_stat(void)
{
    lun_nginx_stat_wanted = true;
    lun_nginx_stat_update();
}
