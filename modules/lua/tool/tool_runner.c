/*
 * tool_runner.c -- the command of a program that runs us: its own words, then
 * ours without those that were about it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/tool/tool_runner.h"

#include "base/check.h"
#include "os/proc.h"

enum { PATH_SIZE = 4096 };

/* In the order in which two of them are refused. */
static const struct {
    const char  *name;             /* the option */
    const char  *before;           /* ahead of its own options */
    const char  *behind;           /* and of us */
    bool         joined;           /* it wants us in one word */
} runners[LUN_TOOL_RUNNERS] = {
    { "gdb", "gdb", "--args", false },
    { "rr", "rr record", "", false },
    { "valgrind", "valgrind", "", false },
    { "stap", "stap", "-c", true },
    { "user-runner", "", "", false },
};


void
lun_tool_runner_init(lun_tool_runner *r, lun_pool *pool)
{
    *r = (lun_tool_runner) { .pool = pool };
    lun_array_init(&r->kept, pool, sizeof(const char *), 8);
}


static void
add_word(lun_array *words, const char *word)
{
    *(const char **) lun_array_push(words) = word;
}


static const char *
word_at(const lun_array *words, size_t i)
{
    return *(const char **) lun_array_at(words, i);
}


void
lun_tool_runner_keep(lun_tool_runner *r, const char *word)
{
    add_word(&r->kept, word);
}


void
lun_tool_runner_take(lun_tool_runner *r, const char *name, const char *value)
{
    size_t       i, len;
    const char  *end;

    for (i = 0; i < LUN_TOOL_RUNNERS; i++) {
        len = strlen(runners[i].name);
        end = name + len;

        if (strncmp(name, runners[i].name, len) != 0) {
            continue;
        }

        r->wanted[i] |= *end == '\0';
        r->options[i] = value != NULL ? value : r->options[i];
        return;
    }

    LUN_NEVER("an option of no runner");
}


bool
lun_tool_runner_conflict(const lun_tool_runner *r, const char **one,
    const char **other)
{
    size_t  i;

    *one = *other = NULL;

    for (i = 0; i < LUN_TOOL_RUNNERS && *other == NULL; i++) {
        if (r->wanted[i]) {
            *(*one == NULL ? one : other) = runners[i].name;
        }
    }

    return *other != NULL;
}


/* As a shell splits them: quotes of both kinds keep blanks. */
static void
add_words(lun_array *words, lun_pool *pool, const char *text)
{
    char  quote, *word, *p;

    for ( ;; ) {
        text += strspn(text, " \t\n");

        if (*text == '\0') {
            return;
        }

        word = p = lun_pool_alloc(pool, strlen(text) + 1);

        for (quote = '\0'; *text != '\0'; text++) {
            if (quote == '\0' && strchr(" \t\n", *text) != NULL) {
                break;
            }

            if (*text == quote) {
                quote = '\0';

            } else if (quote == '\0' && (*text == '"' || *text == '\'')) {
                quote = *text;

            } else {
                *p++ = *text;
            }
        }

        *p = '\0';
        add_word(words, word);
    }
}


static char *
put(char *p, const char *text)
{
    size_t  len = strlen(text);

    memcpy(p, text, len);
    return p + len;
}


/* The words as one that a shell takes apart again. */
static const char *
join(lun_pool *pool, const lun_array *words)
{
    char        *text, *p;
    size_t       i, room = 1;
    const char  *c;

    for (i = 0; i < words->count; i++) {
        room += 4 * strlen(word_at(words, i)) + 3;
    }

    text = p = lun_pool_alloc(pool, room);

    for (i = 0; i < words->count; i++) {
        p = put(p, i != 0 ? " '" : "'");

        for (c = word_at(words, i); *c != '\0'; c++) {
            if (*c == '\'') {
                p = put(p, "'\\''");

            } else {
                *p++ = *c;
            }
        }

        *p++ = '\'';
    }

    *p = '\0';
    return text;
}


static void
add_us(const lun_tool_runner *r, lun_array *us)
{
    char    *program = lun_pool_alloc(r->pool, PATH_SIZE);
    size_t   i;

    add_word(us, lun_proc_program(program, PATH_SIZE) == 0 ? program
                                                           : "lunette");
    add_word(us, "run");

    for (i = 0; i < r->kept.count; i++) {
        add_word(us, word_at(&r->kept, i));
    }
}


const char **
lun_tool_runner_command(const lun_tool_runner *r)
{
    size_t     i = 0, k;
    lun_array  words, us;

    while (i < LUN_TOOL_RUNNERS && !r->wanted[i]) {
        i++;
    }

    if (i == LUN_TOOL_RUNNERS) {
        return NULL;
    }

    lun_array_init(&words, r->pool, sizeof(const char *), 8);
    lun_array_init(&us, r->pool, sizeof(const char *), 8);
    add_us(r, &us);

    add_words(&words, r->pool, runners[i].before);
    add_words(&words, r->pool, r->options[i] != NULL ? r->options[i] : "");
    add_words(&words, r->pool, runners[i].behind);

    if (runners[i].joined) {
        add_word(&words, join(r->pool, &us));
    }

    for (k = 0; !runners[i].joined && k < us.count; k++) {
        add_word(&words, word_at(&us, k));
    }

    add_word(&words, NULL);
    return words.items;
}
