/*
 * location_conf.c -- the location block.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/conf/http_conf.h"

#include "os/fold.h"
#include "os/path.h"


static const struct {
    lun_str    mark;
    lun_match  match;
    bool       caseless;
} marks[] = {
    { LUN_STR_INIT("="),  LUN_MATCH_EXACT,        false },
    { LUN_STR_INIT("^~"), LUN_MATCH_FINAL_PREFIX, false },
    { LUN_STR_INIT("~*"), LUN_MATCH_REGEX,        true },
    { LUN_STR_INIT("~"),  LUN_MATCH_REGEX,        false }
};


/*
 * The server around the present block, NULL in http.  A block's owner is a
 * lun_http_server in a server, a lun_location in all places below it.
 */
static lun_http_server *
server_of(const lun_conf *cf)
{
    const lun_block  *b;

    for (b = cf->block; b != NULL; b = b->parent) {
        if (b->where == LUN_SERVER) {
            return b->owner;
        }
    }

    return NULL;
}


/* "location = /x", or without the space. */
static lun_rc
read_match(lun_conf *cf, lun_location *loc)
{
    bool     apart = cf->argc == 3;
    size_t   i;
    lun_str  value = cf->args[1];

    for (i = 0; i < LUN_ARRAY_LEN(marks); i++) {

        if (apart ? !lun_str_eq(value, marks[i].mark)
                  : !lun_str_starts(value, marks[i].mark))
        {
            continue;
        }

        loc->match = marks[i].match;
        loc->caseless = marks[i].caseless;
        loc->name = cf->args[apart ? 2 : 1];

        if (!apart) {
            loc->name.data += marks[i].mark.len;
            loc->name.len -= marks[i].mark.len;
        }

        return LUN_OK;
    }

    if (apart) {
        return lun_conf_fail(cf, "invalid location modifier \"%.*s\"",
                             LUN_S(value));
    }

    loc->name = value;
    loc->match = lun_str_starts(value, LUN_STR("@"))   ? LUN_MATCH_NAMED
                 : lun_str_starts(value, LUN_STR("$")) ? LUN_MATCH_PREDICATE
                                                       : LUN_MATCH_PREFIX;
    return LUN_OK;
}


static lun_rc
check_place(lun_conf *cf, const lun_location *loc, const lun_location *outer)
{
    lun_str  a = loc->name, b = outer->name;

    if (outer->match == LUN_MATCH_EXACT) {
        return lun_conf_fail(cf, "location \"%.*s\" cannot be inside "
                             "the exact location \"%.*s\"", LUN_S(a),
                             LUN_S(b));
    }

    if (outer->match == LUN_MATCH_NAMED) {
        return lun_conf_fail(cf, "location \"%.*s\" cannot be inside "
                             "the named location \"%.*s\"", LUN_S(a),
                             LUN_S(b));
    }

    if (loc->match == LUN_MATCH_NAMED) {
        return lun_conf_fail(cf, "named location \"%.*s\" can be on "
                             "the server level only", LUN_S(a));
    }

    /* Neither a pattern nor a variable says how a path begins. */
    if (loc->match == LUN_MATCH_REGEX || loc->match == LUN_MATCH_PREDICATE
        || outer->match == LUN_MATCH_PREDICATE)
    {
        return LUN_OK;
    }

    if (lun_path_native == LUN_PATH_WINDOWS
        ? !lun_str_casestarts(lun_fold(cf->temp, a), lun_fold(cf->temp, b))
        : !lun_str_starts(a, b))
    {
        return lun_conf_fail(cf, "location \"%.*s\" is outside location "
                             "\"%.*s\"", LUN_S(a), LUN_S(b));
    }

    return LUN_OK;
}


/* Of two that have one name nginx takes the first, and so do we. */
static void
add_named(lun_conf *cf, lun_http_server *server, lun_location *loc)
{
    if (server->named == NULL) {
        server->named = lun_pool_new(cf->pool, lun_hash);
        lun_hash_init(server->named, cf->pool, 0, false);
    }

    (void) lun_hash_add(server->named, loc->name, loc);
}


/* Where files have any case, a regex sees any: its own letters', too. */
static unsigned
regex_flags(const lun_location *loc)
{
    if (lun_path_native != LUN_PATH_WINDOWS) {
        return loc->caseless ? LUN_REGEX_CASELESS : 0;
    }

    return lun_path_is_utf8(loc->name)
           ? LUN_REGEX_CASELESS | LUN_REGEX_UTF_PARTS : LUN_REGEX_CASELESS;
}


static lun_rc
compile(lun_conf *cf, lun_location *loc)
{
    loc->regex = lun_pattern_new(cf, loc->name, regex_flags(loc));

    return loc->regex != NULL ? LUN_OK : LUN_ERROR;
}


/*
 * The block is read last: what stands in it may ask what kind of location it is
 * in.
 */
lun_rc
lun_set_location(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_http_server *server = server_of(cf);
    lun_location  *loc, *outer = NULL;

    loc = lun_pool_new(cf->pool, lun_location);

    if (read_match(cf, loc) != LUN_OK) {
        return LUN_ERROR;
    }

    if (cf->block->where == LUN_LOCATION) {
        outer = cf->block->owner;

        if (check_place(cf, loc, outer) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (loc->match == LUN_MATCH_REGEX && compile(cf, loc) != LUN_OK) {
        return LUN_ERROR;
    }

    if (loc->match == LUN_MATCH_PREDICATE) {
        loc->predicate = lun_var_index(cf, lun_str_of(loc->name.data + 1,
                                                      loc->name.len - 1));

        if (loc->predicate == 0) {
            return LUN_ERROR;
        }
    }

    if (loc->match == LUN_MATCH_NAMED) {
        add_named(cf, server, loc);

    } else if (lun_location_add(cf, outer != NULL ? &outer->inner
                                                  : &server->locations, loc)
               != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (lun_conf_read_block(cf, LUN_LOCATION, loc, &loc->block) != LUN_OK) {
        return LUN_ERROR;
    }

    if (loc->inner != NULL) {
        lun_location_map_finish(cf, loc->inner);
    }

    return LUN_OK;
}
