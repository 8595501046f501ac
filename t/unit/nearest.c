/*
 * nearest.c -- which names may be meant: by letters, then in order.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/config/nearest.c"
#include "tap.h"


/* What is said of `wanted` among names with a blank between them. */
static void
is_near(lun_pool *pool, const char *wanted, const char *names,
    const char *text)
{
    lun_str      said;
    lun_nearest  best;
    const char  *p = names, *end;

    lun_nearest_init(&best, lun_str_z(wanted));

    for ( ; *p != '\0'; p = *end != '\0' ? end + 1 : end) {
        end = p + strcspn(p, " ");
        lun_nearest_try(&best, lun_str_of(p, (size_t) (end - p)));
    }

    said = lun_nearest_text(&best, pool, "");

    if (!ok(lun_str_eq(said, lun_str_z(text)), "%s", wanted)) {
        printf("#  got: %.*s\n# want: %s\n", LUN_S(said), text);
    }
}


int
main(void)
{
    char         long_name[100];
    lun_pool    *pool = lun_pool_new_sized(4096);
    lun_nearest  best;

    is_near(pool, "rot", "root host", "did you mean \"root\"?");
    is_near(pool, "rto", "root rot", "did you mean \"rot\"?");
    is_near(pool, "abcd", "abcx abcy abcz abca",
            "did you mean \"abca\" or \"abcx\" or \"abcy\"?");
    is_near(pool, "abcdefgh", "abcdefxy abcdefg",
            "did you mean \"abcdefg\" or \"abcdefxy\"?");
    is_near(pool, "abc", "abx abx", "did you mean \"abx\"?");
    is_near(pool, "abc", "axy", "");
    is_near(pool, "", "a", "did you mean \"a\"?");
    is_near(pool, "none", "", "");

    memset(long_name, 'a', sizeof(long_name));
    lun_nearest_init(&best, lun_str_of(long_name, sizeof(long_name)));
    lun_nearest_try(&best, lun_str_of(long_name, sizeof(long_name) - 1));
    ok(best.count == 0, "a name of a hundred letters is near to none");

    lun_nearest_init(&best, LUN_STR("ab"));
    lun_nearest_try(&best, LUN_STR("ac"));
    ok(lun_str_eq(lun_nearest_text(&best, pool, "$"),
                  LUN_STR("did you mean \"$ac\"?")), "a variable has its sign");

    lun_pool_free(pool);
    return done_testing();
}
