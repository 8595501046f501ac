/*
 * eventlog.c -- what a service has to say where administrators look.
 *
 * The source's messages are those of the system's own eventcreate.exe: every
 * number below 1000 is "%1" there, so that the text is shown whole and no
 * file of ours is held open by the viewer.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/service/service_priv.h"

#include <stdio.h>
#include <stdlib.h>

#define SOURCES  L"SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\"
#define MESSAGES  L"%SystemRoot%\\System32\\EventCreate.exe"

enum {
    ALL_TYPES = EVENTLOG_ERROR_TYPE | EVENTLOG_WARNING_TYPE
                | EVENTLOG_INFORMATION_TYPE,
    TEXT_MAX  = 8000
};

/* The numbers of our events, by how bad they are. */
enum { EVENT_ERROR = 1, EVENT_WARNING = 2, EVENT_NOTICE = 3 };

static HANDLE  source;


static void
key_of(const wchar_t *name, wchar_t *key, size_t room)
{
    _snwprintf(key, room, SOURCES L"%ls", name);
    key[room - 1] = 0;
}


lun_err
lun_event_register(const wchar_t *name)
{
    HKEY     key;
    DWORD    types;
    LSTATUS  err;
    wchar_t  path[512];

    key_of(name, path, LUN_ARRAY_LEN(path));
    err = RegCreateKeyExW(HKEY_LOCAL_MACHINE, path, 0, NULL, 0, KEY_SET_VALUE,
                          NULL, &key, NULL);
    if (err) {
        return (lun_err) err;
    }

    types = ALL_TYPES;
    err = RegSetValueExW(key, L"EventMessageFile", 0, REG_EXPAND_SZ,
                         (const BYTE *) MESSAGES, sizeof(MESSAGES));

    if (err == 0) {
        err = RegSetValueExW(key, L"TypesSupported", 0, REG_DWORD,
                             (const BYTE *) &types, sizeof(types));
    }

    RegCloseKey(key);
    return (lun_err) err;
}


void
lun_event_unregister(const wchar_t *name)
{
    wchar_t  path[512];

    key_of(name, path, LUN_ARRAY_LEN(path));
    RegDeleteKeyW(HKEY_LOCAL_MACHINE, path);
}


void
lun_event_open(const wchar_t *name)
{
    source = RegisterEventSourceW(NULL, name);
}


void
lun_event_log(lun_log_level level, const char *line, size_t len)
{
    WORD            type;
    DWORD           id;
    wchar_t        *text;
    ptrdiff_t       n;
    const wchar_t  *texts[1];

    if (source == NULL || level > LUN_LOG_NOTICE) {
        return;
    }

    type = level <= LUN_LOG_ERR ? EVENTLOG_ERROR_TYPE
           : level == LUN_LOG_WARN ? EVENTLOG_WARNING_TYPE
           : EVENTLOG_INFORMATION_TYPE;
    id = level <= LUN_LOG_ERR ? EVENT_ERROR
         : level == LUN_LOG_WARN ? EVENT_WARNING : EVENT_NOTICE;

    len = lun_min(len, (size_t) TEXT_MAX);
    text = malloc((len + 1) * sizeof(wchar_t));

    if (text == NULL) {
        return;
    }

    n = lun_wide_from(text, line, len);

    /* Bytes that are no text: one unit each, to say something at least. */
    if (n < 0) {
        for (n = 0; (size_t) n < len; n++) {
            text[n] = (unsigned char) line[n];
        }
    }

    text[n] = 0;
    texts[0] = text;
    ReportEventW(source, type, 0, id, NULL, 1, 0, texts, NULL);
    free(text);
}
