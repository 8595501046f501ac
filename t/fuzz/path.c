/*
 * path.c -- any bytes as a path: what the Windows rules let through is one
 * name, with none of the spellings that the system takes for another; and
 * what a uri is brought to stays that.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "base/uri.h"
#include "os/path.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
check_name(const char *p, size_t n)
{
    static const char *const  devices[] = { "con", "prn", "aux", "nul" };

    size_t   i;
    lun_str  name = lun_str_of(p, n);

    LUN_CHECK(n == 0 || (p[n - 1] != '.' && p[n - 1] != ' '));

    for (i = 0; i < LUN_ARRAY_LEN(devices); i++) {
        LUN_CHECK(!lun_str_caseeq(name, lun_str_z(devices[i])));
        LUN_CHECK(n < 4 || p[3] != '.'
                  || !lun_str_casestarts(name, lun_str_z(devices[i])));
    }
}


static void
check_fine(lun_str s)
{
    size_t  i, start = 0;

    LUN_CHECK(s.len < 2 || strchr("/\\", s.data[0]) == NULL
              || strchr("/\\", s.data[1]) == NULL);

    for (i = 0; i <= s.len; i++) {
        if (i == s.len || s.data[i] == '/' || s.data[i] == '\\') {
            check_name(s.data + start, i - start);
            start = i + 1;
            continue;
        }

        LUN_CHECK((unsigned char) s.data[i] >= 0x20);
        LUN_CHECK(strchr(":<>\"|?*\x7f", s.data[i]) == NULL);
    }
}


static void
check_doubt(lun_str s, lun_path_verdict v, bool strict)
{
    size_t  at = lun_path_doubtful(s, 0, strict, LUN_PATH_WINDOWS);

    LUN_CHECK(at <= s.len);
    LUN_CHECK(at == 0 || at == s.len || s.data[at - 1] == '/'
              || s.data[at - 1] == '\\');
    LUN_CHECK(v != LUN_PATH_TILDE || at < s.len);
    LUN_CHECK(strict || v != LUN_PATH_FINE || at == s.len);
}


/* A uri has one spelling: there is nothing left to bring it to. */
static void
check_uri(lun_str s, lun_pool *pool)
{
    char           *room = lun_pool_text(pool, s.len + 1);
    size_t          i;
    lun_str         uri, again;
    lun_uri_rules   rules = { .merge_slashes = true, .backslash = true };

    if (lun_uri_normalise(s, &rules, room, &uri.len) != LUN_OK) {
        return;
    }

    uri.data = room;

    if (lun_path_of_uri(pool, &uri, LUN_PATH_WINDOWS) != LUN_OK) {
        LUN_CHECK(memmem(room, s.len, ":$", 2) != NULL);
        return;
    }

    LUN_CHECK(uri.len >= 1 && uri.len <= s.len && uri.data[0] == '/');
    LUN_CHECK(memchr(uri.data, '\\', uri.len) == NULL);
    LUN_CHECK(uri.len == 1 || strchr(". ", uri.data[uri.len - 1]) == NULL);

    for (i = 1; i + 1 < uri.len; i++) {
        LUN_CHECK(uri.data[i] != ':' || uri.data[i + 1] != '$');
        LUN_CHECK(uri.data[i] != '.' || uri.data[i + 1] != '/'
                  || uri.data[i - 1] == '.');
    }

    /* No folder up has come to be. */
    LUN_CHECK(memmem(uri.data, uri.len, "/../", 4) == NULL);

    again = uri;
    LUN_CHECK(lun_path_of_uri(pool, &again, LUN_PATH_WINDOWS) == LUN_OK
              && lun_str_eq(uri, again));
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char              *copy;
    size_t             from;
    lun_str            s;
    lun_pool          *pool = lun_pool_new_sized(1024);
    lun_path_verdict   v;

    copy = malloc(size + 1);                    /* exact, for ASan */
    copy = realloc(copy, size != 0 ? size : 1);
    memcpy(copy, data, size);
    s = lun_str_of(copy, size);

    v = lun_path_judge(s, LUN_PATH_WINDOWS);

    if (v == LUN_PATH_FINE || v == LUN_PATH_TILDE) {
        check_fine(s);
    }

    check_doubt(s, v, false);
    check_doubt(s, v, true);

    for (from = 0; from <= size + 1; from++) {
        v = lun_path_judge_from(s, from, LUN_PATH_WINDOWS);
        LUN_CHECK(v <= LUN_PATH_TILDE);
    }

    (void) lun_path_judge(s, LUN_PATH_POSIX);
    check_uri(s, pool);
    lun_pool_free(pool);
    free(copy);
    return 0;
}
