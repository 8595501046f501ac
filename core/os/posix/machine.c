/*
 * machine.c -- what this Linux gives a server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/machine.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "os/proc.h"


/* A number of the kernel's; false: there is no such file here. */
static bool
read_number(const char *path, long *value)
{
    bool   found;
    FILE  *file = fopen(path, "re");

    if (file == NULL) {
        return false;
    }

    found = fscanf(file, "%ld", value) == 1;
    (void) fclose(file);
    return found;
}


static void
look_system(const char *folder, lun_machine_finding *f)
{
    struct utsname  name;

    if (uname(&name) == -1) {
        lun_machine_say(f, LUN_MACHINE_NOTE, NULL, "unknown");
        return;
    }

    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "%s %s %s, %d processors",
                    name.sysname, name.release, name.machine,
                    lun_proc_cpus());
}


static void
look_files(const char *folder, lun_machine_finding *f)
{
    struct rlimit  limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == -1) {
        lun_machine_say(f, LUN_MACHINE_NOTE, NULL, "unknown");
        return;
    }

    lun_machine_say(f,
        limit.rlim_max < 20000 ? LUN_MACHINE_NOTE : LUN_MACHINE_GOOD,
        limit.rlim_max < 20000
            ? "raise the limit where the server is started (LimitNOFILE= of"
              " its unit): a connection takes one, a proxied one two"
            : NULL,
        "%llu for a process, at most %llu (worker_rlimit_nofile)",
        (unsigned long long) limit.rlim_cur,
        (unsigned long long) limit.rlim_max);
}


static void
look_backlog(const char *folder, lun_machine_finding *f)
{
    long  most;

    if (!read_number("/proc/sys/net/core/somaxconn", &most)) {
        lun_machine_say(f, LUN_MACHINE_NOTE, NULL, "unknown");
        return;
    }

    lun_machine_say(f, most < 511 ? LUN_MACHINE_NOTE : LUN_MACHINE_GOOD,
                    most < 511 ? "raise net.core.somaxconn: connections are"
                                 " dropped in bursts" : NULL,
                    "%ld connections may wait at a listener", most);
}


static void
look_ports(const char *folder, lun_machine_finding *f)
{
    long  first = 1024;

    (void) read_number("/proc/sys/net/ipv4/ip_unprivileged_port_start",
                       &first);

    if (geteuid() == 0 || first <= 80) {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                        "this user may listen on 80 and 443");
        return;
    }

    lun_machine_say(f, LUN_MACHINE_NOTE,
                    "start it as root (workers run as `user`), or let the"
                    " program: setcap cap_net_bind_service=+ep",
                    "this user may listen on %ld and above", first);
}


static void
look_reuseport(const char *folder, lun_machine_finding *f)
{
    int  fd, on = 1;

    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd == -1
        || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == -1)
    {
        lun_machine_say(f, LUN_MACHINE_NOTE, "listen ... reuseport fails here",
                        "SO_REUSEPORT: %s", strerror(errno));
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "SO_REUSEPORT works");
    }

    if (fd != -1) {
        (void) close(fd);
    }
}


static void
look_ipv6(const char *folder, lun_machine_finding *f)
{
    int  fd;

    fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd == -1) {
        lun_machine_say(f, LUN_MACHINE_NOTE,
                        "listen [::]:80 fails here: take such lines out",
                        "no IPv6: %s", strerror(errno));
        return;
    }

    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "the system has it");
    (void) close(fd);
}


/* A connection that goes nowhere, or -1. */
static int
connect_to_nobody(void)
{
    int                 listener, fd;
    socklen_t           len = sizeof(struct sockaddr_in);
    struct sockaddr_in  at = { .sin_family = AF_INET };

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (listener == -1 || fd == -1
        || bind(listener, (struct sockaddr *) &at, len) == -1
        || listen(listener, 1) == -1
        || getsockname(listener, (struct sockaddr *) &at, &len) == -1
        || connect(fd, (struct sockaddr *) &at, len) == -1)
    {
        (void) close(fd);
        fd = -1;
    }

    (void) close(listener);
    return fd;
}


/* Only a connection can be asked; the kernel may load a module for it. */
static void
look_ktls(const char *folder, lun_machine_finding *f)
{
    int   fd = connect_to_nobody();
    bool  has = setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 3) == 0;

    (void) close(fd);
    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, has
                    ? "yes, where ssl_conf_command says Options KTLS"
                    : "no (a module: modprobe tls); ours does it");
}


const lun_machine_row  lun_machine_rows[] = {
    { "system", look_system },
    { "open files", look_files },
    { "listen queue", look_backlog },
    { "low ports", look_ports },
    { "reuseport", look_reuseport },
    { "IPv6", look_ipv6 },
    { "kernel TLS", look_ktls },
    { NULL, NULL }
};
