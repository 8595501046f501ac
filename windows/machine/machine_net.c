/*
 * machine_net.c -- what the port stands on: extensions of Winsock, completions
 * that may be skipped, ports that nobody takes from us, a job that ends.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/machine/machine_priv.h"

#include "windows/win.h"

#include "base/fmt.h"
#include "os/sock.h"

/* Of a provider: its sockets are handles of the system, nothing is between. */
static bool
is_direct(DWORD service_flags)
{
    return (service_flags & XP1_IFS_HANDLES) != 0;
}


static bool
has_extension(SOCKET s, GUID id)
{
    void   *fn = NULL;
    DWORD   n;

    return WSAIoctl(s, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof(id),
                    &fn, sizeof(fn), &n, NULL, NULL) == 0 && fn != NULL;
}


/* The names of those that are missing, each after a blank; their end. */
static char *
add_missing(SOCKET s, char *p, char *end)
{
    static const struct {
        GUID         id;
        const char  *name;
    } wanted[] = {
        { WSAID_ACCEPTEX, " AcceptEx" },
        { WSAID_GETACCEPTEXSOCKADDRS, " GetAcceptExSockaddrs" },
        { WSAID_CONNECTEX, " ConnectEx" },
        { WSAID_TRANSMITFILE, " TransmitFile" }
    };

    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(wanted); i++) {
        if (!has_extension(s, wanted[i].id)) {
            p = lun_fmt(p, end, "%s", wanted[i].name);
        }
    }

    return p;
}


void
lun_machine_sockets(const char *folder, lun_machine_finding *f)
{
    enum { SKIP_BOTH = 3 };

    int                 size;
    bool                skips, direct;
    char                list[128];
    char               *p;
    SOCKET              s;
    WSAPROTOCOL_INFOW   info = { .dwServiceFlags1 = 0 };

    s = WSASocketW(AF_INET, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED);

    if (s == INVALID_SOCKET) {
        lun_machine_say(f, LUN_MACHINE_BAD, NULL, "none: %d",
                        WSAGetLastError());
        return;
    }

    p = add_missing(s, list, list + sizeof(list) - 1);
    *p = '\0';
    size = sizeof(info);
    (void) getsockopt(s, SOL_SOCKET, SO_PROTOCOL_INFOW, (char *) &info, &size);
    direct = is_direct(info.dwServiceFlags1);
    skips = SetFileCompletionNotificationModes((HANDLE) s, SKIP_BOTH);
    closesocket(s);

    if (p != list) {
        lun_machine_say(f, LUN_MACHINE_BAD, NULL, "missing:%s", list);

    } else if (!direct) {
        lun_machine_say(f, LUN_MACHINE_NOTE, "netsh winsock show catalog names"
                        " it; it is mostly an old scanner's", "a layer stands"
                        " between us and the system");
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "with all extensions; what"
                        " is done at once %s", skips ? "costs no second round"
                        : "is told once more");
    }
}


/* Another program that asks for a port which we have, with SO_REUSEADDR. */
void
lun_machine_exclusive(const char *folder, lun_machine_finding *f)
{
    int                 on = 1, rc = -1;
    lun_fd              fd;
    lun_err             err;
    SOCKET              s;
    lun_addr            addr = { .family = LUN_AF_INET, .ip = { 127, 0, 0, 1 }};
    const char         *failed;
    struct sockaddr_in  other = { .sin_family = AF_INET };

    err = lun_sock_listen(&addr, &(lun_listen_options) { .backlog = -1 }, &fd,
                          &failed);

    if (err != 0 || lun_sock_local(fd, &addr) != 0) {
        lun_machine_say(f, LUN_MACHINE_BAD, NULL, "no port to listen at");
        return;
    }

    s = socket(AF_INET, SOCK_STREAM, 0);

    if (s != INVALID_SOCKET) {
        other.sin_port = htons(addr.port);
        other.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        (void) setsockopt(s, SOL_SOCKET, SO_REUSEADDR, (char *) &on,
                          sizeof(on));
        rc = bind(s, (struct sockaddr *) &other, sizeof(other));
        closesocket(s);
    }

    lun_sock_close(fd);

    if (rc == 0) {
        lun_machine_say(f, LUN_MACHINE_BAD, NULL,
                        "another program could take a port of ours");
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                        "no other program takes a port of ours");
    }
}


void
lun_machine_unix(const char *folder, lun_machine_finding *f)
{
    SOCKET  s = socket(AF_UNIX, SOCK_STREAM, 0);

    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, s == INVALID_SOCKET
                    ? "the system has none" : "the system has them");

    if (s != INVALID_SOCKET) {
        closesocket(s);
    }
}


/* Workers end with the master, however that ends. */
void
lun_machine_job(const char *folder, lun_machine_finding *f)
{
    bool    good;
    BOOL    inside = FALSE;
    HANDLE  job = CreateJobObjectW(NULL, NULL);

    JOBOBJECT_EXTENDED_LIMIT_INFORMATION  limit = {
        .BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
    };

    good = job != NULL
           && SetInformationJobObject(job, JobObjectExtendedLimitInformation,
                                      &limit, sizeof(limit));
    (void) IsProcessInJob(GetCurrentProcess(), NULL, &inside);

    if (job != NULL) {
        CloseHandle(job);
    }

    if (!good) {
        lun_machine_say(f, LUN_MACHINE_NOTE, "workers may outlive a master"
                        " that is killed", "no job: %lu", GetLastError());
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "workers end with their"
                        " master%s", inside ? "; this process is in a job of"
                        " somebody else's" : "");
    }
}
