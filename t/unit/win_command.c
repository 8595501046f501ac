/*
 * win_command.c -- command lines, environments, and the ends of processes in
 * words.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/command.c"

#include "tap.h"


static const struct {
    const char  *arg;
    const char  *quoted;
} quotes[] = {
    { "plain", "plain" },
    { "", "\"\"" },
    { "two words", "\"two words\"" },
    { "C:\\a\\", "C:\\a\\" },
    { "C:\\a b\\", "\"C:\\a b\\\\\"" },
    { "say \"hi\"", "\"say \\\"hi\\\"\"" },
    { "\\\"", "\"\\\\\\\"\"" },
    { "a\tb", "\"a\tb\"" },
    { "daemon off;", "\"daemon off;\"" }
};


static void
arguments_are_quoted_when_they_must(void)
{
    char        *line;
    size_t       i;
    const char  *argv[] = { "x", NULL, NULL };

    for (i = 0; i < LUN_ARRAY_LEN(quotes); i++) {
        argv[1] = quotes[i].arg;
        line = lun_command_join(argv);
        is_str(line + 2, quotes[i].quoted, "%s", quotes[i].arg);
        free(line);
    }
}


static void
what_is_joined_splits_the_same(void)
{
    int          argc, n;
    char        *line, **back;
    size_t       i;
    const char  *argv[LUN_ARRAY_LEN(quotes) + 2];

    argv[0] = "C:\\Program Files\\lunette.exe";

    for (i = 0; i < LUN_ARRAY_LEN(quotes); i++) {
        argv[i + 1] = quotes[i].arg;
    }

    argv[i + 1] = NULL;
    line = lun_command_join(argv);
    back = lun_command_split(tap_edge(line, strlen(line) + 1), &argc);
    is_int(argc, (int) i + 1, "as many");

    for (n = 0; n < argc; n++) {
        is_str(back[n], argv[n], "argument %d", n);
    }

    ok(back[argc] == NULL, "ends with NULL");
    lun_free(back);
    free(line);
}


static const struct {
    const char  *line;
    int          argc;
    const char  *argv[4];
} lines[] = {
    { "a", 1, { "a" } },
    { "", 1, { "" } },
    { "a b  c", 3, { "a", "b", "c" } },
    { "\"a b\" c", 2, { "a b", "c" } },
    { "a \"b c\"d", 2, { "a", "b cd" } },
    { "a b\\c\\\\d", 2, { "a", "b\\c\\\\d" } },
    { "a \\\"b", 2, { "a", "\"b" } },
    { "a \"b\\\\\" c", 3, { "a", "b\\", "c" } },
    { "a \"b\"\"c\"", 2, { "a", "b\"c" } },
    { "\"C:\\\" b", 2, { "C:\\", "b" } },
    { "a \"open end", 2, { "a", "open end" } },
    { "a \"\"", 2, { "a", "" } }
};


static void
lines_split_by_the_rules_of_c_programs(void)
{
    int      argc, n;
    char   **argv;
    size_t   i;

    for (i = 0; i < LUN_ARRAY_LEN(lines); i++) {
        argv = lun_command_split(lines[i].line, &argc);
        is_int(argc, lines[i].argc, "arguments of %s", lines[i].line);

        for (n = 0; n < argc && n < lines[i].argc; n++) {
            is_str(argv[n], lines[i].argv[n], "%d of %s", n, lines[i].line);
        }

        lun_free(argv);
    }
}


static void
environments_are_sorted_blocks(void)
{
    static const char *const  env[] = { "b=2", "A=1", "AB=4", "c=3", NULL };
    static const wchar_t      want[] = L"A=1\0AB=4\0b=2\0c=3\0";

    wchar_t  *block;

    block = lun_command_env(env);
    is_mem(block, sizeof(want), want, sizeof(want), "sorted without case");
    lun_free(block);
}


static const struct {
    uint32_t     code;
    const char  *text;
} ends[] = {
    { 0, "exited with code 0" },
    { 1, "exited with code 1" },
    { 137, "exited on signal 9" },
    { 0xc0000005, "exited with code C0000005 (access violation)" },
    { 0xe24c4a04, "exited with code E24C4A04 (Lua out of memory)" },
    { 0xe24c4a02, "exited with code E24C4A02 (uncaught Lua error)" },
    { 0xdeadbeef, "exited with code DEADBEEF" }
};


static void
ends_are_said_in_words(void)
{
    char    text[128];
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(ends); i++) {
        lun_exit_text(ends[i].code, text, sizeof(text));
        is_str(text, ends[i].text, "%s", ends[i].text);
    }

    lun_exit_text(0xc0000005, text, 20);
    is_int((int) strlen(text), 19, "a long text is cut");
}


int
main(void)
{
    arguments_are_quoted_when_they_must();
    what_is_joined_splits_the_same();
    lines_split_by_the_rules_of_c_programs();
    environments_are_sorted_blocks();
    ends_are_said_in_words();

    return done_testing();
}
