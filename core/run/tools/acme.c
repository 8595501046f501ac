/*
 * acme.c -- `lunette acme`: reads the configuration as -t does, and says what
 * it finds of certificates.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/tools/acme.h"

#include <stdio.h>

#include "modules/http/acme/acme_report.h"
#include "os/shm.h"
#include "run/generation.h"
#include "run/help/commands.h"
#include "run/startlog.h"


enum { WORDS = 64 };

static const struct {
    const char     *word;
    lun_acme_verb   verb;
    bool            wants_name;
} verbs[] = {
    { "list", LUN_ACME_LIST, false },
    { "show", LUN_ACME_SHOW, false },
    { "renew", LUN_ACME_ASK_RENEW, true },
    { "revoke", LUN_ACME_ASK_REVOKE, true },
    { "rollover", LUN_ACME_ASK_ROLLOVER, true },
};


static int
report(lun_options *o, lun_acme_verb verb, char *const *names, int count)
{
    int              status = 1;
    lun_generation  *gen;

    lun_startlog_open(LUN_STR("stderr"));

    if (lun_shm_init() != 0) {
        return 1;
    }

    gen = lun_generation_new(o, 1, NULL, NULL);

    if (gen != NULL) {
        status = lun_acme_report(gen, verb, names, count);
        lun_generation_free(gen);
    }

    return status;
}


/*
 * Names of certificates and options of the server may come in any order: an
 * option that is one letter takes the word behind it.
 */
int
lun_acme_tool(int argc, char **argv)
{
    int           i, words = 0, names = 0, status = 1;
    char         *name[WORDS], *word[WORDS];
    size_t        v = 0;
    lun_pool     *pool;
    lun_options   o;

    while (argc > 0 && v < LUN_ARRAY_LEN(verbs)
           && strcmp(argv[0], verbs[v].word) != 0)
    {
        v++;
    }

    if (argc == 0 || argc > WORDS / 2 || v == LUN_ARRAY_LEN(verbs)) {
        (void) lun_commands_usage_of("acme");
        return 1;
    }

    word[words++] = (char *) (uintptr_t) LUN_PRODUCT;
    word[words++] = (char *) (uintptr_t) "-t";

    for (i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            name[names++] = argv[i];
            continue;
        }

        word[words++] = argv[i];

        if (argv[i][1] != '\0' && argv[i][2] == '\0' && i + 1 < argc) {
            word[words++] = argv[++i];
        }
    }

    if (verbs[v].wants_name && names == 0) {
        fprintf(stderr, LUN_PRODUCT ": which certificate? \"" LUN_PRODUCT
                " acme list\" has their names\n");
        return 1;
    }

    pool = lun_pool_new_sized(1024);

    if (lun_options_parse(&o, words, word, pool) == LUN_OK) {
        status = report(&o, verbs[v].verb, name, names);
    }

    lun_pool_free(pool);
    return status;
}
