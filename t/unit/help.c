/*
 * help.c -- what `help` says of a directive.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/run/help/help.c"

#include "tap.h"


static char  told[1024];


static void
keep_line(void *data, lun_str line)
{
    size_t  n = strlen(told);

    snprintf(told + n, sizeof(told) - n, "%.*s|", LUN_S(line));
}


typedef struct {
    bool  flag;
} test_conf;

static const lun_enum  words[] = {
    { "off", 0 }, { "some", 1 }, { "all", 2 }, { NULL, 0 }
};

static const lun_directive  directives[] = {
    { .name = "gzipp", .where = LUN_HTTP | LUN_LOCATION, .args = 1,
      .set = lun_set_flag, LUN_FIELD(test_conf, flag), .fallback = "off",
      .help = "Compresses." },
    { .name = "both", .where = LUN_SERVER, .args = 1, .args_max = 3,
      .repeats = true, .set = lun_set_str },
    { .name = "both", .where = LUN_MAIN, .block = true,
      .set = lun_set_str },
    { .name = "one", .where = LUN_HTTP, .args = 1, .set = lun_set_enum,
      .data = words },
    { .name = "several", .where = LUN_HTTP, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_bits, .data = words },
    { .name = "room", .where = LUN_HTTP, .args = 2, .set = lun_set_bufs },
    { .name = "pause", .where = LUN_HTTP, .args = 1, .set = lun_set_msec },
    { .name = "any", .where = LUN_EVENTS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_ignored },
    { 0 }
};

static lun_conf_part  part = {
    .name = "test",
    .directives = directives,
    .conf_size = sizeof(test_conf),
};


static void
tells(lun_schema *s, lun_pool *pool, const char *name, const char *what)
{
    told[0] = '\0';
    (void) lun_help_tell(pool, s, lun_str_z(name), keep_line, NULL);

    if (!ok(strcmp(told, what) == 0, "help %s", name)) {
        printf("#  got: %s\n# want: %s\n", told, what);
    }
}


int
main(void)
{
    lun_pool    *pool = lun_pool_new_sized(4096);
    lun_schema  *s = lun_schema_new(pool);

    lun_schema_add(s, &part);

    tells(s, pool, "gzipp", "Syntax:  gzipp on | off;|Default: gzipp off;|"
          "Context: http, location|Module:  test||Compresses.|");
    tells(s, pool, "both", "Syntax:  both VALUE [VALUE] [VALUE];|"
          "Context: server|Module:  test; may be given several times||"
          "Syntax:  both { ... }|Context: main|Module:  test|");
    tells(s, pool, "one", "Syntax:  one off | some | all;|Context: http|"
          "Module:  test|");
    tells(s, pool, "several", "Syntax:  several off | some | all ...;|"
          "Context: http|Module:  test|");
    tells(s, pool, "room", "Syntax:  room NUMBER SIZE;|Context: http|"
          "Module:  test|");
    tells(s, pool, "pause", "Syntax:  pause TIME;|Context: http|"
          "Module:  test|");
    tells(s, pool, "any", "Syntax:  any ...;|Context: events|"
          "Module:  test|It is read, and has no effect.|");
    tells(s, pool, "gzpip", "");

    told[0] = '\0';
    lun_help_list(pool, s, keep_line, NULL);
    ok(strcmp(told, "any both gzipp one pause room several|") == 0,
       "all names: %s", told);

    lun_pool_free(pool);
    return done_testing();
}
