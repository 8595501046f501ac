/*
 * user.c -- becoming somebody else.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/user.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/pool.h"


lun_user_verdict
lun_user_find(const char *name, const char *group, lun_user *user,
    lun_err *err)
{
    struct group   *gr;
    struct passwd  *pw;

    errno = 0;
    pw = getpwnam(name);
    if (pw == NULL) {
        *err = errno;
        return LUN_USER_UNKNOWN;
    }

    errno = 0;
    gr = getgrnam(group ? group : name);
    if (gr == NULL) {
        *err = errno;
        return LUN_USER_NO_GROUP;
    }

    *err = 0;
    *user = (lun_user) { .uid = pw->pw_uid, .gid = gr->gr_gid, .name = name };
    return LUN_USER_FOUND;
}


/* nginx decides which of the groups it is when it is built. */
lun_user_verdict
lun_user_default(lun_user *user, lun_err *err)
{
    lun_user_verdict  verdict = lun_user_find("nobody", NULL, user, err);

    return verdict == LUN_USER_NO_GROUP
           ? lun_user_find("nobody", "nogroup", user, err) : verdict;
}


bool
lun_user_is_root(void)
{
    return geteuid() == 0;
}


/* Of what root may do, one thing. */
static int
keep_raw(void)
{
    struct __user_cap_data_struct    data[2] = { { 0 } };
    struct __user_cap_header_struct  head = {
        .version = _LINUX_CAPABILITY_VERSION_3
    };

    data[0].effective = data[0].permitted = 1u << CAP_NET_RAW;
    return (int) syscall(SYS_capset, &head, data);
}


/*
 * The kernel forgets the parent-death signal and forbids core dumps when the
 * user changes: both are set again.
 */
lun_err
lun_user_become(const lun_user *user, bool transparent)
{
    int  death = 0;

    if (user->uid < 0) {
        return 0;
    }

    (void) prctl(PR_GET_PDEATHSIG, &death);

    if (setgid((gid_t) user->gid) == -1
        || initgroups(user->name, (gid_t) user->gid) == -1
        || (transparent && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == -1)
        || setuid((uid_t) user->uid) == -1
        || (transparent && keep_raw() == -1))
    {
        return errno;
    }

    (void) prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    (void) prctl(PR_SET_PDEATHSIG, death, 0, 0, 0);

    return 0;
}
