/*
 * service_plan.c -- what a service is registered as, and what is said when
 * that fails: tables and text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/service/service_priv.h"

#include <stdlib.h>

#include "base/fmt.h"
#include "windows/proc_priv.h"


enum {
    NAME_MAX_LEN    = 80,
    RECOVERY_MEMORY = 86400        /* s without a death: count anew */
};

/* After the first death, the second, and each further one; ms. */
static SC_ACTION  restarts[] = {
    { SC_ACTION_RESTART, 1000 },
    { SC_ACTION_RESTART, 5000 },
    { SC_ACTION_RESTART, 60000 }
};

static const struct {
    DWORD        err;
    const char  *text;
} advices[] = {
    { ERROR_SERVICE_DOES_NOT_EXIST, "it is not installed" },
    { ERROR_SERVICE_EXISTS, "it is installed already" },
    { ERROR_SERVICE_ALREADY_RUNNING, "it runs already" },
    { ERROR_SERVICE_NOT_ACTIVE, "it does not run" },
    { ERROR_ACCESS_DENIED, "access denied: run this as administrator" },
    { ERROR_SERVICE_MARKED_FOR_DELETE, "it is being uninstalled: close what "
      "shows it (the services console) and try again" },
    { ERROR_SERVICE_CANNOT_ACCEPT_CTRL, "it is just starting or stopping: try "
      "again" },
    { ERROR_SERVICE_DISABLED, "it is disabled: let it start with "
      "\"sc.exe config\" or in the services console" },
    { ERROR_SERVICE_LOGON_FAILED, "its account may not log on as a service: "
      "in secpol.msc, give that right to \"NT SERVICE\\ALL SERVICES\"" },
    { ERROR_SERVICE_REQUEST_TIMEOUT, "its process has ended, or hangs, before "
      "it began" },
    { ERROR_FILE_NOT_FOUND, "the program is not where it was: uninstall the "
      "service, and install it from the new place" },
    { ERROR_PATH_NOT_FOUND, "the program is not where it was: uninstall the "
      "service, and install it from the new place" },
    { ERROR_SHUTDOWN_IN_PROGRESS, "the machine is shutting down" },
    { ERROR_TIMEOUT, "it takes too long; see its error log" },
};


const char *
lun_service_advice(DWORD err)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(advices); i++) {
        if (advices[i].err == err) {
            return advices[i].text;
        }
    }

    return NULL;
}


void
lun_service_note(char *note, size_t room, const char *what, DWORD err)
{
    char     text[256];
    lun_str  words;

    if (err != 0 && *note == 0) {
        words = lun_err_text((lun_err) err, text, sizeof(text));
        *lun_fmt(note, note + room - 1, "could not %s (%u: %.*s)", what,
                 (unsigned) err, LUN_S(words)) = 0;
    }
}


void
lun_service_recovery(SERVICE_FAILURE_ACTIONSW *actions)
{
    memset(actions, 0, sizeof(*actions));
    actions->dwResetPeriod = RECOVERY_MEMORY;
    actions->cActions = LUN_ARRAY_LEN(restarts);
    actions->lpsaActions = restarts;
}


/* The key above all services names none: no slashes, and not too long. */
bool
lun_service_is_name(const char *name)
{
    char    c;
    size_t  i;

    for (i = 0; name[i] != 0; i++) {
        c = lun_lower(name[i]);

        if (!(c >= 'a' && c <= 'z') && !lun_is_digit(c)
            && strchr("-_.", c) == NULL)
        {
            return false;
        }
    }

    return i > 0 && i <= NAME_MAX_LEN;
}


static bool
is_slash(char c)
{
    return c == '/' || c == '\\';
}


/* "C:\", "//server/share": a folder of it would be the service's own. */
bool
lun_service_is_drive(const char *prefix)
{
    size_t  i, names;

    names = 0;

    for (i = 0; prefix[i] != 0; i++) {
        if (!is_slash(prefix[i]) && (i == 0 || is_slash(prefix[i - 1]))) {
            names++;
        }
    }

    return names <= (is_slash(prefix[0]) ? 2u : 1u);
}


char *
lun_service_image(const char *program, const char *const *argv)
{
    char         *line;
    size_t        n;
    const char  **all;

    for (n = 0; argv[n] != NULL; n++) {
        /* count */
    }

    all = calloc(n + 2, sizeof(char *));

    if (all == NULL) {
        return NULL;
    }

    all[0] = program;
    memcpy(all + 1, argv, n * sizeof(char *));
    line = lun_command_join(all);
    free(all);
    return line;
}


const char *
lun_service_option(char *const *argv, const char *option)
{
    size_t  i;

    for (i = 0; argv[i] != NULL && argv[i + 1] != NULL; i++) {
        if (strcmp(argv[i], option) == 0) {
            return argv[i + 1];
        }
    }

    return NULL;
}
