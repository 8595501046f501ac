/*
 * native.c -- the rooms that have C functions for the Lua side.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/native.h"

lun_lua_room *const  lun_lua_rooms[] = {
    lun_lua_output_open,
    lun_lua_sleep_open,
    lun_lua_timer_open,
    lun_lua_log_open,
    lun_lua_control_open,
    lun_lua_body_open,
    lun_lua_sock_open,
    lun_lua_sema_open,
    lun_lua_pipe_open,
    lun_lua_subreq_open,
    lun_lua_scripts_open,
    NULL
};
