/*
 * commands.c -- see commands.h.  Options of `run` are those of its own table;
 * those of tools whose code is Lua stand here, and a spec holds the two
 * together.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/help/commands.h"

#include <stdio.h>
#include <string.h>

#include "config/default_paths.h"
#include "modules/lua/tool/tool_options.h"


typedef struct {
    const char  *name;             /* as it is written: "-s", "--keep" */
    const char  *value;            /* what follows it; NULL: nothing */
    const char  *help;
    const char  *words;            /* which values there are; NULL: any */
} option;

typedef struct {
    const char    *name;           /* "": the server itself */
    const char    *usage;          /* behind the name */
    const char    *help;
    const char    *words;          /* what may follow it; NULL: files */
    const option  *options;        /* ends with a row of zeros; NULL: run's */
} command;

#define SHELLS  "bash zsh powershell"

static const option  server_options[] = {
    { "-?", NULL, "the same as -h", NULL },
    { "-h", NULL, "this text", NULL },
    { "-v", NULL, "the version", NULL },
    { "-V", NULL, "the version and what is built in", NULL },
    { "-t", NULL, "read the configuration, say all that is wrong with it",
      NULL },
    { "-T", NULL, "the same, and print it", NULL },
    { "-q", NULL, "with -t, say nothing unless it is wrong", NULL },
    { "-s", "signal", "tell the server that runs: stop, quit, reopen, reload, "
      "dump, profile; a first word without -s does as well", "stop quit reopen "
      "reload dump profile" },
    { "-p", "prefix", "folder that other names are relative to", NULL },
    { "-e", "filename", "error log (default: " LUN_ERROR_LOG_PATH ")", NULL },
    { "-c", "filename", "configuration (default: " LUN_CONF_PATH ")", NULL },
    { "-g", "directives", "directives before those of the file", NULL },
    { 0 }
};

static const option  spec_options[] = {
    { "--server", "CMD", "the server to test; this program if not given",
      NULL },
    { "--globals", "TEXT", "directives for the top of every configuration",
      NULL },
    { "--workers", "N", "worker processes of the server (1)", NULL },
    { "--master", NULL, "master_process on, also with one worker", NULL },
    { "--reload", NULL, "reload for every block instead of a restart", NULL },
    { "--quit", NULL, "tell servers under Wine to quit", NULL },
    { "--jobs", "N", "files at a time", NULL },
    { "--coverage", "FILE", "which lines of Lua have run, for `lunette "
      "coverage`", NULL },
    { "--keep", NULL, "keep the servers' folders", NULL },
    { "--verbose", NULL, "say what of a preamble is ignored", NULL },
    { "--help", NULL, "these options", NULL },
    { 0 }
};

static const option  init_options[] = {
    { "--static", NULL, "files from html/ (if no other is asked for)", NULL },
    { "--proxy", "URL", "a proxy before the server at URL", NULL },
    { "--lua", NULL, "handlers in Lua", NULL },
    { "--php", NULL, "PHP, by programs that the server starts", NULL },
    { "--tls", NULL,
      "with a certificate for localhost, on port 8443; HTTP/3, too", NULL },
    { "--help", NULL, "these options", NULL },
    { 0 }
};

static const option  acme_options[] = {
    { "-p", "prefix", "the server's folder", NULL },
    { "-c", "filename", "its configuration", NULL },
    { "-g", "directives", "directives before those of the file", NULL },
    { 0 }
};

static const option  check_options[] = {
    { "-p", "prefix", "the folder that is to be served from", NULL },
    { "-c", "filename", "its configuration", NULL },
    { "-e", "filename", "its error log", NULL },
    { 0 }
};

static const option  cert_options[] = {
    { "-o", "DIR", "where NAME.crt and NAME.key go (here)", NULL },
    { "-k", "KIND", "the key: ecdsa:256 (default), ecdsa:384, ecdsa:521, "
      "rsa:2048, rsa:3072, rsa:4096", "ecdsa:256 ecdsa:384 ecdsa:521 rsa:2048 "
      "rsa:3072 rsa:4096" },
    { "-d", "DAYS", "how long it is good for (397)", NULL },
    { "--ca", "DIR", "signed by an authority of your own, which is made there, "
      "and kept for the next", NULL },
    { "--install", NULL, "this machine trusts it, or its authority, from now "
      "on", NULL },
    { 0 }
};

static const option  profile_options[] = {
    { "--seconds", "N", "how long: 10, at most 55", NULL },
    { "--wait", NULL, "where coroutines wait, instead of what computes", NULL },
    { "--heap", NULL, "which tables have grown meanwhile, as text", NULL },
    { "--folded", NULL, "text, a stack a line, instead of a page", NULL },
    { "-o", "FILE", "where to (flame.html, or standard output if folded)",
      NULL },
    { "-p", "prefix", "the server's, as are the next three", NULL },
    { "-c", "filename", "its configuration", NULL },
    { "-e", "filename", "its error log", NULL },
    { "-g", "directives", "directives before those of the file", NULL },
    { 0 }
};

static const option  debug_options[] = {
    { "--stdio", NULL, "the client is who has started it, and says what is to "
      "be served", NULL },
    { "--listen", "ADDRESS:PORT", "the client comes there (127.0.0.1:4711), "
      "and knows the token that is said, or $LUNETTE_DEBUG_TOKEN", NULL },
    { "-p", "prefix", "the server's, as are the next three", NULL },
    { "-c", "filename", "its configuration", NULL },
    { "-e", "filename", "its error log", NULL },
    { "-g", "directives", "directives before those of the file", NULL },
    { 0 }
};

static const option  coverage_options[] = {
    { "--files", NULL, "only what stands in files, not in configurations",
      NULL },
    { "--html", "OUT", "a page with the code instead of a table", NULL },
    { "--lcov", "OUT", "for programs that read lcov's form", NULL },
    { "--least", "N", "the exit status is 1 unless N percent have run", NULL },
    { "--help", NULL, "these options", NULL },
    { 0 }
};

static const option  sync_options[] = {
    { "-p", "prefix", "the server's folder (the one above DIR)", NULL },
    { "-c", "filename", "its configuration, in DIR (nginx.conf)", NULL },
    { "--node", "NAME", "who this is (the name of this machine)", NULL },
    { "--password", "FILE", "a file with the password, instead of one in the "
      "URL", NULL },
    { "--interval", "SEC", "how often Redis is asked for the version (1)",
      NULL },
    { "--most", "BYTES", "of a file, at most (1048576)", NULL },
    { "--once", NULL, "ends when DIR is as the store has it, or cannot be",
      NULL },
    { "--help", NULL, "these options, and URLs", NULL },
    { 0 }
};

static const option  types_options[] = {
    { "--help", NULL, "what is written", NULL },
    { 0 }
};

static const option  import_options[] = {
    { "-o", "DIR", "writes a configuration and what belongs to it there, "
      "instead of to standard output", NULL },
    { "--root", "DIR", "the site's files (the folder of FILE)", NULL },
    { "--listen", "ADDR", "where it listens (8080)", NULL },
    { "--name", "NAME", "its name (localhost)", NULL },
    { "--help", NULL, "these options", NULL },
    { 0 }
};

static const option  service_options[] = {
    { "-n", "name", "which service, if there are several (lunette)", NULL },
    { "-p", "prefix", "install: the folder to serve from", NULL },
    { "-c", "filename", "install: its configuration", NULL },
    { "-e", "filename", "install: its error log", NULL },
    { "-g", "directives", "install: directives before those of the file",
      NULL },
    { 0 }
};

static const option  help_options[] = {
    { "--manual", NULL, "the manual's page of directives", NULL },
    { "--variables", NULL, "its page of variables", NULL },
    { "--api", NULL, "its page of the Lua API", NULL },
    { "--topics", NULL, "its page by task", NULL },
    { "--commands", NULL, "its page of commands", NULL },
    { "--completion", "SHELL", "a script for bash, zsh or powershell", SHELLS },
    { 0 }
};

static const command  commands[] = {
    { "", "[-?hvVtTq] [-s signal] [-p prefix] [-e filename] [-c filename] "
      "[-g directives]", "serves, or tells the server that runs", NULL,
      server_options },
    { "run", "[options] script.lua [arguments]",
      "runs a script with all of the API that needs no request", NULL, NULL },
    { "spec", "[options] [files or folders]",
      "tests what a server answers, by files of Test::Nginx's form", NULL,
      spec_options },
    { "init", "[--static | --proxy URL | --lua | --php] [--tls] [DIR]",
      "writes a first configuration", NULL, init_options },
    { "cert", "[-o DIR] [-k KIND] [-d DAYS] [--ca DIR] [--install] [NAME ...]",
      "makes a certificate for development (localhost, if no name is given)",
      NULL, cert_options },
    { "acme", "list | show | renew | revoke | rollover [-p prefix] "
      "[-c filename] [NAME ...]",
      "says what there is of certificates that renew themselves,"
      " or asks the server to renew or revoke one, or for another key of an"
      " issuer's account", "list show renew revoke rollover", acme_options },
    { "check", "[-p prefix]",
      "looks at what this machine gives, as a table to send along", NULL,
      check_options },
    { "profile", "[--seconds N] [-o FILE] [-p prefix]",
      "shows where the scripts of the server that runs spend their time", NULL,
      profile_options },
    { "debug", "[--stdio | --listen ADDRESS:PORT] [-p prefix]",
      "serves as one process, with a debugger for an editor", NULL,
      debug_options },
    { "coverage", "[options] FILE",
      "says which lines of Lua were run, by a file of lua_coverage", NULL,
      coverage_options },
    { "sync", "[--once] [-p prefix] [-c filename] URL DIR",
      "keeps a folder of configuration as Redis, etcd or Consul has it, and"
      " tells the server to reload", NULL, sync_options },
    { "types", "[DIR]",
      "writes what editors have to know of the Lua API", NULL, types_options },
    { "import", "[-o DIR] [--root DIR] [--listen ADDR] [--name NAME] FILE",
      "makes a configuration of a web.config or applicationHost.config of IIS,"
      " or a .htaccess of Apache", NULL, import_options },
    { "service", "install | uninstall | start | stop | reload | status",
      "is a service of Windows",
      "install uninstall start stop reload status", service_options },
    { "help", "[directive | $variable | ngx.function ...]",
      "says what is known of a name", NULL, help_options },
};


/* --- options, of a table here or of run's -------------------------------- */

typedef void option_fn(void *data, const option *o);

typedef struct {
    option_fn  *each;
    void       *data;
} visit;


static void
on_run_option(void *data, const char *name, const char *value,
    const char *help)
{
    const visit  *v = data;
    const option  o = { name, value, help, NULL };

    v->each(v->data, &o);
}


static void
each_option(const command *c, option_fn *each, void *data)
{
    visit          v = { each, data };
    const option  *o;

    if (c->options == NULL) {
        lun_tool_options_each(on_run_option, &v);
        return;
    }

    for (o = c->options; o->name != NULL; o++) {
        each(data, o);
    }
}


/* --- -h ------------------------------------------------------------------ */

static void
print_option(void *data, const option *o)
{
    char  left[32];

    if (strcmp(o->name, "-?") == 0) {
        return;
    }

    (void) snprintf(left, sizeof(left), "%s%s%s",
                    strcmp(o->name, "-h") == 0 ? "-?,-h" : o->name,
                    o->value != NULL ? " " : "",
                    o->value != NULL ? o->value : "");
    fprintf(stderr, "  %-13s : %s\n", left, o->help);
}


bool
lun_commands_usage_of(const char *name)
{
    size_t          i;
    const command  *c;

    for (i = 1; i < LUN_ARRAY_LEN(commands); i++) {
        c = &commands[i];

        if (strcmp(c->name, name) == 0) {
            fprintf(stderr, "Usage: " LUN_PRODUCT " %s %s\n\n  %s\n\n"
                    "Options:\n", c->name, c->usage, c->help);
            each_option(c, print_option, NULL);
            return true;
        }
    }

    return false;
}


void
lun_commands_usage(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(commands); i++) {
        fprintf(stderr, "%s " LUN_PRODUCT "%s%s %s\n",
                i == 0 ? "Usage:" : "      ",
                commands[i].name[0] != '\0' ? " " : "", commands[i].name,
                commands[i].usage);
    }

    fprintf(stderr, "\nOptions:\n");
    each_option(&commands[0], print_option, NULL);
    fprintf(stderr, "\n");
}


/* --- the manual's page --------------------------------------------------- */

typedef struct {
    lun_pool          *pool;
    lun_help_line_fn  *say;
    void              *data;
} page;


static void
tell_option(void *data, const option *o)
{
    const page  *p = data;

    p->say(p->data, lun_pool_fmt(p->pool, "| `%s%s%s` | %s |", o->name,
                                 o->value != NULL ? " " : "",
                                 o->value != NULL ? o->value : "", o->help));
}


void
lun_commands_manual(lun_pool *pool, lun_help_line_fn *say, void *data)
{
    size_t  i;
    page    p = { pool, say, data };

    say(data, LUN_STR("# Commands"));
    say(data, LUN_STR(""));
    say(data, LUN_STR("From the table that `lunette -h` prints. Written by"
                      " `make manual`."));

    for (i = 0; i < LUN_ARRAY_LEN(commands); i++) {
        const command  *c = &commands[i];
        const char     *space = c->name[0] != '\0' ? " " : "";

        say(data, LUN_STR(""));
        say(data, lun_pool_fmt(pool, "## lunette%s%s", space, c->name));
        say(data, LUN_STR(""));
        say(data, lun_pool_fmt(pool, "    lunette%s%s %s", space, c->name,
                               c->usage));
        say(data, LUN_STR(""));
        say(data, lun_pool_fmt(pool, "It %s.", c->help));
        say(data, LUN_STR(""));
        say(data, LUN_STR("| option | |"));
        say(data, LUN_STR("|---|---|"));
        each_option(c, tell_option, &p);
    }
}


/* --- completion ---------------------------------------------------------- */

/* The names of a command's options, in one line. */
typedef struct {
    lun_pool  *pool;
    lun_str    text;
} gathering;


static void
gather_option(void *data, const option *o)
{
    gathering  *g = data;

    g->text = lun_pool_fmt(g->pool, "%.*s%s%s", LUN_S(g->text),
                           g->text.len != 0 ? " " : "", o->name);
}


static lun_str
words_of(lun_pool *pool, const command *c)
{
    size_t     i;
    gathering  g = { pool, LUN_STR("") };

    if (c->words != NULL) {
        g.text = lun_pool_fmt(pool, "%s", c->words);
    }

    each_option(c, gather_option, &g);

    for (i = 1; c == &commands[0] && i < LUN_ARRAY_LEN(commands); i++) {
        g.text = lun_pool_fmt(pool, "%.*s %s", LUN_S(g.text),
                              commands[i].name);
    }

    return g.text;
}


/* Each line of a text. */
static void
say_lines(const char *text, lun_help_line_fn *say, void *data)
{
    const char  *end;

    for ( ; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        say(data, lun_str_of(text, (size_t) (end - text)));
    }
}


static void
say_bash(lun_pool *pool, lun_help_line_fn *say, void *data)
{
    size_t         i;
    const option  *o;

    say_lines("# lunette and resty, in bash; written by `make manual`.\n"
              "#\n"
              "# SPDX-License-Identifier: BSD-2-Clause\n"
              "\n"
              "_lunette() {\n"
              "    local word=${COMP_WORDS[COMP_CWORD]}\n"
              "    local before=${COMP_WORDS[COMP_CWORD-1]} words\n"
              "    COMPREPLY=()\n"
              "\n"
              "    case $before in\n"
              "    -p) mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
              "        return ;;\n"
              "    -c | -e | --server)\n"
              "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
              "        return ;;\n", say, data);

    for (i = 0; i < LUN_ARRAY_LEN(commands); i++) {
        for (o = commands[i].options; o != NULL && o->name != NULL; o++) {
            if (o->words != NULL) {
                say(data, lun_pool_fmt(pool, "    %s) COMPREPLY=($(compgen -W"
                                       " '%s' -- \"$word\"))\n"
                                       "        return ;;",
                                       o->name, o->words));
            }
        }
    }

    say_lines("    esac\n"
              "\n"
              "    case ${COMP_WORDS[1]} in\n", say, data);

    for (i = 1; i < LUN_ARRAY_LEN(commands); i++) {
        say(data, lun_pool_fmt(pool, "    %s) words='%.*s' ;;",
                               commands[i].name,
                               LUN_S(words_of(pool, &commands[i]))));
    }

    say(data, lun_pool_fmt(pool, "    *) words='%.*s' ;;",
                           LUN_S(words_of(pool, &commands[0]))));
    say_lines("    esac\n"
              "    mapfile -t COMPREPLY < <(compgen -f -W \"$words\""
              " -- \"$word\")\n"
              "}\n"
              "complete -o filenames -F _lunette lunette\n"
              "complete -f resty\n", say, data);
}


/* "'-s:tell the server'", as zsh wants to read it. */
static void
tell_zsh_word(const page *p, const char *name, const char *help)
{
    const char  *c;
    lun_str      text = LUN_STR("");

    for (c = help; *c != '\0'; c++) {
        text = *c == '\'' ? lun_pool_fmt(p->pool, "%.*s'\\''", LUN_S(text))
               : lun_pool_fmt(p->pool, "%.*s%c", LUN_S(text), *c);
    }

    p->say(p->data, lun_pool_fmt(p->pool, "        '%s:%.*s'", name,
                                 LUN_S(text)));
}


static void
tell_zsh_option(void *data, const option *o)
{
    tell_zsh_word(data, o->name, o->help);
}


static void
say_zsh(lun_pool *pool, lun_help_line_fn *say, void *data)
{
    size_t         i, k;
    page           p = { pool, say, data };
    const option  *o;

    say_lines("#compdef lunette\n"
              "# lunette, in zsh; written by `make manual`.\n"
              "#\n"
              "# SPDX-License-Identifier: BSD-2-Clause\n"
              "\n"
              "local -a found\n"
              "\n"
              "case $words[CURRENT-1] in\n"
              "-p) _files -/; return ;;\n"
              "-c | -e | --server) _files; return ;;\n", say, data);

    for (i = 0; i < LUN_ARRAY_LEN(commands); i++) {
        for (o = commands[i].options; o != NULL && o->name != NULL; o++) {
            if (o->words != NULL) {
                say(data, lun_pool_fmt(pool, "%s) compadd %s; return ;;",
                                       o->name, o->words));
            }
        }
    }

    say_lines("esac\n"
              "\n"
              "case $words[2] in\n", say, data);

    /* The server's own comes last: it is what none of the others is. */
    for (k = 1; k <= LUN_ARRAY_LEN(commands); k++) {
        i = k % LUN_ARRAY_LEN(commands);
        say(data, lun_pool_fmt(pool, "%s) found=(",
                               i == 0 ? "*" : commands[i].name));
        each_option(&commands[i], tell_zsh_option, &p);

        if (i == 0) {
            for (i = 1; i < LUN_ARRAY_LEN(commands); i++) {
                tell_zsh_word(&p, commands[i].name, commands[i].help);
            }

        } else if (commands[i].words != NULL) {
            say(data, lun_pool_fmt(pool, "        %s", commands[i].words));
        }

        say(data, LUN_STR("    ) ;;"));
    }

    say_lines("esac\n"
              "\n"
              "_describe lunette found\n"
              "_files\n", say, data);
}


static void
say_powershell(lun_pool *pool, lun_help_line_fn *say, void *data)
{
    size_t         i;
    const option  *o;

    say_lines("# lunette, in PowerShell; written by `make manual`.  In the"
              " profile:\n"
              "#\n"
              "#     . C:\\lunette\\completion.ps1\n"
              "#\n"
              "# SPDX-License-Identifier: BSD-2-Clause\n"
              "\n"
              "Register-ArgumentCompleter -Native"
              " -CommandName 'lunette', 'lunette.exe'"
              " -ScriptBlock {\n"
              "    param($word, $line, $at)\n"
              "\n"
              "    $values = @{\n", say, data);

    for (i = 0; i < LUN_ARRAY_LEN(commands); i++) {
        for (o = commands[i].options; o != NULL && o->name != NULL; o++) {
            if (o->words != NULL) {
                say(data, lun_pool_fmt(pool, "        '%s' = '%s'", o->name,
                                       o->words));
            }
        }
    }

    say_lines("    }\n"
              "    $words = @{\n", say, data);

    for (i = 0; i < LUN_ARRAY_LEN(commands); i++) {
        say(data, lun_pool_fmt(pool, "        '%s' = '%.*s'",
                               commands[i].name,
                               LUN_S(words_of(pool, &commands[i]))));
    }

    say_lines("    }\n"
              "\n"
              "    # The words that are complete: the last one may be what is"
              " being written.\n"
              "    $all = @($line.CommandElements | ForEach-Object {"
              " $_.ToString() })\n"
              "    if ($word -ne '' -and $all.Count -gt 1) {\n"
              "        $all = @($all[0..($all.Count - 2)])\n"
              "    }\n"
              "    $before = $all[-1]\n"
              "    $command = ''\n"
              "    if ($all.Count -gt 1 -and $words.ContainsKey($all[1])) {\n"
              "        $command = $all[1]\n"
              "    }\n"
              "\n"
              "    $found = $words[$command]\n"
              "    if ($all.Count -gt 1 -and $values.ContainsKey($before)) {\n"
              "        $found = $values[$before]\n"
              "    }\n"
              "    $found -split ' ' | Where-Object { $_ -like \"$word*\" } |"
              " ForEach-Object {\n"
              "        [System.Management.Automation.CompletionResult]::new("
              "$_, $_, 'ParameterValue', $_)\n"
              "    }\n"
              "}\n", say, data);
}


bool
lun_commands_completion(const char *shell, lun_pool *pool,
    lun_help_line_fn *say, void *data)
{
    if (strcmp(shell, "bash") == 0) {
        say_bash(pool, say, data);
        return true;
    }

    if (strcmp(shell, "zsh") == 0) {
        say_zsh(pool, say, data);
        return true;
    }

    if (strcmp(shell, "powershell") == 0) {
        say_powershell(pool, say, data);
        return true;
    }

    say(data, lun_pool_fmt(pool, "no completion is known for \"%s\"; there is "
                           "one for each of: " SHELLS, shell));
    return false;
}
