/*
 * check_files.c -- every row answers, and leaves nothing in nobody's way.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/run/tools/check_files.c"
#include "tap.h"

#define FOLDER  "build/check_files.test"


static lun_machine_finding
found(const char *name)
{
    const lun_machine_row  *row = lun_check_file_rows;
    lun_machine_finding     f = { .verdict = LUN_MACHINE_BAD };

    while (strcmp(row->name, name) != 0) {
        row++;
    }

    (void) lun_dir_make_all(FOLDER, 0755);
    row->look(FOLDER, &f);
    (void) lun_dir_remove_tree(FOLDER);
    return f;
}


int
main(void)
{
    lun_machine_finding     f;
    const lun_machine_row  *row;

    lun_sock_init();
    (void) lun_dir_remove_tree(FOLDER);

    for (row = lun_check_file_rows; row->name != NULL; row++) {
        f = found(row->name);
        printf("# %s: %s\n", row->name, f.text);
        ok(strlen(row->name) <= 17, "%s: fits its column", row->name);
        ok(f.verdict != LUN_MACHINE_BAD && f.text[0] != '\0', "%s: answers",
           row->name);
    }

    f = found("renaming a log");
    is_str(f.text, "while others write, and each line stays", "a log");
    f = found("changed files");
    ok(strncmp(f.text, "told within", 11) == 0, "a change is told");
    f = found("timers");
    ok(strncmp(f.text, "1 ms takes ", 11) == 0 && atof(f.text + 11) >= 0.9,
       "a wait takes its time: %s", f.text);
    return done_testing();
}
