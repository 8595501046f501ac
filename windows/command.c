/*
 * command.c -- starting a program: its command line, its environment, and
 * the few handles that it inherits.
 *
 * A child gets one string and splits it itself; nearly every program does it
 * by the C library's rules, so those are the ones we quote for, and the ones
 * we split our own command line by.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/proc_priv.h"

#include <stdlib.h>

#include "base/fmt.h"
#include "base/pool.h"


/* --- command lines: pure --- */

/* Backslashes count only before a quote: there each is doubled. */
static char *
quote(char *p, const char *arg)
{
    size_t  slashes;

    if (*arg != 0 && strpbrk(arg, " \t\n\v\"") == NULL) {
        return lun_copy(p, arg, strlen(arg));
    }

    *p++ = '"';
    slashes = 0;

    for ( ; *arg; arg++) {
        if (*arg == '\\') {
            slashes++;

        } else {
            if (*arg == '"') {
                memset(p, '\\', slashes + 1);
                p += slashes + 1;
            }
            slashes = 0;
        }

        *p++ = *arg;
    }

    memset(p, '\\', slashes);
    p += slashes;
    *p++ = '"';
    return p;
}


/* Each byte may need a backslash, each argument two quotes and a blank. */
char *
lun_command_join(const char *const *argv)
{
    char    *line, *p;
    size_t   i, room;

    room = 1;

    for (i = 0; argv[i]; i++) {
        room += 2 * strlen(argv[i]) + 3;
    }

    line = malloc(room);

    if (line == NULL) {
        return NULL;
    }

    p = line;

    for (i = 0; argv[i]; i++) {
        if (i > 0) {
            *p++ = ' ';
        }
        p = quote(p, argv[i]);
    }

    *p = 0;
    return line;
}


/*
 * One argument, unquoted, to `out`.  `first`: a program's name, in which
 * backslashes are only backslashes.
 */
static const char *
unquote(const char *p, char **out, bool first)
{
    bool    quoted;
    char   *o;
    size_t  slashes;

    o = *out;
    quoted = false;

    while (*p && (quoted || (*p != ' ' && *p != '\t'))) {
        slashes = 0;

        while (!first && *p == '\\') {
            slashes++;
            p++;
        }

        if (slashes > 0) {
            if (*p != '"') {
                memset(o, '\\', slashes);
                o += slashes;
                continue;
            }

            memset(o, '\\', slashes / 2);
            o += slashes / 2;

            if (slashes % 2) {
                *o++ = *p++;
                continue;
            }
        }

        if (*p != '"') {
            *o++ = *p++;
            continue;
        }

        p++;

        /* Two quotes inside quotes are one that is meant. */
        if (quoted && !first && *p == '"') {
            *o++ = *p++;
        } else {
            quoted = !quoted;
        }
    }

    *o++ = 0;
    *out = o;
    return p;
}


/*
 * The program's own name follows other rules than its arguments: backslashes
 * are nothing special in it.
 */
char **
lun_command_split(const char *line, int *argc)
{
    int      n;
    char    *out, **argv;
    size_t   len, most;

    len = strlen(line);
    most = len / 2 + 2;
    argv = lun_malloc((most + 1) * sizeof(char *) + len + most + 1);
    out = (char *) (argv + most + 1);

    argv[0] = out;
    line = unquote(line, &out, true);
    n = 1;

    for ( ;; ) {
        while (*line == ' ' || *line == '\t') {
            line++;
        }

        if (*line == 0) {
            break;
        }

        argv[n++] = out;
        line = unquote(line, &out, false);
    }

    argv[n] = NULL;
    *argc = n;
    return argv;
}


/* --- environments --- */

static int
compare_names(const void *a, const void *b)
{
    const wchar_t  *p = *(wchar_t *const *) a, *q = *(wchar_t *const *) b;

    return CompareStringOrdinal(p, (int) wcscspn(p, L"="), q,
                                (int) wcscspn(q, L"="), TRUE) - CSTR_EQUAL;
}


/* The system's functions look names up in a block that they think sorted. */
wchar_t *
lun_command_env(const char *const *env)
{
    size_t     i, n, room;
    wchar_t  **strings, *block, *p;

    for (n = 0; env[n]; n++) {
        /* count */
    }

    strings = lun_calloc((n + 1) * sizeof(wchar_t *));
    room = 2;

    for (i = 0, n = 0; env[i]; i++) {
        strings[n] = lun_wide_dup(env[i]);

        if (strings[n] != NULL) {
            room += wcslen(strings[n]) + 1;
            n++;
        }
    }

    qsort(strings, n, sizeof(wchar_t *), compare_names);
    block = lun_calloc(room * sizeof(wchar_t));
    p = block;

    for (i = 0; i < n; i++) {
        wcscpy(p, strings[i]);
        p += wcslen(p) + 1;
        free(strings[i]);
    }

    lun_free(strings);
    return block;
}


/* --- what is inherited --- */

/* An inheritable duplicate; of a handle given twice only one. */
static HANDLE
share(lun_inherit *in, HANDLE h)
{
    HANDLE  self, copy;

    self = GetCurrentProcess();

    if (h == NULL || h == INVALID_HANDLE_VALUE
        || !DuplicateHandle(self, h, self, &copy, 0, TRUE,
                            DUPLICATE_SAME_ACCESS))
    {
        return NULL;
    }

    in->handles[in->count++] = copy;
    return copy;
}


/* Room for both attributes. */
static lun_err
new_list(lun_inherit *in)
{
    lun_err                       err;
    SIZE_T                        size = 0;
    LPPROC_THREAD_ATTRIBUTE_LIST  list;

    InitializeProcThreadAttributeList(NULL, 2, 0, &size);
    list = lun_malloc(size);

    if (!InitializeProcThreadAttributeList(list, 2, 0, &size)) {
        err = (lun_err) GetLastError();
        lun_free(list);
        return err;
    }

    in->info.lpAttributeList = list;
    in->listed = true;
    return 0;
}


/*
 * Handles are listed one by one: without a list a child gets every handle that
 * happens to be inheritable, another child's among them.
 */
lun_err
lun_inherit_init(lun_inherit *in, HANDLE input, HANDLE out, HANDLE err,
    HANDLE job)
{
    lun_err        rc;
    STARTUPINFOW  *si;

    memset(in, 0, sizeof(*in));
    in->job = job;
    si = &in->info.StartupInfo;
    si->cb = sizeof(in->info);
    si->hStdInput = share(in, input);
    si->hStdOutput = share(in, out);
    si->hStdError = err == out ? si->hStdOutput : share(in, err);

    rc = new_list(in);

    if (rc != 0) {
        return rc;
    }

    if (job != NULL) {
        (void) UpdateProcThreadAttribute(in->info.lpAttributeList, 0,
                   PROC_THREAD_ATTRIBUTE_JOB_LIST, &in->job, sizeof(in->job),
                   NULL, NULL);
    }

    if (in->count == 0) {
        return 0;
    }

    si->dwFlags = STARTF_USESTDHANDLES;

    return UpdateProcThreadAttribute(in->info.lpAttributeList, 0,
               PROC_THREAD_ATTRIBUTE_HANDLE_LIST, in->handles,
               in->count * sizeof(HANDLE), NULL, NULL)
           ? 0 : (lun_err) GetLastError();
}


void
lun_inherit_fini(lun_inherit *in)
{
    DWORD  i;

    if (in->listed) {
        DeleteProcThreadAttributeList(in->info.lpAttributeList);
        lun_free(in->info.lpAttributeList);
        in->listed = false;
    }

    for (i = 0; i < in->count; i++) {
        CloseHandle(in->handles[i]);
    }

    in->count = 0;
}


lun_err
lun_inherit_start(lun_inherit *in, const wchar_t *program, wchar_t *line,
    const wchar_t *env, const wchar_t *dir, DWORD flags,
    PROCESS_INFORMATION *made)
{
    flags |= CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT;

    return CreateProcessW(program, line, NULL, NULL, in->count > 0, flags,
                          (void *) env, dir, &in->info.StartupInfo, made)
           ? 0 : (lun_err) GetLastError();
}
