/*
 * machine.c -- what this Windows gives a server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/machine.h"

#include "windows/machine/machine_priv.h"
#include "windows/win.h"

#include <stdlib.h>

#include "base/fmt.h"
#include "os/file.h"


typedef LONG WINAPI version_fn(OSVERSIONINFOW *);

/* GetVersionEx() tells what the manifest admits to know. */
static void
look_system(const char *folder, lun_machine_finding *f)
{
    HMODULE          ntdll = GetModuleHandleW(L"ntdll");
    version_fn      *version;
    const char      *wine;
    OSVERSIONINFOW   info = { .dwOSVersionInfoSize = sizeof(info) };

    version = (version_fn *) (void *) GetProcAddress(ntdll, "RtlGetVersion");
    wine = GetProcAddress(ntdll, "wine_get_version") ? " (Wine)" : "";

    if (version == NULL || version(&info) != 0) {
        lun_machine_say(f, LUN_MACHINE_NOTE, NULL, "unknown");
        return;
    }

    lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                    "Windows %lu.%lu.%lu%s, %d processors",
                    info.dwMajorVersion, info.dwMinorVersion,
                    info.dwBuildNumber, wine, lun_proc_cpus());
}


static void
look_account(const char *folder, lun_machine_finding *f)
{
    char             name[256] = "unknown";
    wchar_t          wide[128];
    DWORD            size = 128, n;
    HANDLE           token = NULL;
    TOKEN_ELEVATION  elevation = { 0 };

    if (GetUserNameW(wide, &size) && size > 0) {
        name[lun_wide_to(name, wide, lun_min(size - 1, 80))] = '\0';
    }

    if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) {
        (void) GetTokenInformation(token, TokenElevation, &elevation,
                                   sizeof(elevation), &n);
        CloseHandle(token);
    }

    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "%s%s", name,
                    elevation.TokenIsElevated
                    ? ", as administrator" : ", not as administrator");
}


static void
look_services(const char *folder, lun_machine_finding *f)
{
    SC_HANDLE  manager;

    manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CREATE_SERVICE);

    if (manager == NULL) {
        lun_machine_say(f, LUN_MACHINE_NOTE,
                        "service install needs a terminal that runs as"
                        " administrator", "this user may not install one");
        return;
    }

    CloseServiceHandle(manager);
    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "this user may install one");
}


static void
look_event_log(const char *folder, lun_machine_finding *f)
{
    HANDLE  log;

    log = RegisterEventSourceW(NULL, L"lunette");

    if (log == NULL) {
        lun_machine_say(f, LUN_MACHINE_NOTE, "a service's first words are"
                        " only in logs/error.log", "no access: %lu",
                        GetLastError());
        return;
    }

    DeregisterEventSource(log);
    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "it can be written to");
}


static void
look_code_page(const char *folder, lun_machine_finding *f)
{
    UINT  page = GetACP();

    lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                    page == CP_UTF8 ? "UTF-8, by our manifest"
                    : "%u; names are UTF-8 all the same", page);
}


static void
look_long_paths(const char *folder, lun_machine_finding *f)
{
    DWORD  on = 0, size = sizeof(on);
    LSTATUS status;

    status = RegGetValueW(HKEY_LOCAL_MACHINE,
                          L"SYSTEM\\CurrentControlSet\\Control\\FileSystem",
                          L"LongPathsEnabled", RRF_RT_REG_DWORD, NULL, &on,
                          &size);

    lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                    status == ERROR_SUCCESS && on
                    ? "LongPathsEnabled is set"
                    : "LongPathsEnabled is not set; Lunette does not need it");
}


/* A file with a long name gets a second one, under which it is found, too. */
static void
look_short_names(const char *folder, lun_machine_finding *f)
{
    char      path[1024] = "";
    char     *end;
    bool      has = false;
    DWORD     n;
    lun_fd    fd;
    wchar_t   brief[600];
    wchar_t  *wide;

    end = lun_fmt(path, path + sizeof(path) - 1, "%s/a longer name.text",
                  folder);
    *end = '\0';

    if (lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE, 0644, &fd) != 0)
    {
        lun_machine_say(f, LUN_MACHINE_NOTE, NULL, "unknown");
        return;
    }

    lun_file_close(fd);
    wide = lun_wide_dup(path);

    if (wide != NULL) {
        n = GetShortPathNameW(wide, brief, 600);
        has = n > 0 && n < 600 && wcsstr(brief, L"a longer name") == NULL;
        free(wide);
    }

    (void) lun_file_delete(path);
    lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                    has ? "the volume makes them; requests for them are"
                          " refused" : "the volume makes none");
}


static void
look_symlinks(const char *folder, lun_machine_finding *f)
{
    enum { UNPRIVILEGED = 2 };

    char      path[1024] = "";
    char     *end;
    bool      made = false;
    wchar_t  *wide;

    end = lun_fmt(path, path + sizeof(path) - 1, "%s/link", folder);
    *end = '\0';
    wide = lun_wide_dup(path);

    if (wide != NULL) {
        made = CreateSymbolicLinkW(wide, L"nowhere", UNPRIVILEGED);
        free(wide);
    }

    if (made) {
        (void) lun_file_delete(path);
    }

    lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                    made ? "this user may make them"
                         : "this user may not make them; they are followed"
                           " where they are");
}


/*
 * Windows keeps ports for itself, which no program may listen on, and there
 * is no call that lists them: one that refuses with "permission denied" is
 * one of them.
 */
static void
look_ports(const char *folder, lun_machine_finding *f)
{
    static const uint16_t  usual[] = { 80, 443, 8080, 8443 };

    char         list[64];
    char        *p = list;
    size_t       i;
    lun_fd       fd;
    lun_err      err;
    lun_addr     addr = { .family = LUN_AF_INET, .ip = { 127, 0, 0, 1 } };
    const char  *failed;

    for (i = 0; i < LUN_ARRAY_LEN(usual); i++) {
        addr.port = usual[i];
        err = lun_sock_listen(&addr, &(lun_listen_options) { .backlog = -1 },
                              &fd, &failed);

        if (err == 0) {
            lun_sock_close(fd);

        } else if (lun_err_kind_of(err) == LUN_ERR_ACCESS) {
            p = lun_fmt(p, list + sizeof(list) - 1, " %u", usual[i]);
        }
    }

    *p = '\0';

    if (p == list) {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                        "80, 443, 8080 and 8443 are not kept by the system");
        return;
    }

    lun_machine_say(f, LUN_MACHINE_NOTE,
                    "netsh interface ipv4 show excludedportrange tcp lists"
                    " what Windows keeps for itself",
                    "denied here:%s", list);
}


const lun_machine_row  lun_machine_rows[] = {
    { "system", look_system },
    { "account", look_account },
    { "services", look_services },
    { "event log", look_event_log },
    { "code page", look_code_page },
    { "long paths", look_long_paths },
    { "short names", look_short_names },
    { "other names", lun_machine_other_names },
    { "devices", lun_machine_devices },
    { "own names", lun_machine_own_names },
    { "rights", lun_machine_rights },
    { "symbolic links", look_symlinks },
    { "sockets", lun_machine_sockets },
    { "ports of ours", lun_machine_exclusive },
    { "usual ports", look_ports },
    { "unix sockets", lun_machine_unix },
    { "jobs", lun_machine_job },
    { "extras", lun_machine_extras },
    { NULL, NULL }
};
