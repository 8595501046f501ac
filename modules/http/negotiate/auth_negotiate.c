/*
 * auth_negotiate.c -- who a client is, as Kerberos or Windows say it (RFC
 * 4559).
 *
 *     auth_negotiate on;                      # or: kerberos
 *     auth_negotiate_realm EXAMPLE.COM;
 *     require_group "Domain Admins";
 *
 * The system is asked in a thread (os/sspi.h): it may ask others.
 *
 * Kerberos takes one step, and belongs to the request.  NTLM takes several,
 * and who it is, it is for the connection: what is known of it is kept under
 * the connection and ends with it.  So there is none of that in HTTP/2 and 3,
 * where others' requests may come on the same connection, nor for a request
 * that a proxy has passed on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/digest.h"
#include "base/lru.h"
#include "http/request_header.h"
#include "net/thread_pool.h"
#include "net/tls/tls.h"
#include "os/sspi.h"


enum { OFF, ON, KERBEROS };
enum { THREADS = 16, QUEUE = 4096, MOST_CONNECTIONS = 65536,
       CHANNEL = 32 + EVP_MAX_MD_SIZE };

typedef struct {
    int               mode;
    lun_str           realm;       /* "": any, and names have theirs */
    lun_str           keytab;      /* a path; "": the system's */
    int               binding;     /* lun_sspi_binding */
    lun_array        *groups;      /* of lun_str; NULL: all may come in */
} negotiate_conf;

/* Who is spoken to: a request's or a connection's, and a job's for a while. */
typedef struct {
    unsigned   references;
    lun_sspi  *sspi;
    bool       known;              /* it is over, and `user` is who it is */
    bool       bound;              /* to the channel, whatever was asked */
    bool       by_ntlm;
    char      *user;               /* as the system has it */
} conversation;

/* The conversation of a connection. */
typedef struct {
    lun_lru_entry   names;
    lun_conn       *c;             /* its name: the pointer's bytes */
    conversation   *v;
} kept;

typedef enum { ASKING, KNOWN, ASK_MORE, REFUSED, NO_MEMBER, BROKEN } outcome;

/* A request's. */
typedef struct negotiate  negotiate;

/* A question in a thread, with copies of all that it is about. */
typedef struct {
    lun_job           job;
    lun_pool         *pool;
    lun_request      *r;           /* NULL: it has gone */
    negotiate        *n;
    conversation     *v;
    lun_sspi_server   server;
    lun_str           token;       /* data NULL: it is known already */
    size_t            group_count;
    const char      **groups;
    outcome           outcome;
    lun_str           answer;      /* for the client */
    const char       *package;
    const char       *why;
} question;

struct negotiate {
    outcome        outcome;
    conversation  *v;
    const char    *scheme;         /* the client's: "Negotiate", "NTLM" */
    lun_str        answer;         /* in base64; "": none */
    lun_str        user;
    const char    *package;
};

extern lun_http_module  lun_http_auth_negotiate;

/* The process's. */
static lun_thread_pool  threads = {
    .name = LUN_STR_INIT("auth_negotiate"), .threads = THREADS,
    .max_queue = QUEUE
};

static lun_lru  connections;       /* of kept */


/* --- conversations ------------------------------------------------------- */

static conversation *
new_conversation(void)
{
    conversation  *v = lun_calloc(sizeof(*v));

    v->references = 1;
    v->sspi = lun_sspi_begin();
    return v;
}


static void
put_conversation(conversation *v)
{
    if (--v->references == 0) {
        lun_sspi_end(v->sspi);
        lun_free(v->user);
        lun_free(v);
    }
}


static lun_str
name_of(lun_conn *const *c)
{
    return lun_str_of((const char *) c, sizeof(*c));
}


/* NULL: nothing is known of it. */
static kept *
find_kept(lun_conn *c)
{
    lun_str         name = name_of(&c);
    lun_lru_entry  *e = lun_lru_find(&connections, name, lun_str_hash(name));

    return e != NULL ? lun_container_of(e, kept, names) : NULL;
}


static void
forget(lun_conn *c)
{
    kept  *k = find_kept(c);

    if (k != NULL) {
        lun_lru_remove(&connections, &k->names);
        put_conversation(k->v);
        lun_free(k);
    }

    if (connections.count == 0) {
        lun_lru_fini(&connections);
        connections = (lun_lru) { .count = 0 };
    }
}


static void
on_conn_end(void *data)
{
    forget(data);
}


/* False: there are too many. */
static bool
keep(lun_conn *c, conversation *v)
{
    kept     *k = find_kept(c);
    lun_str   name;

    if (k != NULL) {
        v->references++;
        put_conversation(k->v);
        k->v = v;
        return true;
    }

    if (connections.count == MOST_CONNECTIONS) {
        return false;
    }

    k = lun_calloc(sizeof(*k));
    k->c = c;
    k->v = v;
    v->references++;
    name = name_of(&k->c);
    lun_lru_add(&connections, &k->names, name, lun_str_hash(name),
                MOST_CONNECTIONS);
    lun_pool_on_end(lun_conn_memory(c), on_conn_end, c);
    return true;
}


/* --- in a thread --------------------------------------------------------- */

static bool
is_member(const question *q)
{
    size_t  i;

    for (i = 0; i < q->group_count; i++) {
        if (lun_sspi_is_member(q->v->sspi, q->groups[i])) {
            return true;
        }
    }

    return q->group_count == 0;
}


static outcome
take_step(question *q)
{
    lun_sspi_answer   a;
    lun_sspi_verdict  verdict;

    verdict = lun_sspi_step(q->v->sspi, &q->server, q->token, &a);
    q->answer = lun_pool_str(q->pool, a.token);
    q->why = a.why != NULL ? lun_pool_strz(q->pool, lun_str_z(a.why)) : "";

    switch (verdict) {

    case LUN_SSPI_MORE:
        return ASK_MORE;

    case LUN_SSPI_REFUSED:
        return REFUSED;

    case LUN_SSPI_BROKEN:
        return BROKEN;

    case LUN_SSPI_DONE:
        break;
    }

    q->v->user = lun_malloc(a.user.len + 1);
    *lun_copy_str(q->v->user, a.user) = '\0';
    q->v->by_ntlm = strcmp(a.package, "Kerberos") != 0;
    q->v->bound = q->server.binding == LUN_SSPI_MUST_BIND;
    q->v->known = true;
    return KNOWN;
}


static void
work(lun_job *job)
{
    question  *q = lun_container_of(job, question, job);

    q->outcome = q->token.data != NULL ? take_step(q) : KNOWN;

    if (q->outcome == KNOWN && !is_member(q)) {
        q->outcome = NO_MEMBER;
    }
}


/* --- a question ---------------------------------------------------------- */

static void
free_question(question *q)
{
    put_conversation(q->v);
    lun_pool_free(q->pool);
}


static void
on_done(lun_job *job)
{
    char         *text;
    question     *q = lun_container_of(job, question, job);
    negotiate    *n = q->n;
    lun_request  *r = q->r;

    if (r == NULL) {
        free_question(q);
        return;
    }

    n->outcome = q->outcome;
    n->user = lun_pool_str(r->pool, lun_str_z(q->v->user != NULL ? q->v->user
                                                                 : ""));
    n->package = q->v->by_ntlm ? "NTLM" : "Kerberos";

    if (q->answer.len != 0) {
        text = lun_pool_text(r->pool, lun_base64_len(q->answer.len));
        n->answer = lun_str_of(text, (size_t)
                               (lun_base64_encode(text, q->answer, false, true)
                                - text));
    }

    if (q->outcome == REFUSED || q->outcome == BROKEN) {
        lun_log(q->outcome == BROKEN ? LUN_LOG_CRIT : LUN_LOG_ERR, r->log, 0,
                "auth_negotiate: %s", q->why);
    }

    free_question(q);
    lun_http_on_abort(r, NULL, NULL);
    lun_http_resume(r);
    lun_http_put(r);
}


static void
on_gone(lun_request *r, void *data)
{
    question  *q = data;

    q->r = NULL;
    lun_http_finish(r, LUN_STATUS + 499);
    lun_http_put(r);
}


/* RFC 5929, 4.1; false: there is no channel to be bound to. */
static bool
channel_of(const lun_conn *c, char room[CHANNEL], lun_str *channel)
{
    int            md = NID_undef;
    SSL           *ssl = lun_tls_of(c);
    X509          *cert = ssl != NULL ? SSL_get_certificate(ssl) : NULL;
    unsigned       n = 0;
    lun_str        prefix = LUN_STR("tls-server-end-point:");
    const EVP_MD  *digest;

    if (cert == NULL) {
        return false;
    }

    (void) OBJ_find_sigid_algs(X509_get_signature_nid(cert), &md, NULL);
    digest = md == NID_undef || md == NID_md5 || md == NID_sha1
             ? EVP_sha256() : EVP_get_digestbynid(md);

    if (digest == NULL
        || X509_digest(cert, digest,
                       (unsigned char *) lun_copy_str(room, prefix), &n) != 1)
    {
        return false;
    }

    *channel = lun_str_of(room, prefix.len + n);
    return true;
}


static lun_verdict
ask(lun_request *r, negotiate *n, const negotiate_conf *conf, lun_str token)
{
    char       room[CHANNEL];
    size_t     i;
    lun_str    channel = LUN_STR("");
    lun_pool  *pool = lun_pool_new_sized(4096);
    question  *q = lun_pool_new(pool, question);

    q->pool = pool;
    q->r = r;
    q->n = n;
    q->v = n->v;
    q->v->references++;
    q->token = token.data != NULL ? lun_pool_str(pool, token) : LUN_STR_NULL;
    q->server.kerberos_only = conf->mode == KERBEROS;
    q->server.bare_ntlm = strcmp(n->scheme, "NTLM") == 0;
    q->server.keytab = conf->keytab.len != 0
                       ? lun_pool_strz(pool, conf->keytab) : NULL;
    q->server.binding = (lun_sspi_binding) conf->binding;

    if (conf->binding != LUN_SSPI_UNBOUND
        && channel_of(r->conn, room, &channel))
    {
        q->server.channel = lun_pool_str(pool, channel);
    }

    if (conf->groups != NULL) {
        q->group_count = conf->groups->count;
        q->groups = lun_pool_alloc(pool, q->group_count * sizeof(char *));

        for (i = 0; i < q->group_count; i++) {
            q->groups[i] = lun_pool_strz(pool, *(lun_str *)
                                         lun_array_at(conf->groups, i));
        }
    }

    q->job.work = work;
    q->job.done = on_done;

    if (lun_thread_pool_add(&threads, r->conn->loop, &q->job, r->log)
        != LUN_OK)
    {
        free_question(q);
        return LUN_STATUS + 500;
    }

    lun_http_get(r);
    lun_http_on_abort(r, on_gone, q);
    return LUN_WAIT;
}


/* --- the answer ---------------------------------------------------------- */

/* What is passed on may be anybody's, on the same connection. */
static bool
is_direct(const lun_request *r)
{
    return r->version < 2000
           && lun_header_find(&r->in.list, LUN_STR("Via")) == NULL
           && lun_header_find(&r->in.list, LUN_STR("X-Forwarded-For")) == NULL
           && lun_header_find(&r->in.list, LUN_STR("Forwarded")) == NULL;
}


static lun_verdict
challenge(lun_request *r, const negotiate_conf *conf)
{
    lun_http_add_out(r, LUN_STR("WWW-Authenticate"), LUN_STR("Negotiate"));

    if (conf->mode == ON && lun_sspi_has_ntlm() && is_direct(r)) {
        lun_http_add_out(r, LUN_STR("WWW-Authenticate"), LUN_STR("NTLM"));
    }

    return LUN_STATUS + 401;
}


static lun_verdict
ask_more(lun_request *r, negotiate *n, const negotiate_conf *conf)
{
    if (!is_direct(r) || conf->mode == KERBEROS || !keep(r->conn, n->v)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "auth_negotiate: the client wants to "
                "be known for all of its connection, which may be others' "
                "as well");
        return LUN_STATUS + 403;
    }

    lun_http_add_out(r, LUN_STR("WWW-Authenticate"),
                     lun_pool_fmt(r->pool, "%s %.*s", n->scheme,
                                  LUN_S(n->answer)));
    return LUN_STATUS + 401;
}


/* Of the user's name what $remote_user has; false: another realm's. */
static bool
take_realm(lun_str *user, lun_str realm)
{
    size_t       len;
    const char  *mark;

    if (realm.len == 0) {
        return true;
    }

    mark = lun_str_chr(*user, '\\');

    if (mark != NULL) {
        len = (size_t) (mark - user->data);

        if (!lun_str_caseeq(lun_str_of(user->data, len), realm)) {
            return false;
        }

        *user = lun_str_of(mark + 1, user->len - len - 1);
        return true;
    }

    if (user->len <= realm.len
        || user->data[user->len - realm.len - 1] != '@'
        || !lun_str_caseeq(lun_str_of(user->data + user->len - realm.len,
                                      realm.len), realm))
    {
        return false;
    }

    user->len -= realm.len + 1;
    return true;
}


static lun_verdict
let_in(lun_request *r, negotiate *n, const negotiate_conf *conf)
{
    lun_str  user = n->user;

    if (!take_realm(&user, conf->realm)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "auth_negotiate: user \"%.*s\" is of "
                "another realm", LUN_S(n->user));
        return LUN_STATUS + 403;
    }

    lun_var_set(&r->session, (unsigned) (uintptr_t)
                lun_http_gen_data(lun_http_generation(r),
                                  &lun_http_auth_negotiate), user);

    if (n->answer.len != 0) {
        lun_http_add_out(r, LUN_STR("WWW-Authenticate"),
                         lun_pool_fmt(r->pool, "%s %.*s", n->scheme,
                                      LUN_S(n->answer)));
    }

    return LUN_LEAVE;
}


static lun_verdict
on_answer(lun_request *r, negotiate *n, const negotiate_conf *conf)
{
    /* Who is known by NTLM is so until the connection ends. */
    if (n->outcome == KNOWN || n->outcome == NO_MEMBER) {
        if (!n->v->by_ntlm || !is_direct(r) || !keep(r->conn, n->v)) {
            forget(r->conn);
        }

    } else if (n->outcome != ASK_MORE) {
        forget(r->conn);
    }

    switch (n->outcome) {

    case KNOWN:
        return let_in(r, n, conf);

    case ASK_MORE:
        return ask_more(r, n, conf);

    case NO_MEMBER:
        lun_log(LUN_LOG_ERR, r->log, 0, "auth_negotiate: user \"%.*s\" is in "
                "no group that is required", LUN_S(n->user));
        return LUN_STATUS + 403;

    case REFUSED:
        return challenge(r, conf);

    default:
        return LUN_STATUS + 500;
    }
}


/* --- the request --------------------------------------------------------- */

/* "Negotiate TOKEN" and "NTLM TOKEN"; false: the client has said no such
   thing. */
static bool
read_token(lun_request *r, const negotiate_conf *conf, const char **scheme,
    lun_str *token)
{
    char              *text;
    size_t             len;
    lun_str            code;
    const lun_header  *h = r->in.known[LUN_HIN_AUTHORIZATION];

    if (h != NULL && lun_str_caseafter(h->value, LUN_STR("negotiate "), &code))
    {
        *scheme = "Negotiate";

    } else if (h != NULL && conf->mode == ON && lun_sspi_has_ntlm()
               && lun_str_caseafter(h->value, LUN_STR("ntlm "), &code))
    {
        *scheme = "NTLM";

    } else {
        return false;
    }

    code = lun_str_trim(code);
    text = lun_pool_text(r->pool, code.len / 4 * 3 + 4);

    if (code.len == 0
        || lun_base64_decode(text, &len, code, false, false) != LUN_OK)
    {
        return false;
    }

    *token = lun_str_of(text, len);
    return true;
}


static void
on_request_end(void *data)
{
    negotiate  *n = data;

    put_conversation(n->v);
}


/* Its conversation: the connection's, if it goes on, or a new one. */
static negotiate *
begin(lun_request *r, conversation *v)
{
    negotiate  *n = lun_pool_new(r->pool, negotiate);

    n->v = v != NULL ? v : new_conversation();
    n->v->references += v != NULL;
    n->scheme = "Negotiate";
    lun_http_set_state(r, &lun_http_auth_negotiate, n);
    lun_pool_on_end(r->pool, on_request_end, n);
    return n;
}


static lun_verdict
first(lun_request *r, const negotiate_conf *conf)
{
    kept        *k = is_direct(r) ? find_kept(r->conn) : NULL;
    lun_str      token = LUN_STR_NULL;
    negotiate   *n;
    const char  *scheme;
    bool         said = read_token(r, conf, &scheme, &token);

    /* As somebody in the same connection, who says no more. */
    if (!said && k != NULL && k->v->known && conf->mode == ON
        && (conf->binding != LUN_SSPI_MUST_BIND || k->v->bound))
    {
        return ask(r, begin(r, k->v), conf, LUN_STR_NULL);
    }

    if (!said) {
        return challenge(r, conf);
    }

    n = begin(r, k != NULL && !k->v->known ? k->v : NULL);
    n->scheme = scheme;
    return ask(r, n, conf, token);
}


static lun_verdict
on_access(lun_session *s)
{
    lun_request           *r = lun_request_of(s);
    negotiate             *n = lun_http_state(r, &lun_http_auth_negotiate);
    const negotiate_conf  *conf = lun_http_conf(r, &lun_http_auth_negotiate);

    if (conf->mode == OFF) {
        return LUN_NEXT;
    }

    if (n == NULL) {
        return first(r, conf);
    }

    return n->outcome == ASKING ? LUN_WAIT : on_answer(r, n, conf);
}


/* --- reading ------------------------------------------------------------- */

static void
get_package(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_request  *r = lun_request_of(s);
    const negotiate    *n = lun_http_state(r->main,
                                           &lun_http_auth_negotiate);

    v->known = 1;
    v->not_found = n == NULL || n->outcome != KNOWN;

    if (!v->not_found) {
        v->text = lun_str_z(n->package);
    }
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("auth_negotiate_package"), .get = get_package,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "how auth_negotiate knows the user: Kerberos or NTLM" },
    { .name = LUN_STR_NULL }
};


static const lun_enum  modes[] = {
    { "off", OFF }, { "on", ON }, { "kerberos", KERBEROS }, { NULL, 0 }
};

static const lun_enum  bindings[] = {
    { "off", LUN_SSPI_UNBOUND }, { "allow", LUN_SSPI_MAY_BIND },
    { "require", LUN_SSPI_MUST_BIND }, { NULL, 0 }
};


/* The generation's number of $remote_user. */
static lun_rc
init(lun_conf *cf)
{
    unsigned  index = lun_var_index(cf, LUN_STR("remote_user"));

    lun_http_set_gen_data(cf->gen, &lun_http_auth_negotiate,
                          (void *) (uintptr_t) index);
    return index != 0 ? LUN_OK : LUN_ERROR;
}


static lun_rc
set_keytab(lun_conf *cf, const lun_directive *d, void *data)
{
    negotiate_conf  *conf = data;

    conf->keytab = lun_conf_path(cf, cf->args[1], true);
    return LUN_OK;
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LIMIT_EXCEPT };

static const lun_directive  directives[] = {
    { .name = "auth_negotiate", .where = PLACES, .args = 1,
      .set = lun_set_enum, .data = modes, LUN_FIELD(negotiate_conf, mode),
      .fallback = "off", .values = "on | kerberos | off",
      .help = "asks who a client is by Kerberos, or Windows' own ways" },
    { .name = "auth_negotiate_realm", .where = PLACES, .args = 1,
      .set = lun_set_str, LUN_FIELD(negotiate_conf, realm), .fallback = "\"\"",
      .values = "realm",
      .help = "lets in this realm alone, whose name $remote_user is without" },
    { .name = "auth_negotiate_keytab", .where = PLACES, .args = 1,
      .set = set_keytab, LUN_FIELD(negotiate_conf, keytab),
      .values = "file",
      .help = "the server's keys (Linux; the system's, if not given)" },
    { .name = "auth_negotiate_channel_binding", .where = PLACES, .args = 1,
      .set = lun_set_enum, .data = bindings,
      LUN_FIELD(negotiate_conf, binding), .fallback = "allow",
      .values = "off | allow | require",
      .help = "whether clients have to say which TLS they speak to" },
    { .name = "require_group", .where = PLACES, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_str_list,
      LUN_FIELD(negotiate_conf, groups), .values = "group ...",
      .help = "of whom auth_negotiate knows, lets in who is in one of these" },
    { 0 }
};

lun_http_module  lun_http_auth_negotiate = {
    .name = "auth_negotiate",
    .directives = directives,
    .variables = variables,
    .keeps_state = true,
    .conf_size = sizeof(negotiate_conf),
    .init = init,
    .on[LUN_ACCESS] = on_access,
};
