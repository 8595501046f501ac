/*
 * options.c -- the command line.
 *
 * Letters may be joined (-tq) and a value may follow its letter at once
 * (-pDIR) or as the next word.  What people type is known as well: a first word
 * "reload" is -s with that word, and "start" the server itself.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/options.h"

#include <stdio.h>
#include <string.h>

#include "config/default_paths.h"
#include "os/dir.h"
#include "os/path.h"


static const struct {
    char    letter;
    size_t  flag;                  /* offsets of bools */
    size_t  flag_too;              /* or 0 */
} flags[] = {
    { 'h', offsetof(lun_options, show_help), 0 },
    { '?', offsetof(lun_options, show_help), 0 },
    { 'v', offsetof(lun_options, show_version), 0 },
    { 'V', offsetof(lun_options, show_build), 0 },
    { 't', offsetof(lun_options, test), 0 },
    { 'T', offsetof(lun_options, dump), offsetof(lun_options, test) },
    { 'q', offsetof(lun_options, quiet), 0 },
};

static const struct {
    char         letter;
    size_t       value;            /* offset of a lun_str */
    const char  *needs;
} values[] = {
    { 'p', offsetof(lun_options, prefix), "directory name" },
    { 'c', offsetof(lun_options, conf), "file name" },
    { 'e', offsetof(lun_options, error_log), "file name" },
    { 'g', offsetof(lun_options, params), "parameter" },
};

static const struct {
    const char  *name;
    lun_signal   signal;
} words[] = {
    { "stop", LUN_SIGNAL_STOP },
    { "quit", LUN_SIGNAL_QUIT },
    { "reopen", LUN_SIGNAL_REOPEN },
    { "reload", LUN_SIGNAL_RELOAD },
    { "dump", LUN_SIGNAL_DUMP },
    { "profile", LUN_SIGNAL_PROFILE },
};


static lun_rc
complain(const char *what)
{
    fprintf(stderr, LUN_PRODUCT ": %s\n", what);
    return LUN_ERROR;
}


static bool
set_flag(lun_options *o, char letter)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(flags); i++) {
        if (flags[i].letter == letter) {
            *(bool *) ((char *) o + flags[i].flag) = true;

            if (flags[i].flag_too != 0) {
                *(bool *) ((char *) o + flags[i].flag_too) = true;
            }

            return true;
        }
    }

    return false;
}


/* The rest of the word, or the next word; NULL if there is none. */
static const char *
take_value(const char *rest, int argc, char **argv, int *i)
{
    if (*rest != '\0') {
        return rest;
    }

    return *i + 1 < argc && argv[*i + 1][0] != '\0' ? argv[++*i] : NULL;
}


static lun_rc
set_value(lun_options *o, char letter, const char *value, lun_pool *pool)
{
    char    text[128];
    size_t  i;

    for (i = 0; values[i].letter != letter; i++) { /* it is there */ }

    if (value == NULL) {
        snprintf(text, sizeof(text), "option \"-%c\" requires %s", letter,
                 values[i].needs);
        return complain(text);
    }

    *(lun_str *) (void *) ((char *) o + values[i].value) =
        lun_pool_fmt(pool, "%s", value);

    return LUN_OK;
}


static bool
is_signal(lun_options *o, const char *name)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(words); i++) {
        if (strcmp(name, words[i].name) == 0) {
            o->signal = words[i].signal;
            return true;
        }
    }

    return false;
}


static lun_rc
set_signal(lun_options *o, const char *name)
{
    char  text[128];

    if (name == NULL) {
        return complain("option \"-s\" requires parameter");
    }

    if (is_signal(o, name)) {
        return LUN_OK;
    }

    snprintf(text, sizeof(text), "invalid option: \"-s %.80s\"", name);
    return complain(text);
}


static bool
has_value(char letter)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(values); i++) {
        if (values[i].letter == letter) {
            return true;
        }
    }

    return false;
}


static lun_rc
parse_word(lun_options *o, int argc, char **argv, int *i, lun_pool *pool)
{
    char         text[128];
    const char  *p = argv[*i];

    if (*p++ != '-') {
        snprintf(text, sizeof(text), "invalid option: \"%.80s\"", argv[*i]);
        return complain(text);
    }

    for ( /* void */ ; *p != '\0'; p++) {

        if (*p == 's') {
            return set_signal(o, take_value(p + 1, argc, argv, i));
        }

        if (has_value(*p)) {
            return set_value(o, *p, take_value(p + 1, argc, argv, i), pool);
        }

        if (!set_flag(o, *p)) {
            snprintf(text, sizeof(text), "invalid option: \"%c\"", *p);
            return complain(text);
        }
    }

    return LUN_OK;
}


static bool
ends_with_slash(lun_str s)
{
    char  last = s.len != 0 ? s.data[s.len - 1] : '\0';

    return last == '/'
           || (last == '\\' && lun_path_native == LUN_PATH_WINDOWS);
}


/* On Windows there is no place that everybody may write to: it is ours. */
static lun_str
default_prefix(lun_pool *pool)
{
    char  folder[4096];

    if (lun_path_native == LUN_PATH_WINDOWS
        && lun_dir_program(folder, sizeof(folder)) == 0)
    {
        return lun_pool_fmt(pool, "%s/", folder);
    }

    return LUN_STR(LUN_PREFIX);
}


/* Short names in it would make a look-up of requests for files below it. */
static lun_str
long_name(lun_str path, lun_pool *pool)
{
    char         room[4096];
    const char  *text = lun_pool_strz(pool, path);

    return lun_file_long_name(text, room, sizeof(room)) == 0
           ? lun_pool_fmt(pool, "%s", room) : path;
}


/*
 * Words of our own ("start", "reload") stand in front; everything else is
 * nginx's command line.
 */
lun_rc
lun_options_parse(lun_options *o, int argc, char **argv, lun_pool *pool)
{
    int  i;

    *o = (lun_options) { .signal = LUN_SIGNAL_NONE, .argv = argv };

    i = 1;

    if (argc > 1 && (strcmp(argv[1], "start") == 0 || is_signal(o, argv[1]))) {
        i = 2;
    }

    for ( ; i < argc; i++) {
        if (parse_word(o, argc, argv, &i, pool) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (o->prefix.len == 0) {
        o->prefix = default_prefix(pool);

    } else if (!ends_with_slash(o->prefix)) {
        o->prefix = lun_pool_fmt(pool, "%.*s/", LUN_S(o->prefix));
    }

    o->prefix = long_name(o->prefix, pool);

    if (o->conf.len == 0) {
        o->conf = LUN_STR(LUN_CONF_PATH);
    }

    if (o->error_log.len == 0) {
        o->error_log = LUN_STR(LUN_ERROR_LOG_PATH);
    }

    return LUN_OK;
}


lun_str
lun_options_path(const lun_options *o, lun_str path, lun_pool *pool)
{
    if (lun_path_is_absolute(path, lun_path_native)) {
        return lun_pool_fmt(pool, "%.*s", LUN_S(path));
    }

    return lun_pool_fmt(pool, "%.*s%.*s", LUN_S(o->prefix), LUN_S(path));
}
