/*
 * service.c -- what the verbs of `lunette service` ask of the system's service
 * manager, which is a fake here, and what they say.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "tap.h"

#include "base/check.h"
#include "base/pool.h"
#include "os/dir.h"
#include "os/path.h"
#include "os/service.h"

static void hear(const char *text, ...) TAP_PRINTF(1, 2);

#define printf(...)                hear(__VA_ARGS__)
#define fprintf(stream, ...)       ((void) (stream), hear(__VA_ARGS__))
#define fputs(text, stream)        ((void) (stream), hear("%s", text))
#define lun_service_install        install_it
#define lun_service_uninstall      uninstall_it
#define lun_service_argv           words_of_it
#define lun_service_start          start_it
#define lun_service_stop           stop_it
#define lun_service_reload         reload_it
#define lun_service_query          query_it
#define lun_service_run            run_it

static lun_rc install_it(const lun_service_spec *spec, char *note,
    size_t note_room, char *why, size_t room);
static lun_rc uninstall_it(const char *name, char *why, size_t room);
static char **words_of_it(const char *name, int *argc, char *why, size_t room);
static lun_rc start_it(const char *name, bool *ended, char *why, size_t room);
static lun_rc stop_it(const char *name, char *why, size_t room);
static lun_rc reload_it(const char *name, char *why, size_t room);
static lun_rc query_it(const char *name, lun_service_info *info, char *why,
    size_t room);
static lun_rc run_it(const char *name, lun_service_fn *fn, void *data,
    int *status, char *why, size_t room);

#include "../../core/run/service.c"

#undef printf
#undef fprintf
#undef fputs

enum { ROOM = 8192, WORDS = 24 };

static char  asked[ROOM];          /* of the manager, and of the server */
static char  heard[ROOM];          /* what was said */
static char  prefix[ROOM];

/* How the manager behaves. */
static const char        *refusal;         /* NULL: it does what it is asked */
static const char        *reservation;     /* what had to be left out */
static bool               it_ended;
static int                verdict;         /* the server's */
static lun_service_info   its_state;


static void
hear(const char *text, ...)
{
    size_t   have = strlen(heard);
    va_list  args;

    va_start(args, text);
    vsnprintf(heard + have, sizeof(heard) - have, text, args);
    va_end(args);
}


static void
note_word(const char *word)
{
    size_t  have = strlen(asked);

    snprintf(asked + have, sizeof(asked) - have, "%s%s",
             have != 0 ? "|" : "", word);
}


static lun_rc
obey(const char *verb, const char *name, char *why, size_t room)
{
    note_word(verb);
    note_word(name);

    if (refusal == NULL) {
        return LUN_OK;
    }

    snprintf(why, room, "%s", refusal);
    return LUN_ERROR;
}


static lun_rc
install_it(const lun_service_spec *spec, char *note, size_t note_room,
    char *why, size_t room)
{
    size_t  i;
    lun_rc  rc = obey("install", spec->name, why, room);

    snprintf(note, note_room, "%s", reservation != NULL ? reservation : "");
    snprintf(prefix, sizeof(prefix), "%s", spec->prefix);

    for (i = 0; spec->argv[i] != NULL; i++) {
        note_word(spec->argv[i] == spec->prefix ? "PREFIX" : spec->argv[i]);
    }

    return rc;
}


static lun_rc
uninstall_it(const char *name, char *why, size_t room)
{
    return obey("uninstall", name, why, room);
}


static char **
words_of_it(const char *name, int *argc, char *why, size_t room)
{
    static char  *words[] = { "PROGRAM", "service", "run", "-n", "web",
                              "-p", "/srv/web", "-c", "a.conf", "-e", "a.log",
                              NULL };
    char        **out;

    if (obey("words", name, why, room) != LUN_OK) {
        return NULL;
    }

    out = lun_malloc(sizeof(words));
    memcpy(out, words, sizeof(words));
    *argc = LUN_ARRAY_LEN(words) - 1;
    return out;
}


static lun_rc
start_it(const char *name, bool *ended, char *why, size_t room)
{
    *ended = it_ended;
    note_word("start");
    note_word(name);

    if (!it_ended) {
        return LUN_OK;
    }

    snprintf(why, room, "it has ended");
    return LUN_ERROR;
}


static lun_rc
stop_it(const char *name, char *why, size_t room)
{
    return obey("stop", name, why, room);
}


static lun_rc
reload_it(const char *name, char *why, size_t room)
{
    return obey("reload", name, why, room);
}


static lun_rc
query_it(const char *name, lun_service_info *info, char *why, size_t room)
{
    *info = its_state;
    return obey("query", name, why, room);
}


static lun_rc
run_it(const char *name, lun_service_fn *fn, void *data, int *status,
    char *why, size_t room)
{
    lun_rc  rc = obey("run", name, why, room);

    if (rc == LUN_OK) {
        *status = fn(data);
    }

    return rc;
}


/* A plain start, or only a look at its configuration. */
static int
serve_plainly(int argc, char **argv)
{
    int  i;

    note_word("serve");

    for (i = 0; i < argc; i++) {
        note_word(argv[i]);
    }

    ok(argv[argc] == NULL, "the words end where they are said to");
    return verdict;
}


/* `lunette service LINE`: its exit code. */
static int
tell(const char *line)
{
    int    argc = 0;
    char   copy[1024], *p;
    char  *argv[WORDS + 3] = { "PROGRAM", "service" };

    snprintf(copy, sizeof(copy), "%s", line);
    asked[0] = '\0';
    heard[0] = '\0';

    for (p = strtok(copy, " "); p != NULL; p = strtok(NULL, " ")) {
        LUN_CHECK(argc < WORDS);
        argv[2 + argc++] = p;
    }

    return lun_service_tool(argc, argv + 2, serve_plainly);
}


static void
says(const char *part)
{
    if (!ok(strstr(heard, part) != NULL, "it is said")) {
        tap_bytes("heard", heard, strlen(heard));
        tap_bytes("want", part, strlen(part));
    }
}


/* --- the verbs ----------------------------------------------------------- */

static void
what_is_installed(void)
{
    char  here[4096], line[5000];

    is_int(tell("install -p web/ -n shop"), 0, "installed");
    is_str(asked, "install|shop|service|run|-n|shop|-p|PREFIX|"
           "-c|conf/nginx.conf|-e|logs/error.log", "with all that it needs");
    ok(lun_path_is_absolute(lun_str_z(prefix), lun_path_native),
       "its prefix is absolute");
    ok(lun_str_ends(lun_str_z(prefix), LUN_STR("web")),
       "and ends without a slash");
    says("service \"shop\" is installed for ");
    says("lunette service start -n shop\n");
    says("warning: there is no \"");
    says("conf/nginx.conf\" yet\n");

    LUN_CHECK(lun_dir_current(here, sizeof(here)) == 0);
    snprintf(line, sizeof(line), "install -p %s -c x.conf -e x.log -g daemon",
             here);
    is_int(tell(line), 0, "with other names");
    is_str(prefix, here, "an absolute prefix stays as it is");
    snprintf(line, sizeof(line), "install|%s|service|run|-n|%s|-p|PREFIX|"
             "-c|x.conf|-e|x.log|-g|daemon", lun_service_default_name,
             lun_service_default_name);
    is_str(asked, line, "and directives");

    reservation = "no rights could be given";
    is_int(tell("install"), 0, "in part");
    says("warning: no rights could be given\n");
    reservation = NULL;

    refusal = "access is denied";
    is_int(tell("install"), 1, "not at all");
    is_str(heard, "lunette: access is denied\n", "as the manager says");
    refusal = NULL;
}


static void
simple_verbs(void)
{
    size_t  i;
    char    want[64];

    static const struct {
        const char  *line, *asked, *heard;
    } rows_[] = {
        { "uninstall -n a", "uninstall|a", "\"a\" is uninstalled\n" },
        { "stop -na", "stop|a", "\"a\" has stopped\n" },
        { "reload -n a", "reload|a", "\"a\" has reloaded\n" },
    };

    for (i = 0; i < LUN_ARRAY_LEN(rows_); i++) {
        is_int(tell(rows_[i].line), 0, "%s", rows_[i].line);
        is_str(asked, rows_[i].asked, "is asked for");
        snprintf(want, sizeof(want), "service %s", rows_[i].heard);
        is_str(heard, want, "and said");

        refusal = "no";
        is_int(tell(rows_[i].line), 1, "refused");
        is_str(heard, "lunette: no\n", "which is said");
        refusal = NULL;
    }
}


static void
a_start(void)
{
    is_int(tell("start -n web"), 0, "a start");
    is_str(asked, "words|web|"
           "serve|PROGRAM|-p|/srv/web|-c|a.conf|-e|a.log|-tq|start|web",
           "comes after a look at its configuration");
    is_str(heard, "service \"web\" runs\n", "and is said");

    verdict = 1;
    is_int(tell("start -n web"), 1, "a bad configuration");
    ok(strstr(asked, "|start|") == NULL, "is not started");
    is_str(heard, "lunette: the service was not started\n", "which is said");
    verdict = 0;

    it_ended = true;
    is_int(tell("start -n web"), 1, "one that ends at once");
    says("lunette: it has ended: see ");
    says("/srv/web/a.log, and the event log (Application)\n");
    it_ended = false;

    refusal = "it is not installed";
    is_int(tell("start"), 1, "one that is not there");
    is_str(heard, "lunette: it is not installed\n", "which is said");
    refusal = NULL;
}


static void
its_status(void)
{
    its_state = (lun_service_info) { .state = LUN_SERVICE_RUNNING, .pid = 12,
                                     .account = "NT SERVICE\\web" };
    is_int(tell("status -n web"), 0, "it runs");
    is_str(heard, "service \"web\" runs as process 12, account "
           "NT SERVICE\\web\n", "with all that is known");

    its_state = (lun_service_info) { .state = LUN_SERVICE_STOPPED,
                                     .exit_code = 3, .ever_ran = true };
    is_int(tell("status -n web"), 3, "it does not");
    is_str(heard, "service \"web\" is stopped, its last run ended with 3\n",
           "and how that came");

    its_state.ever_ran = false;
    is_int(tell("status -n web"), 3, "it never did");
    is_str(heard, "service \"web\" is stopped\n", "no code, then");

    its_state = (lun_service_info) { .state = LUN_SERVICE_STARTING,
                                     .exit_code = 3, .ever_ran = true };
    is_int(tell("status -n web"), 3, "not yet");
    is_str(heard, "service \"web\" is starting\n", "it begins");

    refusal = "no";
    is_int(tell("status"), 1, "unknown");
    refusal = NULL;
}


static void
a_run(void)
{
    verdict = 7;
    is_int(tell("run -n web -p /srv/web -c a.conf"), 7, "its status is ours");
    is_str(asked, "run|web|serve|PROGRAM|-p|/srv/web|-c|a.conf",
           "it serves with its own words");
    verdict = 0;

    refusal = "nobody has started it";
    is_int(tell("run"), 1, "not as a service");
    refusal = NULL;
}


static void
words_that_are_none(void)
{
    size_t  i;

    static const char *const  lines[] = {
        "", "instal", "install -n",
        "run 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
    };

    for (i = 0; i < LUN_ARRAY_LEN(lines); i++) {
        is_int(tell(lines[i]), 1, "\"%s\"", lines[i]);
        says("Usage: lunette service install");
        is_str(asked, "", "nobody is asked");
    }

    is_int(tell("stop -x"), 1, "an option that is none");
    is_str(asked, "", "likewise");
}


int
main(void)
{
    what_is_installed();
    simple_verbs();
    a_start();
    its_status();
    a_run();
    words_that_are_none();

    return done_testing();
}
