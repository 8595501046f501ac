/*
 * sspi.c -- GSSAPI of MIT's Kerberos: the library is the system's, and so are
 * its settings, the replay cache that keeps a token from being used twice, and
 * what it knows of mechanisms.
 *
 * Its types are declared here, as RFC 2744 has them: the server is built
 * without its headers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/sspi.h"

#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "os/library.h"


enum { WHY = 256, NAME = 512, GROUPS = 1024, ROOM = 16384 };

/* --- RFC 2744 ------------------------------------------------------------ */

typedef struct { size_t length; void *value; } gss_buffer;
typedef struct { uint32_t length; const void *elements; } gss_oid;
typedef struct { size_t count; const gss_oid *elements; } gss_oid_set;

typedef struct {
    uint32_t    initiator_type;
    gss_buffer  initiator;
    uint32_t    acceptor_type;
    gss_buffer  acceptor;
    gss_buffer  data;
} gss_bindings;

typedef struct { const char *key, *value; } gss_pair;
typedef struct { uint32_t count; const gss_pair *elements; } gss_store;

enum {
    GSS_ACCEPT          = 2,       /* a credential's use */
    GSS_CONTINUE        = 1,
    GSS_GENERAL_CODE    = 1,
    GSS_MECH_CODE       = 2,
    GSS_INDEFINITE      = -1,
    GSS_FLAG_ANON       = 64,
    GSS_FLAG_BOUND      = 2048
};

#define GSS_ERROR  0xffff0000u     /* bits of a major status */

typedef uint32_t accept_fn(uint32_t *minor, void **context, void *cred,
    gss_buffer *token, gss_bindings *bindings, void **name, gss_oid **mech,
    gss_buffer *out, uint32_t *flags, uint32_t *time, void **delegated);
typedef uint32_t acquire_fn(uint32_t *minor, void *name, uint32_t time,
    gss_oid_set *mechs, int use, const gss_store *store, void **cred,
    gss_oid_set **actual, uint32_t *rest);
typedef uint32_t display_name_fn(uint32_t *minor, void *name, gss_buffer *out,
    gss_oid **type);
typedef uint32_t display_status_fn(uint32_t *minor, uint32_t value, int type,
    gss_oid *mech, uint32_t *more, gss_buffer *out);
typedef uint32_t release_fn(uint32_t *minor, void **object);
typedef uint32_t release_buffer_fn(uint32_t *minor, gss_buffer *b);
typedef uint32_t delete_fn(uint32_t *minor, void **context, gss_buffer *out);

static struct {
    accept_fn          *accept;
    acquire_fn         *acquire;
    display_name_fn    *display_name;
    display_status_fn  *display_status;
    release_fn         *release_name, *release_cred;
    release_buffer_fn  *release_buffer;
    delete_fn          *delete_context;
} gss;

static const gss_oid  kerberos = {
    9, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"
};

struct lun_sspi {
    void        *context;
    char         user[NAME];
    char         why[WHY];
    gss_buffer   token;            /* the library's */
};


/* Where several threads are first, each finds the same. */
static bool
load(void)
{
    lun_err       err;
    lun_library  *lib;

    if (gss.accept != NULL) {
        return true;
    }

    lib = lun_library_open("libgssapi_krb5.so.2", &err);

    if (lib == NULL) {
        return false;
    }

    gss.acquire = (acquire_fn *) lun_library_symbol(lib,
                                                    "gss_acquire_cred_from");
    gss.display_name = (display_name_fn *)
                       lun_library_symbol(lib, "gss_display_name");
    gss.display_status = (display_status_fn *)
                         lun_library_symbol(lib, "gss_display_status");
    gss.release_name = (release_fn *)
                       lun_library_symbol(lib, "gss_release_name");
    gss.release_cred = (release_fn *)
                       lun_library_symbol(lib, "gss_release_cred");
    gss.release_buffer = (release_buffer_fn *)
                         lun_library_symbol(lib, "gss_release_buffer");
    gss.delete_context = (delete_fn *)
                         lun_library_symbol(lib, "gss_delete_sec_context");
    gss.accept = (accept_fn *) lun_library_symbol(lib,
                                                  "gss_accept_sec_context");

    return gss.acquire != NULL && gss.display_name != NULL
           && gss.display_status != NULL && gss.release_name != NULL
           && gss.release_cred != NULL && gss.release_buffer != NULL
           && gss.delete_context != NULL && gss.accept != NULL;
}


/* --- a conversation ------------------------------------------------------ */

bool
lun_sspi_has_ntlm(void)
{
    return false;
}


lun_sspi *
lun_sspi_begin(void)
{
    return lun_calloc(sizeof(lun_sspi));
}


/* Appends what the library says of a status. */
static void
add_words(lun_sspi *s, uint32_t status, int type)
{
    size_t      n = strlen(s->why);
    uint32_t    more = 0, ignored;
    gss_buffer  text = { 0, NULL };

    if ((gss.display_status(&ignored, status, type, NULL, &more, &text)
         & GSS_ERROR) == 0 && text.value != NULL)
    {
        (void) snprintf(s->why + n, sizeof(s->why) - n, ": %.*s",
                        (int) lun_min(text.length, sizeof(s->why) - n),
                        (const char *) text.value);
    }

    (void) gss.release_buffer(&ignored, &text);
}


/* In general, and in the mechanism's words. */
static void
explain(lun_sspi *s, const char *what, uint32_t major, uint32_t minor)
{
    (void) snprintf(s->why, sizeof(s->why), "%s", what);
    add_words(s, major, GSS_GENERAL_CODE);

    if (minor != 0) {
        add_words(s, minor, GSS_MECH_CODE);
    }
}


/* The server's keys, read for each conversation: a new keytab is used at
   once. */
static bool
acquire(lun_sspi *s, const lun_sspi_server *server, void **cred)
{
    uint32_t   major, minor = 0;
    gss_pair   pair = { "keytab", server->keytab };
    gss_store  store = { 1, &pair };

    *cred = NULL;
    major = gss.acquire(&minor, NULL, (uint32_t) GSS_INDEFINITE, NULL,
                        GSS_ACCEPT, server->keytab != NULL ? &store : NULL,
                        cred, NULL, NULL);

    if (major & GSS_ERROR) {
        explain(s, "gss_acquire_cred_from() failed", major, minor);
        return false;
    }

    return true;
}


static bool
is_kerberos(const gss_oid *mech)
{
    return mech != NULL && mech->length == kerberos.length
           && memcmp(mech->elements, kerberos.elements, mech->length) == 0;
}


/* Who it is, if all that was asked for is so. */
static lun_sspi_verdict
finish(lun_sspi *s, const lun_sspi_server *server, void *name,
    const gss_oid *mech, uint32_t flags, lun_sspi_answer *answer)
{
    uint32_t    minor;
    gss_buffer  text = { 0, NULL };

    if (flags & GSS_FLAG_ANON) {
        answer->why = "an anonymous client";
        return LUN_SSPI_REFUSED;
    }

    if (server->kerberos_only && !is_kerberos(mech)) {
        answer->why = "another mechanism than Kerberos";
        return LUN_SSPI_REFUSED;
    }

    if (server->binding == LUN_SSPI_MUST_BIND && !(flags & GSS_FLAG_BOUND)) {
        answer->why = "the client has not bound itself to this connection";
        return LUN_SSPI_REFUSED;
    }

    if (gss.display_name(&minor, name, &text, NULL) & GSS_ERROR
        || text.length == 0 || text.length >= sizeof(s->user)
        || memchr(text.value, '\0', text.length) != NULL)
    {
        (void) gss.release_buffer(&minor, &text);
        answer->why = "gss_display_name() failed";
        return LUN_SSPI_REFUSED;
    }

    *lun_copy(s->user, text.value, text.length) = '\0';
    answer->user = lun_str_of(s->user, text.length);
    answer->package = is_kerberos(mech) ? "Kerberos" : "NTLM";
    (void) gss.release_buffer(&minor, &text);
    return LUN_SSPI_DONE;
}


static lun_sspi_verdict
accept_token(lun_sspi *s, const lun_sspi_server *server, void *cred,
    lun_str token, lun_sspi_answer *answer)
{
    void              *name = NULL;
    gss_oid           *mech = NULL;
    uint32_t           major, minor = 0, flags = 0, ignored;
    gss_buffer         in = { token.len, (void *) (uintptr_t) token.data };
    gss_bindings       bindings = {
        .data = { server->channel.len,
                  (void *) (uintptr_t) server->channel.data }
    };
    lun_sspi_verdict   v;

    (void) gss.release_buffer(&ignored, &s->token);
    major = gss.accept(&minor, &s->context, cred, &in,
                       server->binding != LUN_SSPI_UNBOUND
                       && server->channel.len != 0 ? &bindings : NULL,
                       &name, &mech, &s->token, &flags, NULL, NULL);
    answer->token = lun_str_of(s->token.value, s->token.length);

    if (major & GSS_ERROR) {
        explain(s, "gss_accept_sec_context() failed", major, minor);
        answer->why = s->why;
        v = LUN_SSPI_REFUSED;

    } else if (major & GSS_CONTINUE) {
        v = LUN_SSPI_MORE;

    } else {
        v = finish(s, server, name, mech, flags, answer);
    }

    if (name != NULL) {
        (void) gss.release_name(&ignored, &name);
    }

    return v;
}


lun_sspi_verdict
lun_sspi_step(lun_sspi *s, const lun_sspi_server *server, lun_str token,
    lun_sspi_answer *answer)
{
    void              *cred;
    uint32_t           minor;
    lun_sspi_verdict   v;

    *answer = (lun_sspi_answer) { .token = LUN_STR("") };

    if (server->bare_ntlm) {
        answer->why = "NTLM, which is not here";
        return LUN_SSPI_REFUSED;
    }

    if (!load()) {
        answer->why = "libgssapi_krb5.so.2 is not here";
        return LUN_SSPI_BROKEN;
    }

    if (!acquire(s, server, &cred)) {
        answer->why = s->why;
        return LUN_SSPI_BROKEN;
    }

    v = accept_token(s, server, cred, token, answer);
    (void) gss.release_cred(&minor, &cred);
    return v;
}


/* Of the account of that name here, as its realm's part is another matter. */
bool
lun_sspi_is_member(lun_sspi *s, const char *group)
{
    int             i, n = GROUPS;
    char            name[NAME], room[ROOM];
    gid_t           gids[GROUPS];
    const char     *at = strchr(s->user, '@');
    struct group    gr, *found = NULL;
    struct passwd   pw, *account = NULL;

    *lun_copy(name, s->user, at != NULL ? (size_t) (at - s->user)
                                        : strlen(s->user)) = '\0';

    if (getgrnam_r(group, &gr, room, sizeof(room), &found) != 0
        || found == NULL)
    {
        return false;
    }

    i = (int) gr.gr_gid;

    if (getpwnam_r(name, &pw, room, sizeof(room), &account) != 0
        || account == NULL
        || getgrouplist(name, account->pw_gid, gids, &n) < 0)
    {
        return false;
    }

    while (n-- > 0) {
        if (gids[n] == (gid_t) i) {
            return true;
        }
    }

    return false;
}


void
lun_sspi_end(lun_sspi *s)
{
    uint32_t  minor;

    if (gss.accept != NULL) {
        (void) gss.release_buffer(&minor, &s->token);

        if (s->context != NULL) {
            (void) gss.delete_context(&minor, &s->context, NULL);
        }
    }

    lun_free(s);
}
