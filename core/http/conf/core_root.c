/*
 * core_root.c -- root and alias, and which links may lead on from there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/core_conf.h"


enum { LONG_NAME = 4096 };

static const lun_enum  link_words[] = {
    { "off", LUN_LINKS_FOLLOW },
    { "on", LUN_LINKS_REFUSE },
    { "if_not_owner", LUN_LINKS_OWNER },
    { NULL, 0 }
};


static lun_location *
location_of(const lun_conf *cf)
{
    const lun_block  *b = cf->block;

    while (b != NULL && b->where != LUN_LOCATION) {
        b = b->parent;
    }

    return b != NULL ? b->owner : NULL;
}


/* Short names in it would make a look-up of every request. */
static lun_str
long_name(lun_conf *cf, lun_str path)
{
    char  room[LONG_NAME];

    return lun_file_long_name(path.data, room, sizeof(room)) == 0
           ? lun_pool_fmt(cf->pool, "%s", room) : path;
}


/*
 * The folder that all paths of a root begin with: an alias may end within a
 * name, and a variable be part of one.
 */
static void
set_native(lun_conf *cf, lun_root *root, lun_str text)
{
    const char  *dollar = lun_str_chr(text, '$');

    if (root->script != NULL && dollar != NULL) {
        text.len = (size_t) (dollar - text.data);
    }

    while ((root->alias || root->script != NULL) && text.len > 0
           && text.data[text.len - 1] != '/')
    {
        text.len--;
    }

    if (root->script != NULL) {
        text = lun_conf_path(cf, text, false);
    }

    lun_native_path_init(&root->native, cf->pool, text,
                         &cf->gen->native_prefix);
}


/* What would be asked for itself. */
static lun_rc
refuse_itself(lun_conf *cf, lun_str text)
{
    size_t  i;

    static const char *const  names[] = {
        "$document_root", "${document_root}", "$realpath_root",
        "${realpath_root}"
    };

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_find(text, lun_str_z(names[i])) != NULL) {
            return lun_conf_fail(cf, "the $%s variable cannot be used in the "
                                 "\"%.*s\" directive",
                                 i < 2 ? "document_root" : "realpath_root",
                                 LUN_S(cf->args[0]));
        }
    }

    return LUN_OK;
}


/*
 * Without variables all that can be decided is decided here, so that a request
 * only joins two strings.
 */
lun_rc
lun_set_root(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str         text = cf->args[1];
    lun_root       *root = lun_pool_new(cf->pool, lun_root);
    lun_location   *loc = location_of(cf);
    lun_core_conf  *core = conf;

    root->alias = d->data != NULL;

    if (refuse_itself(cf, text) != LUN_OK) {
        return LUN_ERROR;
    }

    if (root->alias && loc != NULL) {
        if (loc->match == LUN_MATCH_NAMED) {
            return lun_conf_fail(cf, "the \"alias\" directive cannot be used "
                                 "inside the named location");
        }

        root->regex = loc->match == LUN_MATCH_REGEX
                      || loc->match == LUN_MATCH_PREDICATE;
        root->name = loc->name;
    }

    if (lun_script_has_variables(text)) {
        root->script = lun_script_new(cf, text);

        if (root->script == NULL) {
            return LUN_ERROR;
        }

    } else {
        text = long_name(cf, lun_conf_path(cf, text, false));

        if (!root->alias && text.len > 0 && text.data[text.len - 1] == '/') {
            text.len--;
        }

        root->text = text;
    }

    set_native(cf, root, text);
    core->root = root;
    return LUN_OK;
}


/* "off", "on" and "if_not_owner" may stand behind the "from=", too. */
static bool
set_link_word(lun_link_rules *rules, lun_str word)
{
    size_t  i;

    for (i = 0; link_words[i].name != NULL; i++) {
        if (lun_str_eq(word, lun_str_z(link_words[i].name))) {
            rules->links = (lun_links) link_words[i].value;
            return true;
        }
    }

    return false;
}


/*
 * "from=" needs a variable's value for each request; whether it fits is known
 * when both words were read, in any order.
 */
lun_rc
lun_set_disable_symlinks(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t           i, words = 0;
    lun_str          arg;
    lun_core_conf   *core = conf;
    lun_link_rules  *rules = lun_pool_new(cf->pool, lun_link_rules);

    for (i = 1; i < cf->argc; i++) {
        arg = cf->args[i];

        if (set_link_word(rules, arg)) {
            words++;

        } else if (!lun_str_after(arg, LUN_STR("from="), &arg)) {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(arg));

        } else {
            rules->from = lun_script_new(cf, arg);

            if (rules->from == NULL) {
                return LUN_ERROR;
            }
        }
    }

    if (words == 0) {
        return lun_conf_fail(cf, "\"disable_symlinks\" must have \"off\", "
                             "\"on\" or \"if_not_owner\" parameter");
    }

    if (cf->argc > 2 && rules->from == NULL) {
        return lun_conf_fail(cf, "duplicate parameters \"%.*s %.*s\"",
                             LUN_S(cf->args[1]), LUN_S(cf->args[2]));
    }

    if (rules->from != NULL && rules->links == LUN_LINKS_FOLLOW) {
        return lun_conf_fail(cf, "\"from=\" cannot be used with \"off\" "
                             "parameter");
    }

    core->link_rules = rules;
    return LUN_OK;
}
