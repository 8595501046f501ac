/*
 * status_page.c -- what the server says of itself, as a page for people.
 *
 *     location = /status { status_page; }
 *
 * The page is a part of the program.  It asks nobody but its own address, with
 * "?data", for the tree as JSON; a Content-Security-Policy that knows its style
 * and its script by their digests lets it do nothing else.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include <openssl/sha.h>

#include "base/digest.h"
#include "http/conf/http.h"
#include "modules/http/status/page.h"
#include "modules/http/status/status_priv.h"


typedef struct {
    bool  on;
} page_conf;

extern lun_http_module  lun_http_status_page;


/* --- the policy ---------------------------------------------------------- */

/* What stands between the tags of that name; there is one pair of them. */
static lun_str
part_of(lun_str page, const char *open, const char *close)
{
    const char  *from = strstr(page.data, open) + strlen(open);

    return lun_str_of(from, (size_t) (strstr(from, close) - from));
}


static lun_str
digest_of(lun_pool *pool, lun_str text)
{
    char           *room;
    unsigned char   digest[SHA256_DIGEST_LENGTH];

    (void) SHA256((const unsigned char *) text.data, text.len, digest);
    room = lun_pool_text(pool, lun_base64_len(sizeof(digest)));
    return lun_str_of(room, (size_t) (lun_base64_encode(room,
        lun_str_of((const char *) digest, sizeof(digest)), false, true)
        - room));
}


static lun_str
policy_of(lun_pool *pool, lun_str page)
{
    return lun_pool_fmt(pool, "default-src 'none'; connect-src 'self'; "
        "img-src data:; "
        "style-src 'sha256-%.*s'; script-src 'sha256-%.*s'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        LUN_S(digest_of(pool, part_of(page, "<style>", "</style>"))),
        LUN_S(digest_of(pool, part_of(page, "<script>", "</script>"))));
}


/* --- the answer ---------------------------------------------------------- */

/*
 * One file, and a policy that allows it nothing else: the page asks nobody but
 * this location for its data.
 */
static lun_verdict
on_content(lun_session *s)
{
    lun_str           value, page;
    lun_request      *r = lun_request_of(s);
    const page_conf  *conf = lun_http_conf(r, &lun_http_status_page);
    lun_status_ask    ask = { .path = LUN_STR(""), .conn = r->conn };

    if (!conf->on || !lun_http_has_content(r, &lun_http_status_page)) {
        return LUN_NEXT;
    }

    if (lun_status_arg(r, "data", &value)) {
        lun_http_set_out(r, LUN_STR("X-Content-Type-Options"),
                         LUN_STR("nosniff"));
        return lun_status_answer(r, &ask, ask.path);
    }

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        return LUN_STATUS + 405;
    }

    page = lun_str_of(lun_status_page_text, lun_status_page_size);
    lun_http_set_out(r, LUN_STR("Content-Security-Policy"),
                     *(const lun_str *) lun_http_gen_data(
                         lun_http_generation(r), &lun_http_status_page));
    lun_http_set_out(r, LUN_STR("X-Content-Type-Options"),
                     LUN_STR("nosniff"));
    lun_http_set_out(r, LUN_STR("Referrer-Policy"), LUN_STR("no-referrer"));
    lun_status_say_it_changes(r);
    r->out.charset = LUN_STR("utf-8");

    return lun_http_respond(r, 200, LUN_STR("text/html"), page);
}


static lun_rc
set_page(lun_conf *cf, const lun_directive *d, void *data)
{
    page_conf  *conf = data;

    conf->on = true;
    lun_http_set_content(cf, &lun_http_status_page);
    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    lun_str  *policy = lun_pool_new(cf->pool, lun_str);

    *policy = policy_of(cf->pool, lun_str_of(lun_status_page_text,
                                             lun_status_page_size));
    lun_http_set_gen_data(cf->gen, &lun_http_status_page, policy);
    lun_status_add_server(cf->gen);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "status_page", .where = LUN_LOCATION, .repeats = true,
      .set = set_page,
      .help = "answers with a page for people of what the server says of "
              "itself" },
    { 0 }
};

lun_http_module  lun_http_status_page = {
    .name = "status_page",
    .directives = directives,
    .conf_size = sizeof(page_conf),
    .init = init,
    .on[LUN_CONTENT] = on_content,
};
