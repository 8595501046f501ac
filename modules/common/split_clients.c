/*
 * split_clients.c -- a variable that is different for so many percent of the
 * clients.
 *
 *     split_clients "$remote_addr$date_gmt" $variant {
 *         0.5%  .one;
 *         20%   .two;
 *         *     "";
 *     }
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/digest.h"
#include "session/module.h"


/* Hundredths of a percent; percents that a line may name at all. */
enum { WHOLE = 10000, MOST = 10000 };

typedef struct {
    unsigned     share;            /* of WHOLE; 0: all the rest */
    uint32_t     below;            /* hashes up to here */
    lun_str      value;
} part;

typedef struct {
    lun_script  *source;
    lun_array    parts;            /* of part */
} split;


static void
get_part(lun_session *s, lun_value *v, uintptr_t data)
{
    size_t        i;
    uint32_t      hash;
    const part   *one;
    const split  *all = (const split *) data;

    hash = lun_murmur(lun_script_run(s, all->source));
    v->text = LUN_STR("");

    for (i = 0; i < all->parts.count; i++) {
        one = lun_array_at(&all->parts, i);

        if (one->share == 0 || hash < one->below) {
            v->text = one->value;
            return;
        }
    }
}


/* --- reading ------------------------------------------------------------- */

/* "12.34%": more than nothing, two digits behind the point at most. */
static bool
read_share(lun_str text, unsigned *share)
{
    size_t       behind = 0;
    uint64_t     whole, rest = 0;
    const char  *point;

    if (!lun_str_ends(text, LUN_STR("%"))) {
        return false;
    }

    text.len--;
    point = lun_str_chr(text, '.');

    if (point != NULL) {
        behind = text.len - (size_t) (point + 1 - text.data);
        text.len -= behind + 1;

        if (behind > 2 || (behind != 0
            && lun_str_to_u64(lun_str_of(point + 1, behind), &rest)
               != LUN_OK))
        {
            return false;
        }
    }

    if (lun_str_to_u64(text, &whole) != LUN_OK || whole > MOST) {
        return false;
    }

    *share = (unsigned) (whole * 100 + (behind == 1 ? rest * 10 : rest));
    return *share != 0;
}


static lun_rc
read_part(lun_conf *cf, void *data)
{
    split  *s = data;
    part   *one = lun_array_push(&s->parts);

    if (cf->argc != 2) {
        return lun_conf_fail(cf, "invalid number of the split_clients "
                             "parameters");
    }

    one->value = cf->args[1];

    if (!lun_str_eq(cf->args[0], LUN_STR("*"))
        && !read_share(cf->args[0], &one->share))
    {
        return lun_conf_fail(cf, "invalid percent value \"%.*s\"",
                             LUN_S(cf->args[0]));
    }

    return LUN_OK;
}


static lun_rc
line_up(lun_conf *cf, split *s)
{
    part      *one;
    size_t     i;
    uint32_t   last = 0;
    unsigned   sum = 0;

    for (i = 0; i < s->parts.count; i++) {
        one = lun_array_at(&s->parts, i);
        sum = one->share != 0 ? sum + one->share : WHOLE;

        if (sum > WHOLE) {
            return lun_conf_fail(cf, "percent total is greater than 100%%");
        }

        /* Where all is given away, the last part has what rounding left. */
        if (sum == WHOLE) {
            one->share = 0;
        }

        last += (uint32_t) (one->share * (uint64_t) 0xffffffff / WHOLE);
        one->below = last;
    }

    return LUN_OK;
}


static lun_rc
set_split(lun_conf *cf, const lun_directive *d, void *conf)
{
    split         *s = lun_pool_new(cf->pool, split);
    lun_str        name;
    lun_variable  *v;

    s->source = lun_script_new(cf, cf->args[1]);

    if (s->source == NULL || lun_var_name(cf, cf->args[2], &name) != LUN_OK
        || (v = lun_var_define(cf, name, LUN_VAR_CHANGEABLE)) == NULL)
    {
        return LUN_ERROR;
    }

    v->get = get_part;
    v->data = (uintptr_t) s;
    lun_array_init(&s->parts, cf->pool, sizeof(part), 4);

    return lun_conf_read_lines(cf, read_part, s, false) == LUN_OK
           ? line_up(cf, s) : LUN_ERROR;
}


static const lun_directive  directives[] = {
    { .name = "split_clients", .where = LUN_ANY_PROTOCOL, .args = 2,
      .block = true,
      .repeats = true, .set = set_split,
      .values = "string $variable",
      .help = "a variable that divides clients into shares" },
    { 0 }
};

lun_module  lun_common_split_clients = {
    .name = "split_clients",
    .directives = directives,
};
