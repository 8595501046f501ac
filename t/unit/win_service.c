/*
 * win_service.c -- what a service is registered as: its command line, what
 * happens when it dies, and what is said when that can't be done.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/service/service_plan.c"

#include "base/pool.h"
#include "tap.h"


static void
a_death_is_followed_by_a_start(void)
{
    DWORD                      i;
    SERVICE_FAILURE_ACTIONSW   r;

    static const DWORD  delays[] = { 1000, 5000, 60000 };

    lun_service_recovery(&r);
    is_int((int) r.cActions, LUN_ARRAY_LEN(delays), "three times");
    is_int((int) r.dwResetPeriod, 86400, "counted anew after a day");
    ok(r.lpCommand == NULL && r.lpRebootMsg == NULL, "no program, no reboot");

    for (i = 0; i < LUN_ARRAY_LEN(delays); i++) {
        ok(r.lpsaActions[i].Type == SC_ACTION_RESTART
           && r.lpsaActions[i].Delay == delays[i], "after %u ms",
           (unsigned) delays[i]);
    }
}


static void
the_machine_waits_longer_than_we(void)
{
    ok((int) LUN_SERVICE_SHUTDOWN > (int) LUN_SERVICE_PATIENCE,
       "a shutdown waits for the drain to end");
    ok((int) LUN_SERVICE_LIMIT > (int) LUN_SERVICE_PATIENCE,
       "and so does `service stop`");
}


static void
the_command_line_comes_back(void)
{
    int                 argc;
    char               *line, **argv;
    const char *const   words[] = {
        "service", "run", "-n", "web", "-p", "C:\\Web sites\\\xc3\xbc",
        "-g", "daemon off;", NULL
    };

    line = lun_service_image("C:\\Program Files\\lunette.exe", words);
    is_str(line, "\"C:\\Program Files\\lunette.exe\" service run -n web "
           "-p \"C:\\Web sites\\\xc3\xbc\" -g \"daemon off;\"", "quoted");

    argv = lun_command_split(line, &argc);
    is_int(argc, 9, "all words");
    is_str(lun_service_option(argv, "-p"), words[5], "the prefix");
    is_str(lun_service_option(argv, "-g"), words[7], "directives");
    ok(lun_service_option(argv, "-c") == NULL, "an option that is not there");
    ok(lun_service_option(argv, "daemon off;") == NULL, "nothing behind it");
    lun_free(argv);
    free(line);
}


static const struct {
    const char  *name;
    bool         good;
} names[] = {
    { "lunette", true }, { "Web-2_a.b", true }, { "", false },
    { "a/b", false }, { "a\\b", false }, { "a b", false },
    { "\xc3\xbc", false }, { "a\"b", false }
};

static const struct {
    const char  *prefix;
    bool         drive;
} prefixes[] = {
    { "C:", true }, { "C:\\", true }, { "C:/", true }, { "//srv/share", true },
    { "\\\\srv\\share\\", true }, { "C:\\x", false }, { "C:/x/y", false },
    { "//srv/share/x", false }
};


static void
names_and_prefixes(void)
{
    char    name[82];
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        ok(lun_service_is_name(names[i].name) == names[i].good, "name \"%s\"",
           names[i].name);
    }

    memset(name, 'a', 81);
    name[81] = 0;
    ok(!lun_service_is_name(name), "81 letters");
    ok(lun_service_is_name(name + 1), "80 letters");

    for (i = 0; i < LUN_ARRAY_LEN(prefixes); i++) {
        ok(lun_service_is_drive(prefixes[i].prefix) == prefixes[i].drive,
           "prefix %s", prefixes[i].prefix);
    }
}


static void
what_to_do_is_said(void)
{
    char    note[256] = "";
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(advices); i++) {
        ok(lun_service_advice(advices[i].err) == advices[i].text, "%u: %s",
           (unsigned) advices[i].err, advices[i].text);
    }

    ok(lun_service_advice(ERROR_DISK_FULL) == NULL, "none for the rest");

    lun_service_note(note, sizeof(note), "look", 0);
    is_str(note, "", "what was done is not noted");
    lun_service_note(note, sizeof(note), "look", ERROR_ACCESS_DENIED);
    is_str(note, "could not look (5: Permission denied)", "what was not is");
    lun_service_note(note, sizeof(note), "go", ERROR_ACCESS_DENIED);
    is_str(note, "could not look (5: Permission denied)", "the first of it");
}


int
main(void)
{
    a_death_is_followed_by_a_start();
    the_machine_waits_longer_than_we();
    the_command_line_comes_back();
    names_and_prefixes();
    what_to_do_is_said();

    return done_testing();
}
