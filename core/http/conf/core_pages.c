/*
 * core_pages.c -- error_page 404 /404.html; error_page 500 502 =200 @back;
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/core_conf.h"


enum { SAME = -1 };


/* "=", "=200", or SAME when the word is none of these. */
static lun_rc
read_answer(lun_conf *cf, lun_str word, int *answer)
{
    uint64_t  n;

    *answer = SAME;

    if (!lun_str_starts(word, LUN_STR("="))) {
        return LUN_OK;
    }

    if (word.len == 1) {
        *answer = 0;
        return LUN_OK;
    }

    word.data++;
    word.len--;

    if (lun_str_to_u64(word, &n) != LUN_OK || n > 999) {
        return lun_conf_fail(cf, "invalid value \"=%.*s\"", LUN_S(word));
    }

    *answer = (int) n;
    return LUN_OK;
}


static lun_rc
add_page(lun_conf *cf, lun_core_conf *core, lun_str word, int answer,
    lun_script *uri)
{
    uint64_t         n;
    lun_error_page  *page;

    if (lun_str_to_u64(word, &n) != LUN_OK || n == 499) {
        return lun_conf_fail(cf, "invalid value \"%.*s\"", LUN_S(word));
    }

    if (n < 300 || n > 599) {
        return lun_conf_fail(cf, "value \"%.*s\" must be between 300 and 599",
                             LUN_S(word));
    }

    /* Those are our names for a kind of 400. */
    if (answer == SAME && n >= 494 && n <= 497) {
        answer = 400;
    }

    if (core->error_pages == NULL) {
        core->error_pages = lun_array_new(cf->pool, sizeof(lun_error_page), 2);
    }

    page = lun_array_push(core->error_pages);
    page->status = (unsigned) n;
    page->answer = answer;
    page->uri = uri;

    return LUN_OK;
}


/*
 * Read from the end: the URI is last, "=CODE" may stand in front of it, and
 * everything before is statuses.
 */
lun_rc
lun_set_error_page(lun_conf *cf, const lun_directive *d, void *conf)
{
    int          answer;
    size_t       i, last = cf->argc - 1;
    lun_script  *uri;

    uri = lun_script_new(cf, cf->args[last]);

    if (uri == NULL
        || read_answer(cf, cf->args[last - 1], &answer) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (answer != SAME) {
        last--;
    }

    if (last < 2) {
        return lun_conf_fail(cf, "invalid value \"%.*s\"",
                             LUN_S(cf->args[last]));
    }

    for (i = 1; i < last; i++) {
        if (add_page(cf, conf, cf->args[i], answer, uri) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


lun_rc
lun_set_no_error_pages(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_core_conf  *core = conf;

    if (core->error_pages != NULL) {
        return lun_conf_fail(cf, "conflicts with \"error_page\"");
    }

    core->error_pages = lun_array_new(cf->pool, sizeof(lun_error_page), 1);
    return LUN_OK;
}
