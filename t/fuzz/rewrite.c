/*
 * rewrite.c -- any bytes as a server's rewrite directives, and as a request
 * for it: read as a configuration, run through the phases in memory.
 *
 * Directives, words and patterns are made of pieces that bytes choose, so
 * that most configurations are read to their end.  The request must end once,
 * with a status, and all of it must be freed.
 *
 * Known attacks of this kind: CVE-2026-42945, CVE-2026-9256.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/fmt.h"
#include "http_help.h"
#include "http/request_header.h"
#include "modules/modules.h"


enum {
    TEXT_MAX  = 32 * 1024,
    LINES     = 9,                 /* of a block */
    VALUE_MAX = 64 * 1024          /* more, and the request ends */
};

typedef struct {
    const uint8_t  *p, *end;
    char           *out, *last;    /* the configuration's text */
    bool            growing;       /* the word repeats what may be long */
} input;

static char      text[TEXT_MAX];
static unsigned  answered;         /* how often the protocol heard the end */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* --- text from bytes --- */

static unsigned
byte(input *in)
{
    return in->p < in->end ? *in->p++ : 0;
}


static void
say(input *in, const char *s)
{
    size_t  n = lun_min(strlen(s), (size_t) (in->last - in->out));

    memcpy(in->out, s, n);
    in->out += n;
}


static const char *const  steady[] = {
    "", "/", "a", "b/", "x=1", "&", "?", "%41", "%", "+", "=", ":", ".html",
    "http://h", "$scheme", "${host}", "${http_x}", "$1", "$2", "$3", "$9",
    "${request_method}", "${mapped}", "${is_args}", "${request_uri}",
    "${cookie_c}", "${sent_http_x}", "${document_root}", "${server_name}",
    "${limit_rate}", "${status}"
};

/* What a `set` or `rewrite` may have made longer: one of these in a word. */
static const char *const  growing[] = {
    "${uri}", "${args}", "${a}", "${b}", "${c}", "${cap}", "${arg_x}",
    "${request_filename}", "$is_args$args", "${query_string}",
    "${document_uri}"
};

static const char *const  patterns[] = {
    "^", "$", "/", "a", "b", ".", "(.*)", "(a|b)", "(?<cap>.*)", "(?<a>b)",
    "[^/]+", "(x)?", "\\d", "\\\\", "\\.", "(?i)", "\\K", "(?=a)",
    "{2}", "+", "(?:b|)", "[a-c]", "(?!b)", "|", "\\1", "(b.?)*"
};

static const char *const  wrong[] = {
    "$", "${", "$-", "$none", "(", ")", "[", "(?<name", "{", "}", "\\"
};

#define PICK(in, list)  ((list)[byte(in) % LUN_ARRAY_LEN(list)])


static void
raw_byte(input *in)
{
    char  one[3] = { (char) byte(in) };

    if (one[0] == '$') {
        say(in, PICK(in, wrong));
        return;
    }

    if (one[0] == '"' || one[0] == '\\') {
        one[1] = one[0];
        one[0] = '\\';
    }

    say(in, one);
}


static void
word(input *in)
{
    unsigned  n = byte(in) % 6;

    in->growing = false;
    say(in, " \"");

    while (n-- > 0) {
        switch (byte(in) % 8) {

        case 0:
            raw_byte(in);
            break;

        case 1: case 2:
            if (!in->growing) {
                in->growing = true;
                say(in, PICK(in, growing));
                break;
            }
            /* fall through */

        default:
            say(in, PICK(in, steady));
        }
    }

    say(in, "\"");
}


static void
pattern(input *in)
{
    unsigned  n = byte(in) % 7;

    say(in, " \"");

    while (n-- > 0) {
        if (byte(in) % 8 == 0) {
            raw_byte(in);
        } else {
            say(in, PICK(in, patterns));
        }
    }

    say(in, "\"");
}


static void
condition(input *in)
{
    static const char *const  lefts[] = {
        "$a", "$uri", "$arg_x", "$mapped", "$request_method", "$b", "$cap"
    };
    static const char *const  operators[] = {
        " ~", " ~*", " !~", " !~*", " =", " !="
    };
    static const char *const  tests[] = {
        "-f", "!-f", "-d", "!-d", "-e", "!-e", "-x", "!-x", "-z"
    };

    unsigned  kind = byte(in) % 4;

    say(in, "(");

    if (kind == 0) {
        say(in, PICK(in, tests));
        word(in);

    } else {
        say(in, PICK(in, lefts));
    }

    if (kind > 1) {
        unsigned  op = byte(in) % LUN_ARRAY_LEN(operators);

        say(in, operators[op]);
        if (op < 4) {
            pattern(in);
        } else {
            word(in);
        }
    }

    say(in, " )");
}


static void
block(input *in, unsigned depth)
{
    static const char *const  names[] = {
        " $a", " $b", " $c", " $cap", " $arg_x", " $args", " $limit_rate",
        " $http_y", " $a", " $b"
    };
    static const char *const  flags[] = {
        "", "", " last", " break", " redirect", " permanent"
    };
    static const char *const  codes[] = {
        " 200", " 204", " 301", " 302", " 307", " 400", " 403", " 404",
        " 444", " 500", " 999", " 0", " 600"
    };
    static const char *const  misc[] = {
        "set_escape_uri", "set_unescape_uri", "set_quote_json_str",
        "set_quote_sql_str", "set_encode_base64", "set_decode_base64",
        "set_encode_hex", "set_decode_hex", "set_encode_base32",
        "set_decode_base32", "set_md5", "set_sha1", "set_if_empty"
    };

    unsigned  n = byte(in) % LINES;

    while (n-- > 0 && in->p < in->end) {
        switch (byte(in) % 8) {

        case 0: case 1:
            say(in, "set");
            say(in, PICK(in, names));
            word(in);
            break;

        case 2: case 3:
            say(in, "rewrite");
            pattern(in);
            word(in);
            say(in, PICK(in, flags));
            break;

        case 4:
            say(in, "return");
            say(in, PICK(in, codes));
            if (byte(in) % 2) {
                word(in);
            }
            break;

        case 5:
            say(in, PICK(in, misc));
            say(in, PICK(in, names));
            if (byte(in) % 2) {
                word(in);
            }
            break;

        case 6:
            say(in, "break");
            break;

        default:
            if (depth == 0) {
                break;
            }
            say(in, "if ");
            condition(in);
            say(in, " {\n");
            block(in, depth - 1);
            say(in, "}\n");
            continue;
        }

        say(in, ";\n");
    }
}


static lun_str
configuration(input *in)
{
    in->out = text;
    in->last = text + sizeof(text) - 64;

    say(in, "http { map $arg_x $mapped { default d; \"~^a(?<cap>.*)\" "
            "\"<$cap$arg_y>\"; \"\" $uri; }\nserver { root /none;\n"
            "recursive_error_pages on; rewrite_log on;\n"
            "set $a \"\"; set $b 1; set $c c; set $cap x;\n");
    block(in, 2);

    say(in, "location /a {\n");
    block(in, 2);
    say(in, "}\nlocation ~");
    pattern(in);
    say(in, " {\n");
    block(in, 1);
    say(in, "}\nlocation = /b/ { internal;\n");
    block(in, 1);
    say(in, "}\nlocation @n {\n");
    block(in, 1);
    say(in, "}\n");

    if (byte(in) % 2) {
        say(in, "error_page 403 404 500 =");
        word(in);
        say(in, ";\n");
    } else {
        say(in, "error_page 404 400 @n;\n");
    }

    in->last = text + sizeof(text);
    say(in, "} }\n");

    return lun_str_of(text, (size_t) (in->out - text));
}


/* --- modules --- */

/* What no configuration stops: texts that double. */
static lun_verdict
guard(lun_session *s)
{
    unsigned      i;
    lun_request  *r = lun_request_of(s);
    size_t        size = r->uri.len + r->args.len;

    for (i = 0; i < r->engine->values; i++) {
        size += r->values[i].known ? r->values[i].text.len : 0;
    }

    return size > VALUE_MAX ? LUN_STATUS + 500 : LUN_NEXT;
}


static lun_http_module  guards = {
    .name = "guard",
    .always = true,
    .on[LUN_SERVER_REWRITE] = guard,
    .on[LUN_REWRITE] = guard,
};

static lun_module *const  modules[] = {
    &lun_http_core.head, &lun_http_blocks.head, &lun_http_instructions.head,
    &lun_http_server_instructions.head, &lun_http_rewrite.head,
    &lun_http_set_misc.head, &lun_http_if.head, &lun_common_map, &guards.head,
    NULL
};

static lun_http_module *const  none[] = { NULL };

static const lun_http_module_lists  lists = { modules, none, none };


/* --- a protocol that nobody speaks --- */

static lun_rc
send_header(lun_request *r)
{
    read_all(r->out.content_type);
    read_all(r->out.status_line);

    lun_header_each(&r->out.list, h) {
        read_all(h->name);
        read_all(h->value);
    }

    r->header_sent = 1;
    return LUN_OK;
}


static lun_rc
send_body(lun_request *r, lun_buf *in)
{
    for ( ; in != NULL; in = in->next) {
        if (!in->in_file) {
            read_all(lun_str_of(in->pos, (size_t) (in->last - in->pos)));
        }

        r->done |= in->eof;
        in->pos = in->last;
    }

    return LUN_OK;
}


static void
on_end(lun_request *r)
{
    unsigned  i;

    LUN_CHECK(r->references == 0 && r->ended && !r->running);
    LUN_CHECK(r->header_sent || r->aborted);

    read_all(r->uri);
    read_all(r->args);
    read_all(r->exten);

    for (i = 0; i < r->engine->values; i++) {
        if (r->values[i].known && !r->values[i].not_found) {
            read_all(r->values[i].text);
        }
    }

    answered++;
    lun_request_free(r);
}


static const lun_http_protocol  protocol = {
    .send_header = send_header,
    .send_body = send_body,
    .pull_body = no_body,
    .watch = nothing,
    .finish = on_end,
    .drop = on_end,
};


/* --- the run --- */

static void
request(lun_generation *gen, input *in, lun_log *log)
{
    static const char *const  targets[] = {
        "/a", "/a/b/", "/b/", "/", "/a%41?x=ab&y=%20", "/a+b?x=", "/aa/b.html",
        "/b?x=axy&x=2", "/%25?%25", "/abab/?", "/a%0ab"
    };

    lun_conn      c = { .mark = LUN_MARK_CONN, .log = *log, .local_known = 1 };
    const char   *mark;
    lun_str       path;
    lun_request  *r;

    LUN_CHECK(lun_addr_parse(LUN_STR("127.0.0.1:80"), &c.remote) == LUN_OK);
    c.local = c.remote;
    in->out = text;
    in->last = text + sizeof(text);
    say(in, PICK(in, targets));

    while (in->p < in->end && in->out - text < 200) {
        *in->out++ = (char) byte(in);
    }

    r = new_request(gen, &c, &protocol);
    r->target = lun_pool_str(r->pool, lun_str_of(text, (size_t)
                             (in->out - text)));
    path = r->target;
    mark = lun_str_chr(path, '?');

    if (mark != NULL) {
        path.len = (size_t) (mark - path.data);
        r->args = lun_str_of(mark + 1, r->target.len - path.len - 1);
    }

    answered = 0;

    if (lun_http_in_path(r, lun_core_conf_of(r), path, false) == LUN_OK) {
        lun_http_run(r);

    } else {
        lun_http_finish(r, LUN_STATUS + 400);
    }

    LUN_CHECK(answered == 1 && lun_http_active() == 0);
}


static void
hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    LUN_CHECK(level != LUN_LOG_ALERT
              || memmem(line, len, "pcre2_match() failed", 20) != NULL);
    read_all(lun_str_of(line, len));
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input            in = { .p = data, .end = data + size };
    lun_log_target   target = { .level = LUN_LOG_NOTICE, .write = hear };
    lun_log          log = { .level = LUN_LOG_NOTICE, .targets = &target };
    lun_str          conf;
    lun_generation  *gen = generation(&lists);

    lun_log_set_default(&log);
    lun_regex_set_match_limit(2000);

    conf = lun_pool_str(gen->pool, configuration(&in));

    if (read_conf(gen, conf, &log) == LUN_OK) {
        request(gen, &in, &log);
    }

    end_generation(gen);
    return 0;
}
