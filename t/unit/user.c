/*
 * user.c -- who is found by name, with a system that knows whom we say.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <grp.h>
#include <pwd.h>

static struct passwd *know_user(const char *name);
static struct group *know_group(const char *name);

#define getpwnam  know_user
#define getgrnam  know_group
#include "../../core/os/posix/user.c"
#undef getpwnam
#undef getgrnam

#include "tap.h"


/* What the system has: names, or NULL; and what it says of others. */
static const char  *users[4], *groups[4];
static int          trouble;


static struct passwd *
know_user(const char *name)
{
    size_t                i;
    static struct passwd  pw;

    for (i = 0; i < 4; i++) {
        if (users[i] != NULL && strcmp(users[i], name) == 0) {
            pw.pw_uid = (uid_t) (100 + i);
            return &pw;
        }
    }

    errno = trouble;
    return NULL;
}


static struct group *
know_group(const char *name)
{
    size_t               i;
    static struct group  gr;

    for (i = 0; i < 4; i++) {
        if (groups[i] != NULL && strcmp(groups[i], name) == 0) {
            gr.gr_gid = (gid_t) (200 + i);
            return &gr;
        }
    }

    errno = trouble;
    return NULL;
}


static void
finds(void)
{
    lun_err   err;
    lun_user  user = { .uid = 7 };

    users[0] = "nobody";
    users[1] = "www";
    groups[0] = "www";
    groups[1] = "nogroup";

    is_int(lun_user_find("www", NULL, &user, &err), LUN_USER_FOUND, "found");
    is_int(user.uid, 101, "its number");
    is_int(user.gid, 200, "the group of the same name");
    is_str(user.name, "www", "its name");

    is_int(lun_user_find("nobody", "nogroup", &user, &err), LUN_USER_FOUND,
           "with a group of its own");
    is_int(user.uid, 100, "its number");
    is_int(user.gid, 201, "the group's");
}


static void
does_not_find(void)
{
    lun_err   err;
    lun_user  user = { .uid = 7 };

    is_int(lun_user_find("nobody", NULL, &user, &err), LUN_USER_NO_GROUP,
           "a user without a group of that name is nobody else's");
    is_int(err, 0, "the system has no reason");
    is_int(user.uid, 7, "nothing is set");
    is_int(lun_user_find("www", "users", &user, &err), LUN_USER_NO_GROUP,
           "a group that is not there");
    is_int(lun_user_find("root", "www", &user, &err), LUN_USER_UNKNOWN,
           "nor a user");

    trouble = EIO;
    is_int(lun_user_find("root", NULL, &user, &err), LUN_USER_UNKNOWN,
           "the system can't say");
    is_int(err, EIO, "and says why");
    is_int(lun_user_find("nobody", NULL, &user, &err), LUN_USER_NO_GROUP,
           "of the group");
    is_int(err, EIO, "the same");
    trouble = 0;
}


static void
has_a_default(void)
{
    lun_err   err;
    lun_user  user;

    is_int(lun_user_default(&user, &err), LUN_USER_FOUND, "Debian");
    is_int(user.gid, 201, "has a group nogroup");

    groups[2] = "nobody";
    is_int(lun_user_default(&user, &err), LUN_USER_FOUND, "Fedora");
    is_int(user.gid, 202, "has a group nobody");

    groups[1] = groups[2] = NULL;
    is_int(lun_user_default(&user, &err), LUN_USER_NO_GROUP, "neither");

    users[0] = NULL;
    is_int(lun_user_default(&user, &err), LUN_USER_UNKNOWN, "no such user");
}


int
main(void)
{
    finds();
    does_not_find();
    has_a_default();

    return done_testing();
}
