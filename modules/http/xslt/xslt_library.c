/*
 * xslt_library.c -- documents and stylesheets by libxml2 and libxslt, which
 * are looked for when a configuration asks for them: neither build nor start
 * need them.  No struct of theirs is looked into but the head of an error.
 *
 * What a document says of files is not believed: what it names as its DTD is
 * replaced by ours before it is parsed, and other entities are read only where
 * that is allowed.  Stylesheets are the configuration's, and may read files.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/xslt/xslt_priv.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/check.h"
#include "os/library.h"


typedef void *loader_fn(const char *url, const char *id, void *parser);
typedef void say_fn(void *data, const char *fmt, ...);

/* As an error of libxml2 begins. */
typedef struct {
    int   domain, code;
    char *text;
} xml_error;

typedef void complain_fn(void *data, const xml_error *error);

static struct {
    bool         loaded;

    /* libxml2 */
    void        *(*read_file)(const char *path, const char *encoding, int);
    void        *(*read_memory)(const char *text, int size, const char *url,
                                const char *encoding, int options);
    void         (*free_doc)(void *doc);
    void        (**free)(void *);      /* a variable */
    void         (*set_loader)(loader_fn *);
    loader_fn   *(*get_loader)(void);
    loader_fn   *no_net_loader;
    void        *(*new_buffer)(const char *text, int size, int encoding);
    void        *(*new_input)(void *parser, void *buffer, int encoding);
    void         (*on_error)(void *data, complain_fn *);
    void        *(*new_xpath)(void *doc);
    void        *(*eval)(const char *text, void *xpath);
    char        *(*to_text)(void *object);
    void         (*free_object)(void *object);
    void         (*free_xpath)(void *xpath);

    /* libxslt */
    void        *(*new_sheet)(void *doc);
    void         (*free_sheet)(void *sheet);
    void        *(*new_run)(void *sheet, void *doc);
    void         (*free_run)(void *run);
    int          (*quote)(void *run, const char *name, const char *value);
    void        *(*apply)(void *sheet, void *doc, const char **params,
                          const char *output, FILE *profile, void *run);
    int          (*save)(char **text, int *size, void *doc, void *sheet);
    void         (*on_say)(void *data, say_fn *);
} xml;

static const struct {
    const char  *name;
    void        *at;
    bool         xslt;             /* of libxslt */
} symbols[] = {
    { "xmlReadFile", &xml.read_file, false },
    { "xmlReadMemory", &xml.read_memory, false },
    { "xmlFreeDoc", &xml.free_doc, false },
    { "xmlFree", &xml.free, false },
    { "xmlSetExternalEntityLoader", &xml.set_loader, false },
    { "xmlGetExternalEntityLoader", &xml.get_loader, false },
    { "xmlNoNetExternalEntityLoader", &xml.no_net_loader, false },
    { "xmlParserInputBufferCreateMem", &xml.new_buffer, false },
    { "xmlNewIOInputStream", &xml.new_input, false },
    { "xmlSetStructuredErrorFunc", &xml.on_error, false },
    { "xmlXPathNewContext", &xml.new_xpath, false },
    { "xmlXPathEvalExpression", &xml.eval, false },
    { "xmlXPathCastToString", &xml.to_text, false },
    { "xmlXPathFreeObject", &xml.free_object, false },
    { "xmlXPathFreeContext", &xml.free_xpath, false },
    { "xsltParseStylesheetDoc", &xml.new_sheet, true },
    { "xsltFreeStylesheet", &xml.free_sheet, true },
    { "xsltNewTransformContext", &xml.new_run, true },
    { "xsltFreeTransformContext", &xml.free_run, true },
    { "xsltQuoteOneUserParam", &xml.quote, true },
    { "xsltApplyStylesheetUser", &xml.apply, true },
    { "xsltSaveResultToString", &xml.save, true },
    { "xsltSetGenericErrorFunc", &xml.on_say, true },
};

/* How libxml2 parses. */
enum {
    SUBSTITUTE = 2, LOAD_DTD = 4, DTD_DEFAULTS = 8, NO_NET = 2048,
    NO_CDATA = 16384,
    AS_SHEET = SUBSTITUTE | LOAD_DTD | DTD_DEFAULTS | NO_CDATA
};

/* The address by which the parser asks us for our DTD. */
#define DTD_URL  "lunette:dtd"

struct lun_xslt_sheet {
    void    *style;
    bool     guesses;              /* it does not say what it makes */
    lun_str  type, charset;
};


static lun_library *
open_one(const char *const *names, size_t count)
{
    size_t        i;
    lun_err       err;
    lun_library  *library = NULL;

    for (i = 0; i < count && library == NULL; i++) {
        library = lun_library_open(names[i], &err);
    }

    return library;
}


/* More functions for stylesheets, where somebody has them. */
static void
load_extensions(void)
{
    void          *symbol;
    lun_library   *library;
    void         (*enroll)(void);

    static const char *const  names[] = {
        "libexslt.so.0", "libexslt.dll", "libexslt-0.dll"
    };

    library = open_one(names, LUN_ARRAY_LEN(names));
    symbol = library == NULL ? NULL
             : lun_library_symbol(library, "exsltRegisterAll");

    if (symbol != NULL) {
        memcpy(&enroll, &symbol, sizeof(symbol));
        enroll();
    }
}


lun_rc
lun_xslt_load(const char **why)
{
    void         *symbol;
    size_t        i;
    lun_library  *libxml, *libxslt;

    static const char *const  xml_names[] = {
        "libxml2.so.2", "libxml2.so.16", "libxml2.dll", "libxml2-2.dll"
    };
    static const char *const  xslt_names[] = {
        "libxslt.so.1", "libxslt.dll", "libxslt-1.dll"
    };

    if (xml.loaded) {
        return LUN_OK;
    }

    /* What it needs comes with it: its libxml2 must be ours. */
    libxslt = open_one(xslt_names, LUN_ARRAY_LEN(xslt_names));
    libxml = libxslt == NULL ? NULL
             : open_one(xml_names, LUN_ARRAY_LEN(xml_names));

    if (libxml == NULL) {
        *why = "the library libxslt is not here (libxslt.so.1, of the package "
               "libxslt1.1; libxslt.dll and libxml2.dll beside the program)";
        return LUN_ERROR;
    }

    for (i = 0; i < LUN_ARRAY_LEN(symbols); i++) {
        symbol = lun_library_symbol(symbols[i].xslt ? libxslt : libxml,
                                    symbols[i].name);
        memcpy(symbols[i].at, &symbol, sizeof(symbol));

        if (symbol == NULL) {
            *why = "the library libxslt that is here is not known";
            return LUN_ERROR;
        }
    }

    load_extensions();
    xml.loaded = true;
    return LUN_OK;
}


/* --- what the libraries say ---------------------------------------------- */

static void
log_text(const lun_log *log, const char *text, size_t len)
{
    while (len > 0 && (unsigned char) text[len - 1] <= ' ') {
        len--;
    }

    if (len > 0) {
        lun_log(LUN_LOG_ERR, log, 0, "libxml2 error: \"%.*s\"", (int) len,
                text);
    }
}


static void
on_complaint(void *data, const xml_error *error)
{
    if (error->text != NULL) {
        log_text(data, error->text, lun_min(strlen(error->text),
                                            (size_t) LUN_LOG_LINE));
    }
}


static void  on_word(void *data, const char *fmt, ...) LUN_PRINTF(2, 3);


static void
on_word(void *data, const char *fmt, ...)
{
    int      n;
    char     text[1024];
    va_list  args;

    va_start(args, fmt);
    n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);

    if (n > 0) {
        log_text(data, text, lun_min((size_t) n, sizeof(text) - 1));
    }
}


static void
listen_to(const lun_log *log)
{
    void  *data = (void *) (uintptr_t) log;

    xml.on_error(data, log != NULL ? on_complaint : NULL);
    xml.on_say(data, log != NULL ? on_word : NULL);
}


/* --- documents ----------------------------------------------------------- */

/* Of the document that is being parsed. */
static lun_str  our_dtd;
static bool     may_read_files;


static void *
load_entity(const char *url, const char *id, void *parser)
{
    void  *buffer;

    if (url != NULL && our_dtd.len != 0 && strcmp(url, DTD_URL) == 0) {
        buffer = xml.new_buffer(our_dtd.data, (int) our_dtd.len, 0);
        return buffer != NULL ? xml.new_input(parser, buffer, 0) : NULL;
    }

    return may_read_files ? xml.no_net_loader(url, id, parser) : NULL;
}


static const char *
skip_space(const char *p, const char *end)
{
    while (p != end && (unsigned char) *p <= ' ') {
        p++;
    }

    return p;
}


/* Behind the text; NULL: it is not there. */
static const char *
find_end(const char *p, const char *end, lun_str text)
{
    for (; (size_t) (end - p) >= text.len; p++) {
        if (memcmp(p, text.data, text.len) == 0) {
            return p + text.len;
        }
    }

    return NULL;
}


static bool
begins(const char *p, const char *end, lun_str text)
{
    return (size_t) (end - p) >= text.len
           && memcmp(p, text.data, text.len) == 0;
}


/* Behind a text in quotes; NULL: there is none. */
static const char *
skip_quoted(const char *p, const char *end)
{
    const char  *close;

    p = skip_space(p, end);

    if (p == end || (*p != '"' && *p != '\'')) {
        return NULL;
    }

    close = memchr(p + 1, *p, (size_t) (end - p) - 1);
    return close != NULL ? close + 1 : NULL;
}


/* Behind the name in <!DOCTYPE name ...; NULL: there is none. */
static const char *
find_doctype(const char *p, const char *end)
{
    const char  *name;

    if (begins(p, end, LUN_STR("\xef\xbb\xbf"))) {
        p += 3;
    }

    for (p = skip_space(p, end); p != NULL; ) {

        if (begins(p, end, LUN_STR("<?"))) {
            p = find_end(p, end, LUN_STR("?>"));

        } else if (begins(p, end, LUN_STR("<!--"))) {
            p = find_end(p + 4, end, LUN_STR("-->"));

        } else {
            break;
        }

        if (p != NULL) {
            p = skip_space(p, end);
        }
    }

    if (p == NULL || !begins(p, end, LUN_STR("<!DOCTYPE"))) {
        return NULL;
    }

    p = skip_space(p + sizeof("<!DOCTYPE") - 1, end);

    for (name = p; p != end && (unsigned char) *p > ' ' && *p != '['
                   && *p != '>'; p++)
    {
        /* void */
    }

    return p != name && p != end ? p : NULL;
}


/*
 * The document with our DTD in the place of its own.  One whose beginning is
 * not understood (it may be UTF-16) stays as it is: what it names is then for
 * load_entity() to refuse.
 */
static lun_str
with_our_dtd(lun_pool *pool, lun_str text)
{
    char        *room, *p;
    lun_str      ours = our_dtd.len != 0
                        ? LUN_STR(" SYSTEM \"" DTD_URL "\"") : LUN_STR("");
    const char  *at, *end, *rest;

    if (text.len == 0) {
        return text;
    }

    end = text.data + text.len;
    at = find_doctype(text.data, end);

    if (at == NULL) {
        return text;
    }

    rest = skip_space(at, end);

    if (begins(rest, end, LUN_STR("SYSTEM"))) {
        rest = skip_quoted(rest + 6, end);

    } else if (begins(rest, end, LUN_STR("PUBLIC"))) {
        rest = skip_quoted(rest + 6, end);
        rest = rest != NULL ? skip_quoted(rest, end) : NULL;
    }

    if (rest == NULL) {
        return text;
    }

    room = lun_pool_alloc_try(pool, text.len + ours.len);

    if (room == NULL) {
        return text;
    }

    p = lun_copy(room, text.data, (size_t) (at - text.data));
    p = lun_copy_str(p, ours);
    p = lun_copy(p, rest, (size_t) (end - rest));
    return lun_str_of(room, (size_t) (p - room));
}


/* NULL: it is none. */
static void *
parse(lun_pool *pool, lun_str text, lun_str dtd, bool may_read)
{
    int         options = SUBSTITUTE | NO_NET;
    void       *doc = NULL;
    loader_fn  *usual = xml.get_loader();

    if (dtd.len > INT32_MAX) {
        return NULL;
    }

    our_dtd = dtd;
    may_read_files = may_read;
    text = with_our_dtd(pool, text);

    if (dtd.len != 0) {
        options |= LOAD_DTD;
    }

    if (text.len <= INT32_MAX) {
        xml.set_loader(load_entity);
        doc = xml.read_memory(text.data, (int) text.len, NULL, NULL, options);
        xml.set_loader(usual);
    }

    our_dtd = LUN_STR_NULL;
    return doc;
}


bool
lun_xslt_is_dtd(lun_str dtd, const lun_log *log)
{
    void      *doc;
    lun_pool  *pool = lun_pool_new_sized(1024);

    LUN_CHECK(xml.loaded);

    listen_to(log);
    doc = parse(pool, LUN_STR("<!DOCTYPE x><x/>"), dtd, false);
    listen_to(NULL);
    lun_pool_free(pool);

    if (doc != NULL) {
        xml.free_doc(doc);
    }

    return doc != NULL;
}


/* --- stylesheets --------------------------------------------------------- */

static void
free_sheet(void *style)
{
    xml.free_sheet(style);
}


/* An attribute, of the last xsl:output that has it; "": none says. */
static lun_str
output_of(lun_pool *pool, void *xpath, const char *name)
{
    char        *text = NULL;
    void        *object;
    lun_str      found = LUN_STR("");
    lun_str      path;

    path = lun_pool_fmt(pool, "string((/*/*[local-name()='output' and "
                        "namespace-uri()='http://www.w3.org/1999/XSL/"
                        "Transform']/@%s)[last()])", name);
    object = xml.eval(lun_pool_strz(pool, path), xpath);

    if (object != NULL) {
        text = xml.to_text(object);
        xml.free_object(object);
    }

    if (text != NULL) {
        found = lun_pool_str(pool, lun_str_z(text));
        (*xml.free)(text);
    }

    return found;
}


static void
learn_output(lun_pool *pool, lun_xslt_sheet *sheet, void *doc)
{
    void    *xpath = xml.new_xpath(doc);
    lun_str  method;

    if (xpath == NULL) {
        return;
    }

    method = output_of(pool, xpath, "method");
    sheet->type = output_of(pool, xpath, "media-type");
    sheet->charset = output_of(pool, xpath, "encoding");

    if (sheet->type.len == 0) {
        sheet->guesses = method.len == 0;
        sheet->type = lun_str_eq(method, LUN_STR("html"))
                      ? LUN_STR("text/html") : LUN_STR("");
    }

    xml.free_xpath(xpath);
}


lun_xslt_sheet *
lun_xslt_sheet_read(lun_pool *pool, const char *path, const lun_log *log)
{
    void            *doc;
    lun_xslt_sheet  *sheet = lun_pool_new(pool, lun_xslt_sheet);

    LUN_CHECK(xml.loaded);

    listen_to(log);
    doc = xml.read_file(path, NULL, AS_SHEET);

    if (doc != NULL) {
        learn_output(pool, sheet, doc);
        sheet->style = xml.new_sheet(doc);
    }

    listen_to(NULL);

    if (sheet->style == NULL) {
        if (doc != NULL) {
            xml.free_doc(doc);
        }

        return NULL;
    }

    lun_pool_on_end(pool, free_sheet, sheet->style);
    return sheet;
}


/* --- transforming -------------------------------------------------------- */

/* Texts go to the run at once, expressions when the document is there. */
static bool
give_params(void *run, const lun_xslt_step *step, const char **expressions,
    const lun_log *log)
{
    size_t                 i, n = 0;
    const lun_xslt_param  *p;

    for (i = 0; i < step->param_count; i++) {
        p = &step->params[i];

        if (!p->is_text) {
            expressions[n++] = p->name;
            expressions[n++] = p->value;

        } else if (xml.quote(run, p->name, p->value) != 0) {
            lun_log(LUN_LOG_ERR, log, 0, "xsltQuoteOneUserParam(\"%s\", "
                    "\"%s\") failed", p->name, p->value);
            return false;
        }
    }

    expressions[n] = NULL;
    return true;
}


/* The next document; NULL: logged.  The one before has gone in any case. */
static void *
apply(lun_pool *pool, void *doc, const lun_xslt_step *step,
    const lun_log *log)
{
    void        *run = xml.new_run(step->sheet->style, doc), *next = NULL;
    const char **expressions;

    expressions = lun_pool_new_n(pool, const char *,
                                 2 * step->param_count + 1);

    if (run != NULL && give_params(run, step, expressions, log)) {
        next = xml.apply(step->sheet->style, doc, expressions, NULL, NULL,
                         run);

        if (next == NULL) {
            lun_log(LUN_LOG_ERR, log, 0, "xsltApplyStylesheet() failed");
        }
    }

    if (run != NULL) {
        xml.free_run(run);

    } else {
        lun_log(LUN_LOG_ERR, log, 0, "xsltNewTransformContext() failed");
    }

    xml.free_doc(doc);
    return next;
}


static bool
looks_like_html(lun_str text)
{
    return lun_str_casestarts(text, LUN_STR("<html"))
           || lun_str_casestarts(text, LUN_STR("<!doctype html"));
}


/*
 * The style sheet says which type the result has; where it leaves that open, a
 * look at the result decides between HTML and XML.
 */
static lun_rc
save(lun_pool *pool, void *doc, const lun_xslt_sheet *sheet,
    lun_xslt_result *result, const lun_log *log)
{
    int      size = 0;
    char    *text = NULL, *room;

    if (xml.save(&text, &size, doc, sheet->style) != 0) {
        lun_log(LUN_LOG_ERR, log, 0, "xsltSaveResultToString() failed");
        return LUN_ERROR;
    }

    if (text == NULL || size <= 0) {
        lun_log(LUN_LOG_ERR, log, 0, "xsltSaveResultToString() returned "
                "zero-length result");
        return LUN_ERROR;
    }

    room = lun_pool_alloc_try(pool, (size_t) size);

    if (room != NULL) {
        memcpy(room, text, (size_t) size);
        result->text = lun_str_of(room, (size_t) size);
        result->type = sheet->guesses && looks_like_html(result->text)
                       ? LUN_STR("text/html") : sheet->type;
        result->charset = sheet->charset;
    }

    (*xml.free)(text);
    return room != NULL ? LUN_OK : LUN_ERROR;
}


/*
 * Each step has the result of the one before; apply() frees what it was given.
 * The library's words go to this request's log meanwhile.
 */
lun_rc
lun_xslt_run(lun_pool *pool, lun_str document, lun_str dtd, bool may_read,
    const lun_xslt_step *steps, size_t count, lun_xslt_result *result,
    const lun_log *log)
{
    void    *doc;
    size_t   i;
    lun_rc   rc = LUN_ERROR;

    LUN_CHECK(xml.loaded);
    LUN_CHECK(count > 0);

    listen_to(log);
    doc = parse(pool, document, dtd, may_read);

    if (doc == NULL) {
        lun_log(LUN_LOG_ERR, log, 0, "not well formed XML document");
    }

    for (i = 0; doc != NULL && i < count; i++) {
        doc = apply(pool, doc, &steps[i], log);
    }

    if (doc != NULL) {
        rc = save(pool, doc, steps[count - 1].sheet, result, log);
        xml.free_doc(doc);
    }

    listen_to(NULL);
    return rc;
}
