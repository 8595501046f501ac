/*
 * passwd.c -- entries that other programs have made.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/passwd.c"

#include "tap.h"


static void
is_costly(void)
{
    static const struct {
        const char  *entry;
        bool         is;
    } cases[] = {
        { "$6$rounds=1000000$salt$x", false },
        { "$6$rounds=1000001$salt$x", true },
        { "$5$rounds=99999999999999999999999999$salt$x", true },
        { "$5$rounds=", false },
        { "$6$salt$rounds=9999999", false },
        { "$2y$16$abcdefghijklmnopqrstuu", false },
        { "$2b$17$abcdefghijklmnopqrstuu", true },
        { "$2$17$", false },
        { "$2y$17", false },
        { "", false }
    };
    size_t  i, len;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        len = strlen(cases[i].entry);
        is_int(lun_passwd_is_costly(lun_str_of(tap_edge(cases[i].entry, len),
                                               len)),
               cases[i].is, "costly: %s", cases[i].entry);
    }
}


int
main(void)
{
    static const struct {
        const char          *word, *entry;
        lun_passwd_verdict   verdict;
    } cases[] = {
        { "secret", "{PLAIN}secret", LUN_PASSWD_YES },
        { "secreT", "{PLAIN}secret", LUN_PASSWD_NO },
        { "", "{PLAIN}", LUN_PASSWD_YES },
        { "secret", "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", LUN_PASSWD_YES },
        { "other", "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", LUN_PASSWD_NO },
        { "secret", "{SHA}5en6", LUN_PASSWD_NO },
        { "secret", "{SHA}%", LUN_PASSWD_NO },
        { "secret",
          "{SSHA}D4kSuvPIF4rZzl+dW9Km/1788fBwZXBwZXI=", LUN_PASSWD_YES },
        { "other",
          "{SSHA}D4kSuvPIF4rZzl+dW9Km/1788fBwZXBwZXI=", LUN_PASSWD_NO },
        { "secret", "$apr1$r31TWj20$q6kj7lbgVlcnitVu5GciF.", LUN_PASSWD_YES },
        { "Secret", "$apr1$r31TWj20$q6kj7lbgVlcnitVu5GciF.", LUN_PASSWD_NO },
        { "a word that is longer than one sum",
          "$apr1$abc$HAj6cH.O8Mdirt8L8V8Sl/", LUN_PASSWD_YES },
        { "", "$apr1$abcdefgh$L.PT565ESX4Tp2bqNs7Ie.", LUN_PASSWD_YES },
        { "secret", "$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1", LUN_PASSWD_YES },
        { "secret", "$apr1$", LUN_PASSWD_NO },
        { "secret", "$apr1$abc", LUN_PASSWD_NO },
        { "secret", "$2y$05$abcdefghijklmnopqrstuu", LUN_PASSWD_OTHER },
        { "secret", "", LUN_PASSWD_OTHER },
    };

    for (size_t i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        size_t  word = strlen(cases[i].word), entry = strlen(cases[i].entry);
        lun_str w = lun_str_of(tap_edge(cases[i].word, word), word);
        lun_str e = lun_str_of(tap_edge(cases[i].entry, entry), entry);

        is_int(lun_passwd_check(w, e), cases[i].verdict, "\"%s\", %s",
               cases[i].word, cases[i].entry);
    }

    is_costly();
    return done_testing();
}
