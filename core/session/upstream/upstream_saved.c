/*
 * upstream_saved.c -- state FILE; in an upstream: its servers are in a file,
 * which has what was changed of them while serving.
 *
 * The file is written by workers, so no more is taken from it than lines of
 * servers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_priv.h"


enum { MOST_WORDS = 32 };


/* The words of a line in `words`; false: there are too many, or no end. */
static bool
split(lun_str line, lun_str words[MOST_WORDS], size_t *count)
{
    size_t       i = 0, from;
    const char  *end = lun_str_chr(line, ';');

    *count = 0;

    if (end == NULL) {
        return false;
    }

    line.len = (size_t) (end - line.data);

    for ( ; ; ) {
        while (i < line.len && (line.data[i] == ' ' || line.data[i] == '\t')) {
            i++;
        }

        if (i == line.len) {
            return true;
        }

        if (*count == MOST_WORDS) {
            return false;
        }

        from = i;

        while (i < line.len && line.data[i] != ' ' && line.data[i] != '\t') {
            i++;
        }

        words[(*count)++] = lun_str_of(line.data + from, i - from);
    }
}


/* As if it stood in the block; the place is that in the file. */
static lun_rc
read_line(lun_conf *cf, lun_str line)
{
    size_t   count;
    lun_rc   rc;
    size_t   argc = cf->argc;
    lun_str *args = cf->args, *words;

    words = lun_pool_new_n(cf->pool, lun_str, MOST_WORDS);

    if (!split(line, words, &count) || count < 2
        || !lun_str_eq(words[0], LUN_STR("server")))
    {
        return lun_conf_fail(cf, "invalid line in a state file");
    }

    cf->args = words;
    cf->argc = count;
    rc = lun_upstream_set_server(cf, NULL, NULL);
    cf->args = args;
    cf->argc = argc;
    return rc;
}


static lun_rc
read_lines(lun_conf *cf, lun_str text)
{
    lun_str      line;
    const char  *end;

    for (cf->end_line = 1; text.len != 0; cf->end_line++) {
        line = text;
        end = lun_str_chr(text, '\n');

        if (end != NULL) {
            line.len = (size_t) (end - text.data);
        }

        text = lun_str_of(text.data + line.len + (end != NULL),
                          text.len - line.len - (end != NULL));
        line = lun_str_trim(line);

        if (line.len != 0 && line.data[0] != '#'
            && read_line(cf, line) != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


lun_rc
lun_upstream_set_state(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_rc         rc = LUN_OK;
    lun_err        err;
    lun_str        text, file = cf->file;
    unsigned       line = cf->line, end_line = cf->end_line;
    lun_upstream  *u = lun_upstream_current(cf);

    if (u->servers.count != 0) {
        return lun_conf_fail(cf, "\"state\" directive is incompatible with "
                             "\"server\"");
    }

    u->state = lun_conf_path(cf, cf->args[1], false);
    err = lun_conf_asset(cf, u->state, &text);

    /* It is written with the first change. */
    if (err != 0 && lun_err_kind_of(err) == LUN_ERR_NOT_FOUND) {
        return LUN_OK;
    }

    if (err != 0) {
        return lun_conf_fail_err(cf, err, "open() \"%.*s\" failed",
                                 LUN_S(u->state));
    }

    cf->file = u->state;
    rc = read_lines(cf, text);
    cf->file = file;
    cf->line = line;
    cf->end_line = end_line;
    return rc;
}
