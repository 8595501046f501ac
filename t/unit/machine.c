/*
 * machine.c -- every row answers, whatever this machine is.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/dir.h"
#include "os/machine.h"
#include "os/sock.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

#define FOLDER  "build/machine.test"


static int  left;


static bool
count(void *data, const char *name, bool is_dir)
{
    printf("# left: %s\n", name);
    left++;
    return true;
}


static void
test_texts(void)
{
    char                 long_text[1000];
    lun_machine_finding  f;

    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';

    lun_machine_say(&f, LUN_MACHINE_NOTE, "do", "%d files", 3);
    is_str(f.text, "3 files", "what was found");
    is_str(f.advice, "do", "what to do");
    is_int(f.verdict, LUN_MACHINE_NOTE, "how bad it is");

    lun_machine_say(&f, LUN_MACHINE_BAD, NULL, "%s", long_text);
    is_int((int) strlen(f.text), (int) sizeof(f.text) - 1, "is cut");
}


static void
test_rows(void)
{
    const lun_machine_row  *row;
    lun_machine_finding     f;

    for (row = lun_machine_rows; row->name != NULL; row++) {
        f = (lun_machine_finding) { .verdict = LUN_MACHINE_BAD };
        row->look(FOLDER, &f);
        printf("# %s: %s\n", row->name, f.text);

        ok(strlen(row->name) <= 17, "%s: fits its column", row->name);
        ok(f.text[0] != '\0', "%s: answers", row->name);
        ok(f.verdict != LUN_MACHINE_BAD, "%s: is in nobody's way", row->name);
    }

    ok(row - lun_machine_rows >= 6, "there are some");
}


int
main(void)
{
    lun_sock_init();
    ok(lun_dir_make_all(FOLDER, 0755) == 0, "a folder");
    test_texts();
    test_rows();
    lun_dir_list(FOLDER, count, NULL);
    is_int(left, 0, "nothing is left in it");
    lun_dir_delete(FOLDER);
    return done_testing();
}
