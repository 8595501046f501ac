/*
 * ocsp_http.c -- questions to a responder of OCSP and its answers.
 *
 * The question goes into the path of a GET, in base64, since caches are in
 * front of most responders.  It is asked by HTTP/1.0: an answer has a length,
 * or ends with the connection, and is never in chunks.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/ocsp_http.h"

#include "base/digest.h"
#include "base/fmt.h"
#include "base/pool.h"
#include "format/uri.h"


enum { HTTP_PORT = 80 };


/* --- the question --------------------------------------------------------- */

/* Responders are asked in the clear: what they say is signed. */
const char *
lun_ocsp_url_parse(lun_str text, lun_url *url)
{
    const char  *wrong = lun_url_parse(text, url);

    if (!lun_str_caseeq(url->scheme, LUN_STR("http"))) {
        return "invalid URL prefix";
    }

    if (url->port == 0) {
        url->port = HTTP_PORT;
    }

    return wrong;
}


lun_str
lun_ocsp_http_request(const lun_url *url, lun_str der)
{
    char     *base64, *path, *text, *p;
    size_t    size;
    lun_str   question, escaped;

    base64 = lun_malloc(lun_base64_len(der.len) + 1);
    question = lun_str_of(base64, (size_t) (lun_base64_encode(base64, der,
                                                              false, true)
                                            - base64));
    path = lun_malloc(lun_uri_escaped_len(question, LUN_ESCAPE_COMPONENT)
                      + 1);
    escaped = lun_str_of(path, (size_t) (lun_uri_escape(path, question,
                                             LUN_ESCAPE_COMPONENT) - path));

    size = escaped.len + url->uri.len + url->authority.len + 128;
    p = text = lun_malloc(size);
    p = lun_fmt(p, text + size, "GET %.*s%s%.*s HTTP/1.0\r\nHost: %.*s\r\n"
                "Connection: close\r\n\r\n", LUN_S(url->uri),
                lun_str_ends(url->uri, LUN_STR("/")) ? "" : "/",
                LUN_S(escaped), LUN_S(url->authority));
    lun_free(base64);
    lun_free(path);
    return lun_str_of(text, (size_t) (p - text));
}


/* --- the answer ----------------------------------------------------------- */

/* The next line, without its end; false: it has not come yet. */
static bool
take_line(lun_str *rest, lun_str *line)
{
    const char  *end = lun_str_chr(*rest, '\n');

    if (end == NULL) {
        return false;
    }

    *line = lun_str_of(rest->data, (size_t) (end - rest->data));
    rest->len -= line->len + 1;
    rest->data += line->len + 1;

    if (line->len != 0 && line->data[line->len - 1] == '\r') {
        line->len--;
    }

    return true;
}


static lun_ocsp_http_verdict
bad(lun_ocsp_http *a, const char *why, lun_str what)
{
    a->why = why;
    a->what = what;
    return LUN_OCSP_HTTP_BAD;
}


static lun_ocsp_http_verdict
invalid(lun_ocsp_http *a)
{
    return bad(a, "OCSP responder sent invalid response", LUN_STR(""));
}


/* "HTTP/1.1 200 OK" */
static bool
is_good_status(lun_str line)
{
    enum { VERSION = 8, STATUS = 12 };

    return line.len >= STATUS
           && (lun_str_starts(line, LUN_STR("HTTP/1.0 200"))
               || lun_str_starts(line, LUN_STR("HTTP/1.1 200")))
           && line.data[VERSION] == ' '
           && (line.len == STATUS || line.data[STATUS] == ' ');
}


/* MORE: nothing is wrong with it. */
static lun_ocsp_http_verdict
take_field(lun_ocsp_http *a, lun_str line, uint64_t *length)
{
    lun_str      name, value;
    const char  *colon = lun_str_chr(line, ':');

    if (colon == NULL || colon == line.data) {
        return invalid(a);
    }

    name = lun_str_of(line.data, (size_t) (colon - line.data));
    value = lun_str_trim(lun_str_of(colon + 1, line.len - name.len - 1));

    if (lun_str_caseeq(name, LUN_STR("Content-Type"))
        && !lun_str_caseeq(value, LUN_STR("application/ocsp-response")))
    {
        return bad(a, "OCSP responder sent invalid \"Content-Type\" header",
                   value);
    }

    if (lun_str_caseeq(name, LUN_STR("Transfer-Encoding"))) {
        return invalid(a);
    }

    if (lun_str_caseeq(name, LUN_STR("Content-Length"))
        && (*length != UINT64_MAX || lun_str_to_u64(value, length) != LUN_OK))
    {
        return invalid(a);
    }

    return LUN_OCSP_HTTP_MORE;
}


lun_ocsp_http_verdict
lun_ocsp_http_parse(lun_str bytes, bool ended, lun_ocsp_http *answer)
{
    bool      first = true;
    lun_str   line, rest = bytes;
    uint64_t  length = UINT64_MAX;

    *answer = (lun_ocsp_http) { .why = "" };

    for ( ;; ) {
        if (!take_line(&rest, &line)) {
            return ended ? bad(answer, "OCSP responder prematurely closed "
                               "connection", LUN_STR(""))
                         : LUN_OCSP_HTTP_MORE;
        }

        if (line.len == 0 && !first) {
            break;
        }

        if (first && !is_good_status(line)) {
            return invalid(answer);
        }

        if (!first && take_field(answer, line, &length)
                      == LUN_OCSP_HTTP_BAD)
        {
            return LUN_OCSP_HTTP_BAD;
        }

        first = false;
    }

    if (length == UINT64_MAX ? !ended : rest.len < length) {
        return ended ? bad(answer, "OCSP responder prematurely closed "
                           "connection", LUN_STR(""))
                     : LUN_OCSP_HTTP_MORE;
    }

    answer->body = lun_str_of(rest.data, length == UINT64_MAX
                                         ? rest.len : (size_t) length);
    return LUN_OCSP_HTTP_DONE;
}
