/*
 * quic_qlog.c -- a file of what happens in a connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/quic/quic_qlog.c"

#include "os/dir.h"
#include "quic_server.h"

#define FOLDER  "build/quic_qlog.test"


static char  found[PATH];
static int   files;


static bool
on_file(void *data, const char *name, bool is_dir)
{
    (void) snprintf(found, sizeof(found), FOLDER "/%s", name);
    files++;
    return true;
}


static void
converse(void)
{
    open_listener();
    client.token_len = 0;
    begin(NGTCP2_PROTO_VER_V1);
    (void) turn_until(&client.done, NULL, 0);
    echoes("hello", 5, "an answer");
    qc_close(&client, 0);
    (void) turn_until(NULL, &seen.lost, 1);
    qc_end(&client);
    close_listener();
}


static void
a_file_of_each(void)
{
    char    *text = NULL;
    size_t   size = 0;

    conf.qlog = LUN_STR(FOLDER);
    converse();
    lun_dir_list(FOLDER, on_file, NULL);
    is_int(files, 1, "a connection has one file");
    ok(strstr(found, ".sqlog") != NULL, "whose name says what it is");
    ok(lun_file_slurp(found, &text, &size) == 0 && size > 2000, "all of it");
    ok(text != NULL && strstr(text, "\"qlog_format\"") != NULL
       && strstr(text, "packet_received") != NULL
       && strstr(text, "connection_close") != NULL,
       "from the first packet to the last");
    is_int((int64_t) lun_quics_of(lp)->qlogs, 0, "it is closed");
    lun_free(text);
}


static void
a_folder_that_is_not_there(void)
{
    conf.qlog = LUN_STR(FOLDER "/none");
    converse();
    is_int((int64_t) lun_quics_of(lp)->qlogs, 0, "and no file");
}


int
main(void)
{
    lun_sock_init();
    is_int(lun_loop_init(lp), 0, "a loop");
    make_contexts();
    (void) lun_dir_remove_tree(FOLDER);
    ok(lun_dir_make_all(FOLDER, 0755) == 0, "a folder");

    a_file_of_each();
    a_folder_that_is_not_there();

    (void) lun_dir_remove_tree(FOLDER);
    SSL_CTX_free(server_ctx);
    SSL_CTX_free(client_ctx);
    lun_loop_fini(lp);
    return done_testing();
}
