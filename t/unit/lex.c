/*
 * lex.c -- nginx.conf as tokens: what separates, quotes, escapes and ends.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/config/lex.c"

#include "base/fmt.h"
#include "tap.h"


static lun_pool  *pool;

/* A word as it is, "a word that was quoted", the marks, then the end. */
static const struct {
    const char  *text;
    const char  *tokens;
} cases[] = {
    { "",                         "END1" },
    { " \t\r\n",                  "END2" },
    { "a b;",                     "a|b|;|END1" },
    { "a{b;}",                    "a|{|b|;|}|END1" },
    { "a\tb\r\nc",                "a|b|c|END2" },
    { "# c\na; #d",               "a|;|END2" },
    { "a#b;",                     "a#b|;|END1" },
    { "a \"b c\" 'd;e';",         "a|\"b c\"|\"d;e\"|;|END1" },
    { "'a\"b' \"c'd\"",           "\"a\"b\"|\"c'd\"|END1" },
    { "\"\" ''",                  "\"\"|\"\"|END1" },
    { "a\"b c\"d",                "a\"b|c\"d|END1" },
    { "'a\nb' c",                 "\"a\nb\"|c|END2" },
    { "a\\ b",                    "a\\ b|END1" },
    { "a\\;b;",                   "a\\;b|;|END1" },
    { "\\{ \\#",                  "\\{|\\#|END1" },
    { "\\t \"\\r\\n\"",           "\t|\"\r\n\"|END1" },
    { "\"a\\\"b\" 'c\\'d' \\\\",  "\"a\"b\"|\"c'd\"|\\|END1" },
    { "^\\.(\\w+)\\.php$",        "^\\.(\\w+)\\.php$|END1" },
    { "${a}b",                    "${a}b|END1" },
    { "a${b}/$c{",                "a${b}/$c|{|END1" },
    { "$a;",                      "$a|;|END1" },
    { "a}b}",                     "a}b}|END1" },
    { "; }",                      ";|}|END1" },
    { "if ($a = \"b\") {",        "if|($a|=|\"b\"|)|{|END1" },
    { "\"b\"{",                   "\"b\"|{|END1" },
    { "\xef\xbb\xbf" "a;",        "a|;|END1" },
    { "a \xef\xbb\xbf",           "a|\xef\xbb\xbf|END1" },
    { "a\\",                      "a\\|END1" },
    { "'a",                       "CUT1" },
    { "b \"a\n\\\"",              "b|CUT2" },
    { "'a'b",                     "unexpected \"b\"1" },
    { "x\n'a'\"b\"",              "x|unexpected \"\"\"2" },
    { "'a'}",                     "unexpected \"}\"1" },
};


/* What the tokens of a text are, on one line. */
static const char *
tokens_of(const char *text)
{
    char        *p;
    lun_lexer    lx;
    lun_token    t;
    static char  out[1024];
    const char  *end = out + sizeof(out) - 1;

    p = out;
    lun_lex_init(&lx, lun_str_of(tap_edge(text, strlen(text)), strlen(text)),
                 pool);

    for ( ;; ) {
        lun_lex_next(&lx, &t);

        if (t.kind == LUN_LEX_END) {
            p = lun_fmt(p, end, "%s%u", t.quoted ? "CUT" : "END", t.end_line);
            break;
        }

        if (t.kind == LUN_LEX_BAD) {
            p = lun_fmt(p, end, "%s%u", t.error, t.end_line);
            break;
        }

        p = lun_fmt(p, end, t.quoted ? "\"%.*s\"|" : "%.*s|", LUN_S(t.text));
    }

    *p = '\0';
    return out;
}


static void
test_tokens(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        is_str(tokens_of(cases[i].text), cases[i].tokens, "tokens, case %d",
               (int) i);
    }
}


static void
test_lines(void)
{
    lun_lexer  lx;
    lun_token  t;

    lun_lex_init(&lx, LUN_STR("\n\n'a\nb\n' c"), pool);

    lun_lex_next(&lx, &t);
    is_int(t.line, 3, "a word knows the line where it begins");
    is_int(t.end_line, 5, "and the line of its closing quote");

    lun_lex_next(&lx, &t);
    is_int(t.line, 5, "the next is on that line");
}


static void
test_views(void)
{
    lun_lexer  lx;
    lun_token  t;
    lun_str    text = LUN_STR("abc a\\tc");

    lun_lex_init(&lx, text, pool);

    lun_lex_next(&lx, &t);
    ok(t.text.data == text.data, "a plain word is a view");

    lun_lex_next(&lx, &t);
    ok(t.text.data < text.data || t.text.data >= text.data + text.len,
       "an unescaped one is a copy");
}


static void
test_long_words(void)
{
    char       text[5000];
    lun_lexer  lx;
    lun_token  t;

    memset(text, 'x', sizeof(text));

    lun_lex_init(&lx, lun_str_of(text, sizeof(text)), pool);
    lun_lex_next(&lx, &t);
    is_int(t.kind, LUN_LEX_BAD, "a word of 5000 bytes is refused");
    is_str(t.error, "too long parameter \"xxxxxxxxxx...\" started",
           "with its first bytes");

    lun_lex_init(&lx, lun_str_of(text, 4096), pool);
    lun_lex_next(&lx, &t);
    is_int(t.kind, LUN_LEX_WORD, "one of 4096 is not");

    text[0] = '\'';
    text[1] = '\n';
    lun_lex_init(&lx, lun_str_of(text, sizeof(text)), pool);
    lun_lex_next(&lx, &t);
    is_str(t.error, "too long parameter, probably missing terminating "
           "\"'\" character", "a quote that was forgotten");
    is_int(t.end_line, 1, "at the line where it begins");
}


/* The text after the {; what is taken of it, or the error. */
static const struct {
    const char  *text;
    const char  *taken;
    const char  *rest;
} lua_cases[] = {
    { "}",                        "",                     "" },
    { " x = {1,{2}} } y",         " x = {1,{2}} ",        " y" },
    { "\"}\" }z",                 "\"}\" ",               "z" },
    { "'}' '\\'}' }z",            "'}' '\\'}' ",          "z" },
    { "a --}\n}z",                "a --}\n",              "z" },
    { "a - b }z",                 "a - b ",               "z" },
    { "--[[ } ]] }z",             "--[[ } ]] ",           "z" },
    { "--[==[ }\n]] ]=] ]==]}z",  "--[==[ }\n]] ]=] ]==]", "z" },
    { "--[=}\n}z",                "--[=}\n",              "z" },
    { "[[}]] }z",                 "[[}]] ",               "z" },
    { "[=[}]]]=]}z",              "[=[}]]]=]",            "z" },
    { "a[b]}z",                   "a[b]",                 "z" },
    { "a[b[1]]}z",                "a[b[1]]",              "z" },
    { "'\\\n}' }z",               "'\\\n}' ",             "z" },
    { "'no end\n}z",              "'no end\n",            "z" },
    { "# }",                      "# ",                   "" },
};

static const struct {
    const char  *text;
    const char  *error;
    unsigned     line;
} lua_errors[] = {
    { "a {\n}", "unexpected end of file, expecting terminating characters "
                "for lua code block", 2 },
    { "'}", "unexpected end of file, expecting terminating characters "
            "for lua code block", 1 },
    { "\n[[\n}", "Lua code block missing the closing long bracket \"]]\", the "
                 "inlined Lua code may be too long", 2 },
    { "--[==[ ]=] }", "Lua code block missing the closing long bracket "
                      "\"]==]\", the inlined Lua code may be too long", 1 },
    { "-", "unexpected end of file, expecting terminating characters "
           "for lua code block", 1 },
    { "[=", "unexpected end of file, expecting terminating characters "
            "for lua code block", 1 },
};


static void
test_lua(void)
{
    size_t       i, len;
    lun_rc       rc;
    lun_str      text;
    unsigned     line;
    lun_lexer    lx;
    const char  *t;

    for (i = 0; i < LUN_ARRAY_LEN(lua_cases); i++) {
        len = strlen(lua_cases[i].text);
        t = tap_edge(lua_cases[i].text, len);
        lun_lex_init(&lx, lun_str_of(t, len), pool);
        lx.line = 7;

        rc = lun_lex_lua_block(&lx, &text, &line);
        is_mem(text.data, rc == LUN_OK ? text.len : 0, lua_cases[i].taken,
               strlen(lua_cases[i].taken), "a Lua block, case %d", (int) i);
        is_mem(lx.pos, (size_t) (lx.end - lx.pos), lua_cases[i].rest,
               strlen(lua_cases[i].rest), "and what is left");
    }

    is_int(line, 7, "its first line is the brace's");

    for (i = 0; i < LUN_ARRAY_LEN(lua_errors); i++) {
        len = strlen(lua_errors[i].text);
        t = tap_edge(lua_errors[i].text, len);
        lun_lex_init(&lx, lun_str_of(t, len), pool);

        rc = lun_lex_lua_block(&lx, &text, &line);
        is_int(rc, LUN_ERROR, "no Lua block, case %d", (int) i);
        is_str(lx.error, lua_errors[i].error, "says so");
        is_int(lx.line, lua_errors[i].line, "and where");
    }
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);

    test_tokens();
    test_lines();
    test_views();
    test_long_words();
    test_lua();

    lun_pool_free(pool);
    return done_testing();
}
