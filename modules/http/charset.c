/*
 * charset.c -- the charset of an answer: said, and made so.
 *
 *     charset koi8-r;  source_charset utf-8;
 *     charset_map koi8-r utf-8 { C0 D18E; ... }
 *
 * A map is for both directions, from bytes to bytes or to UTF-8.  A character
 * that is nowhere in a map goes out as "?", or "&#1094;" if it was UTF-8.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "http/filter_buf.h"


enum { OUT_SIZE = 4096, OUT_MOST = 32, UTF_MOST = 4 };

/* What one byte is in UTF-8. */
typedef struct {
    uint8_t  len;
    char     bytes[3];
} utf_text;

typedef struct {
    lun_str    from, to;
    uint8_t    there[256];
    uint8_t    back[256];
    bool       utf8;               /* `to` is, and these count: */
    utf_text   texts[256];
    uint8_t   *pages[256];         /* from a character / 256 */
} charset_map;

typedef struct {
    lun_script  *charset;          /* NULL: off */
    lun_script  *source;           /* NULL: what the answer says, if it does */
    bool         override_;
    lun_hash    *types;
} charset_conf;

/* What one configuration has. */
typedef struct {
    lun_array   maps;              /* of charset_map * */
    lun_array   names;             /* of lun_str: charsets that it names */
} charset_known;

/* A request whose bytes are changed. */
typedef struct {
    const charset_map  *map;
    bool                back;      /* from `to` to `from` */
    char                held[UTF_MOST];    /* the beginning of a character */
    size_t              held_len;
    lun_filter_buf      out;
} charset_state;

extern lun_http_module  lun_http_charset;


/* --- maps ---------------------------------------------------------------- */

static const charset_map *
find_map(lun_generation *gen, lun_str from, lun_str to, bool *back)
{
    size_t              i;
    const charset_map  *m;
    const charset_known *known = lun_http_gen_data(gen, &lun_http_charset);

    for (i = 0; known != NULL && i < known->maps.count; i++) {
        m = *(charset_map **) lun_array_at(&known->maps, i);
        *back = lun_str_caseeq(m->to, from) && lun_str_caseeq(m->from, to);

        if (*back
            || (lun_str_caseeq(m->from, from) && lun_str_caseeq(m->to, to)))
        {
            return m;
        }
    }

    return NULL;
}


/* One that a directive names: a server may ask for it. */
static bool
is_known(lun_generation *gen, lun_str name)
{
    size_t                i;
    const charset_known  *known = lun_http_gen_data(gen, &lun_http_charset);

    for (i = 0; known != NULL && i < known->names.count; i++) {
        if (lun_str_caseeq(*(lun_str *) lun_array_at(&known->names, i),
                           name))
        {
            return true;
        }
    }

    return false;
}


/*
 * A character and its length in bytes.  0: it goes on behind the text; -1:
 * there is none, *c is how many bytes are to be passed over.
 */
static int
decode(const char *p, size_t len, uint32_t *c)
{
    int      i, n;
    uint8_t  first = (uint8_t) *p;

    static const uint32_t  least[] = { 0, 0, 0x80, 0x800, 0x10000 };

    n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2
        : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    *c = n == 1 ? first : first & (0x7fU >> n);

    for (i = 1; i < n && (size_t) i < len; i++) {
        if (((uint8_t) p[i] & 0xc0) != 0x80) {
            *c = (uint32_t) i;
            return -1;
        }

        *c = *c << 6 | ((uint8_t) p[i] & 0x3f);
    }

    if (n != 0 && (size_t) n > len) {
        return 0;
    }

    if (n == 0 || *c < least[n]) {
        *c = (uint32_t) lun_max(n, 1);
        return -1;
    }

    return n;
}


/* --- the body ------------------------------------------------------------ */

static void
bytes_to_bytes(charset_state *s, lun_str text)
{
    char           *room;
    size_t          i, n;
    const uint8_t  *table = s->back ? s->map->back : s->map->there;

    while (text.len != 0) {
        room = lun_filter_buf_room(&s->out, &n);
        n = lun_min(n, text.len);

        for (i = 0; i < n; i++) {
            room[i] = (char) table[(uint8_t) text.data[i]];
        }

        lun_filter_buf_wrote(&s->out, n);
        text = lun_str_of(text.data + n, text.len - n);
    }
}


static void
bytes_to_utf8(charset_state *s, lun_str text)
{
    size_t           i;
    const utf_text  *one;

    for (i = 0; i < text.len; i++) {
        one = &s->map->texts[(uint8_t) text.data[i]];
        lun_filter_buf_put(&s->out, one->bytes, one->len);
    }
}


static void
put_character(charset_state *s, uint32_t c)
{
    char            byte, entity[16], *p;
    const uint8_t  *page = c <= 0xffff ? s->map->pages[c >> 8] : NULL;

    if (c < 0x80) {
        byte = (char) c;
        lun_filter_buf_put(&s->out, &byte, 1);

    } else if (page != NULL && page[c & 0xff] != 0) {
        lun_filter_buf_put(&s->out, (const char *) &page[c & 0xff], 1);

    } else {
        p = lun_fmt(entity, entity + sizeof(entity), "&#%u;", c);
        lun_filter_buf_put(&s->out, entity, (size_t) (p - entity));
    }
}


/* Returns how many bytes were used; the rest begins a character. */
static size_t
utf8_to_bytes(charset_state *s, const char *p, size_t len)
{
    int       n;
    size_t    used = 0;
    uint32_t  c;

    while (used < len) {
        n = decode(p + used, len - used, &c);

        if (n == 0) {
            break;
        }

        if (n < 0) {
            lun_filter_buf_put(&s->out, "?", 1);
            used += c;

        } else {
            put_character(s, c);
            used += (size_t) n;
        }
    }

    return used;
}


static void
from_utf8(charset_state *s, lun_str text)
{
    char    joint[2 * UTF_MOST];
    size_t  n, used;

    if (text.len == 0) {
        return;
    }

    if (s->held_len != 0) {
        n = lun_min(text.len, (size_t) UTF_MOST);
        memcpy(joint, s->held, s->held_len);
        memcpy(joint + s->held_len, text.data, n);
        used = utf8_to_bytes(s, joint, s->held_len + n);

        if (used < s->held_len) {  /* it is still only the beginning of one */
            memcpy(s->held + s->held_len, text.data, n);
            s->held_len += n;
            return;
        }

        used -= s->held_len;
        text = lun_str_of(text.data + used, text.len - used);
        s->held_len = 0;
    }

    used = utf8_to_bytes(s, text.data, text.len);
    s->held_len = text.len - used;
    memcpy(s->held, text.data + used, s->held_len);
}


static lun_rc
take(void *state, lun_str *text)
{
    charset_state  *s = state;

    if (!s->map->utf8) {
        bytes_to_bytes(s, *text);

    } else if (s->back) {
        from_utf8(s, *text);

    } else {
        bytes_to_utf8(s, *text);
    }

    text->len = 0;
    return LUN_OK;
}


static lun_rc
close_buf(void *state, lun_buf *b)
{
    charset_state  *s = state;

    if ((b->eof || b->eof_part) && s->held_len != 0) {
        s->held_len = 0;
        lun_filter_buf_put(&s->out, "?", 1);
    }

    lun_filter_buf_close(&s->out, b);
    return LUN_OK;
}


static const lun_filter  filter = {
    .module = &lun_http_charset,
    .step = OUT_SIZE,
    .take = take,
    .close = close_buf,
};


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    charset_state  *s = lun_http_state(r, &lun_http_charset);

    if (s == NULL) {
        return lun_http_next_body(r, &lun_http_charset, in);
    }

    return lun_filter_buf_run(&s->out, &filter, s, in);
}


/* --- the header ---------------------------------------------------------- */

/* The charset that the answer is to have; false: it is left alone. */
static bool
destination(lun_request *r, const charset_conf *conf, lun_str *name)
{
    if (r->parent != NULL) {
        *name = r->main->out.charset;
        return name->len != 0;
    }

    if (r->out.charset_wanted.len != 0 && r->out.content_type.len != 0) {
        *name = r->out.charset_wanted;

        if (is_known(lun_http_generation(r), *name)) {
            return true;
        }

        lun_log(LUN_LOG_ERR, r->log, 0, "unknown charset \"%.*s\" to "
                "override", LUN_S(*name));
        return false;
    }

    if (conf->charset == NULL || r->out.content_type.len == 0
        || lun_str_chr(r->out.content_type, ';') != NULL)
    {
        return false;
    }

    if (r->out.charset.len != 0 ? !conf->override_
                                : !lun_http_is_type(r, conf->types))
    {
        return false;
    }

    *name = lun_script_run(&r->session, conf->charset);
    return name->len != 0;
}


/* A redirect has none: an old browser would take it for the next page's. */
static void
say(lun_request *r, lun_str name)
{
    if (r->parent == NULL) {
        r->out.charset = r->out.status == 301 || r->out.status == 302
                         ? LUN_STR_NULL : name;
    }
}


static void
start(lun_request *r, const charset_map *map, bool back)
{
    charset_state  *s = lun_pool_new(r->pool, charset_state);

    s->map = map;
    s->back = back;
    lun_filter_buf_init(&s->out, r, OUT_SIZE, OUT_MOST);
    lun_http_set_state(r, &lun_http_charset, s);
    r->filter_need_in_memory = 1;

    if (r->parent == NULL && map->utf8) {
        lun_http_clear_length(r);
        lun_http_clear_ranges(r);
    }
}


/*
 * Bytes that are compressed can't be converted; only their name could be
 * changed, and would then be wrong.
 */
static lun_rc
on_header(lun_request *r)
{
    bool                 back, encoded;
    lun_str              source, name;
    const charset_map   *map;
    const charset_conf  *conf = lun_http_conf(r, &lun_http_charset);

    encoded = r->out.known[LUN_HOUT_CONTENT_ENCODING] != NULL;

    if (!destination(r, conf, &name)) {
        return lun_http_next_header(r, &lun_http_charset);
    }

    source = r->out.charset;

    if (source.len == 0 && conf->source != NULL) {
        source = lun_script_run(&r->session, conf->source);
    }

    if (source.len == 0 || lun_str_caseeq(source, name)) {
        say(r, name);
        return lun_http_next_header(r, &lun_http_charset);
    }

    if (encoded) {
        return lun_http_next_header(r, &lun_http_charset);
    }

    map = find_map(lun_http_generation(r), source, name, &back);

    if (map == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "no \"charset_map\" between the "
                "charsets \"%.*s\" and \"%.*s\"", LUN_S(source), LUN_S(name));
        return lun_http_next_header(r, &lun_http_charset);
    }

    say(r, name);
    start(r, map, back);
    return lun_http_next_header(r, &lun_http_charset);
}


/* --- charset_map --------------------------------------------------------- */

static lun_rc
invalid(lun_conf *cf, lun_str word)
{
    return lun_conf_fail(cf, "invalid value \"%.*s\"", LUN_S(word));
}


/*
 * The way back has one table for each 256 characters, made when one of them has
 * a byte.
 */
static lun_rc
add_utf8(lun_conf *cf, charset_map *m, uint8_t byte, lun_str word)
{
    size_t      i;
    uint32_t    c;
    uint64_t    n;
    utf_text   *t = &m->texts[byte];

    t->len = (uint8_t) (word.len / 2);

    if (word.len % 2 != 0 || t->len == 0 || t->len > sizeof(t->bytes)) {
        return invalid(cf, word);
    }

    for (i = 0; i < t->len; i++) {
        if (lun_str_hex_to_u64(lun_str_of(word.data + 2 * i, 2), &n)
            != LUN_OK)
        {
            return invalid(cf, word);
        }

        t->bytes[i] = (char) n;
    }

    if (decode(t->bytes, t->len, &c) != t->len) {
        return invalid(cf, word);
    }

    if (m->pages[c >> 8] == NULL) {
        m->pages[c >> 8] = lun_pool_zalloc(cf->pool, 256);
    }

    m->pages[c >> 8][c & 0xff] = byte;
    return LUN_OK;
}


static charset_known *
known_of(lun_conf *cf)
{
    charset_known  *known = lun_http_gen_data(cf->gen, &lun_http_charset);

    if (known == NULL) {
        known = lun_pool_new(cf->pool, charset_known);
        lun_array_init(&known->maps, cf->pool, sizeof(charset_map *), 2);
        lun_array_init(&known->names, cf->pool, sizeof(lun_str), 4);
        lun_http_set_gen_data(cf->gen, &lun_http_charset, known);
    }

    return known;
}


static void
add_name(lun_conf *cf, lun_str name)
{
    if (!is_known(cf->gen, name)) {
        *(lun_str *) lun_array_push(&known_of(cf)->names) = name;
    }
}


static lun_rc
read_line(lun_conf *cf, void *data)
{
    uint64_t      from, to;
    charset_map  *m = data;

    if (cf->argc != 2) {
        return lun_conf_fail(cf, "invalid parameters number");
    }

    if (lun_str_hex_to_u64(cf->args[0], &from) != LUN_OK || from > 255) {
        return invalid(cf, cf->args[0]);
    }

    if (m->utf8) {
        return add_utf8(cf, m, (uint8_t) from, cf->args[1]);
    }

    if (lun_str_hex_to_u64(cf->args[1], &to) != LUN_OK || to > 255) {
        return invalid(cf, cf->args[1]);
    }

    m->there[from] = (uint8_t) to;
    m->back[to] = (uint8_t) from;
    return LUN_OK;
}


static charset_map *
new_map(lun_conf *cf)
{
    unsigned      i;
    charset_map  *m = lun_pool_new(cf->pool, charset_map);

    m->from = cf->args[1];
    m->to = cf->args[2];
    m->utf8 = lun_str_caseeq(m->to, LUN_STR("utf-8"));

    for (i = 0; i < 256; i++) {
        m->there[i] = m->back[i] = (uint8_t) (i < 128 ? i : '?');
        m->texts[i] = (utf_text) { 1, { (char) m->there[i], 0, 0 } };
    }

    return m;
}


static lun_rc
set_map(lun_conf *cf, const lun_directive *d, void *data)
{
    bool          back;
    lun_str       from = cf->args[1], to = cf->args[2];
    charset_map  *m;

    if (lun_str_caseeq(from, to)) {
        return lun_conf_fail(cf, "\"charset_map\" between the same charsets "
                             "\"%.*s\" and \"%.*s\"", LUN_S(from), LUN_S(to));
    }

    if (find_map(cf->gen, from, to, &back) != NULL) {
        return lun_conf_fail(cf, "duplicate \"charset_map\" between "
                             "\"%.*s\" and \"%.*s\"", LUN_S(from),
                             LUN_S(to));
    }

    m = new_map(cf);
    add_name(cf, from);
    add_name(cf, to);
    *(charset_map **) lun_array_push(&known_of(cf)->maps) = m;

    return lun_conf_read_lines(cf, read_line, m, true);
}


/* --- other directives ---------------------------------------------------- */

static lun_rc
set_source(lun_conf *cf, const lun_directive *d, void *data)
{
    add_name(cf, cf->args[1]);
    return lun_set_script(cf, d, data);
}


static lun_rc
set_charset(lun_conf *cf, const lun_directive *d, void *data)
{
    charset_conf  *conf = data;

    if (lun_str_eq(cf->args[1], LUN_STR("off"))) {
        conf->charset = NULL;
        return LUN_OK;
    }

    return set_source(cf, d, data);
}


/* Maps may come later than the charsets that need them. */
static lun_rc
on_init(lun_generation *gen, void *data)
{
    bool                 back;
    lun_str              from, to;
    const charset_conf  *conf = data;

    from = lun_script_text(conf->source);
    to = lun_script_text(conf->charset);

    if (lun_str_caseeq(from, to)
        || find_map(gen, from, to, &back) != NULL)
    {
        return LUN_OK;
    }

    lun_log(LUN_LOG_EMERG, NULL, 0, "no \"charset_map\" between the charsets "
            "\"%.*s\" and \"%.*s\"", LUN_S(from), LUN_S(to));
    return LUN_ERROR;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    charset_conf  *conf = data;

    if (conf->charset == NULL || conf->source == NULL
        || lun_script_has_variables(lun_script_text(conf->charset))
        || lun_script_has_variables(lun_script_text(conf->source)))
    {
        return LUN_OK;
    }

    lun_gen_add_hook(cf->gen, &cf->gen->on_init, on_init, conf);
    return LUN_OK;
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LOCATION_IF };

static const lun_directive  directives[] = {
    { .name = "charset", .where = PLACES, .args = 1, .set = set_charset,
      LUN_FIELD(charset_conf, charset),
      .values = "charset | off",
      .help = "the charset that Content-Type names" },
    { .name = "source_charset", .where = PLACES, .args = 1,
      .set = set_source, LUN_FIELD(charset_conf, source),
      .values = "charset",
      .help = "the charset that pages are written in" },
    { .name = "override_charset", .where = PLACES, .args = 1,
      .set = lun_set_flag, LUN_FIELD(charset_conf, override_),
      .fallback = "off",
      .help = "names the charset even if the server has named one" },
    { .name = "charset_types", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_media_types,
      LUN_FIELD(charset_conf, types),
      .fallback = "text/html text/xml text/plain text/vnd.wap.wml "
                  "application/javascript application/rss+xml",
      .values = "mime-type ...",
      .help = "types that this is for" },
    { .name = "charset_map", .where = LUN_HTTP, .args = 2, .block = true,
      .repeats = true, .set = set_map,
      .values = "charset1 charset2",
      .help = "how one charset becomes another" },
    { 0 }
};

lun_http_module  lun_http_charset = {
    .name = "charset",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(charset_conf),
    .inherited = inherited,
    .header_filter = on_header,
    .body_filter = on_body,
};
