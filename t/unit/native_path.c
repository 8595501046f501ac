/*
 * native_path.c -- paths as Windows takes them without another look: text,
 * and so the same on any system.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/native_path.c"

#include "tap.h"


static size_t
wide_len(const uint16_t *text)
{
    size_t  n = 0;

    while (text[n] != 0) {
        n++;
    }

    return n;
}


static uint16_t *
wide_room(size_t n)
{
    uint16_t  *room = malloc(n * sizeof(uint16_t));    /* exact, for ASan */

    return room != NULL ? room : (abort(), room);
}


static void
is_wide(const uint16_t *got, size_t n, const uint16_t *want, const char *name)
{
    is_mem(got, n * sizeof(uint16_t), want, wide_len(want) * sizeof(uint16_t),
           "%s", name);
}


/* --- whole paths --- */

static const struct {
    const char      *path;
    const uint16_t  *wide;         /* "": it has no such form */
} paths[] = {
    { "C:/a/b", u"\\\\?\\C:\\a\\b" },
    { "C:\\a\\b", u"\\\\?\\C:\\a\\b" },
    { "z:\\a/b", u"\\\\?\\z:\\a\\b" },
    { "c:/a//b/", u"\\\\?\\c:\\a\\b\\" },
    { "c:/a\\/\\b\\\\", u"\\\\?\\c:\\a\\b\\" },
    { "C:/", u"\\\\?\\C:\\" },
    { "C://", u"\\\\?\\C:\\" },
    { "C:/a/./b", u"\\\\?\\C:\\a\\b" },
    { "C:/./a", u"\\\\?\\C:\\a" },
    { "C:/a/.", u"\\\\?\\C:\\a" },
    { "C:/a/../b", u"\\\\?\\C:\\b" },
    { "C:/a/b/c/../../d", u"\\\\?\\C:\\a\\d" },
    { "C:/../../b", u"\\\\?\\C:\\b" },
    { "C:/a/..", u"\\\\?\\C:\\" },
    { "C:/a/../", u"\\\\?\\C:\\" },
    { "C:/a/b/..", u"\\\\?\\C:\\a" },
    { "C:/a./b", u"\\\\?\\C:\\a\\b" },
    { "C:/a../b", u"\\\\?\\C:\\a..\\b" },
    { "C:/a /b", u"\\\\?\\C:\\a \\b" },
    { "C:/a/.../b", u"\\\\?\\C:\\a\\...\\b" },
    { "C:/a/b.", u"\\\\?\\C:\\a\\b" },
    { "C:/a/b. . ", u"\\\\?\\C:\\a\\b" },
    { "C:/a/b..", u"\\\\?\\C:\\a\\b" },
    { "C:/a/...", u"\\\\?\\C:\\a\\" },
    { "C:/a../.", u"\\\\?\\C:\\a" },
    { "C:/a../b/..", u"\\\\?\\C:\\a" },
    { "C:/. .", u"\\\\?\\C:\\" },
    { "C:/a../ ", u"\\\\?\\C:\\a..\\" },
    { "C:/a/b../", u"\\\\?\\C:\\a\\b..\\" },
    { "C:/.git/a.b", u"\\\\?\\C:\\.git\\a.b" },
    { "C:/\xc3\xa9/\xf0\x9f\x8c\x99", u"\\\\?\\C:\\\u00e9\\\xd83c\xdf19" },
    { "//srv/share", u"\\\\?\\UNC\\srv\\share\\" },
    { "//srv/share/", u"\\\\?\\UNC\\srv\\share\\" },
    { "//srv/share/x", u"\\\\?\\UNC\\srv\\share\\x" },
    { "\\\\srv\\share\\x\\", u"\\\\?\\UNC\\srv\\share\\x\\" },
    { "\\\\srv\\share\\..\\x", u"\\\\?\\UNC\\srv\\share\\x" },
    { "//srv//share///x", u"\\\\?\\UNC\\srv\\share\\x" },
    { "\\\\?\\C:\\x", u"" },
    { "//?/C:/x", u"" },
    { "\\\\.\\pipe\\x", u"" },
    { "///x", u"" },
    { "//srv", u"" },
    { "//srv/", u"" },
    { "a/b", u"" },
    { "/a/b", u"" },
    { "C:a", u"" },
    { "C:", u"" },
    { "1:/a", u"" },
    { "//", u"" },
    { "", u"" }
};


/* Into new memory; its length, 0: there is no such form. */
static size_t
verbatim(const char *path, uint16_t **out, size_t *root)
{
    size_t      n, len = strlen(path);
    uint16_t   *wide = wide_room(len + 1);
    ptrdiff_t   units = lun_utf16_from(wide, lun_str_of(path, len));

    *out = wide_room(LUN_NATIVE_PATH_ROOM((size_t) units));
    n = lun_native_path_verbatim(*out, root, wide, (size_t) units);
    free(wide);

    return n;
}


static void
absolute_paths_are_taken_whole(void)
{
    size_t     i, n, root;
    uint16_t  *out;

    for (i = 0; i < LUN_ARRAY_LEN(paths); i++) {
        n = verbatim(paths[i].path, &out, &root);
        is_wide(out, n, paths[i].wide, paths[i].path);
        free(out);
    }
}


/* --- what is behind a folder --- */

/* As lun_native_path_init() makes it, but for questions to a system. */
static lun_native_path
folder(const char *text)
{
    char             full[256];
    uint16_t        *out;
    lun_native_path  f = { .text = lun_str_z(text) };

    snprintf(full, sizeof(full), "%s/", text);
    f.len = verbatim(full, &out, &f.root);

    while (f.len > f.root && out[f.len - 1] == '\\') {
        f.len--;
    }

    f.wide = out;
    return f;
}


static void
end_folder(lun_native_path *f)
{
    free((void *) (uintptr_t) f->wide);
    f->wide = NULL;
}


static const struct {
    const char      *folder;
    const char      *path;
    const uint16_t  *wide;
} joints[] = {
    { "C:/site", "C:/site/a.html", u"\\\\?\\C:\\site\\a.html" },
    { "C:/site", "C:/site", u"\\\\?\\C:\\site" },
    { "C:/site", "C:/site/", u"\\\\?\\C:\\site\\" },
    { "C:/site", "C:/site//a///b/", u"\\\\?\\C:\\site\\a\\b\\" },
    { "C:/site/", "C:/site/a\\b", u"\\\\?\\C:\\site\\a\\b" },
    { "C:/site/", "C:/site/", u"\\\\?\\C:\\site" },
    { "C:\\site\\html", "C:\\site\\html/a", u"\\\\?\\C:\\site\\html\\a" },
    { "C:/site/../x", "C:/site/../x/a", u"\\\\?\\C:\\x\\a" },
    { "C:/site", "C:/site/../x/./a", u"\\\\?\\C:\\x\\a" },
    { "C:/site", "C:/site/../../../x", u"\\\\?\\C:\\x" },
    { "C:/site", "C:/site/..", u"\\\\?\\C:\\" },
    { "C:/site.", "C:/site./a", u"\\\\?\\C:\\site\\a" },
    { "C:/site", "C:/site/a./b. .", u"\\\\?\\C:\\site\\a\\b" },
    { "C:", "C:/a", u"\\\\?\\C:\\a" },
    { "C:", "C:", u"\\\\?\\C:\\" },
    { "C:/", "C:/", u"\\\\?\\C:\\" },
    { "C:/\xc3\xa9", "C:/\xc3\xa9/\xe4\xb8\xad", u"\\\\?\\C:\\\u00e9\\\u4e2d" },
    { "//s/h", "//s/h/a", u"\\\\?\\UNC\\s\\h\\a" },
    { "//s/h/x", "//s/h/x/../../../a", u"\\\\?\\UNC\\s\\h\\a" },
};


static void
a_path_is_put_behind_its_folder(void)
{
    size_t            i;
    lun_str           path;
    uint16_t         *out;
    ptrdiff_t         n;
    lun_native_path   f;

    for (i = 0; i < LUN_ARRAY_LEN(joints); i++) {
        f = folder(joints[i].folder);
        path = lun_str_z(joints[i].path);
        ok(lun_native_path_leads(&f, path), "\"%s\" leads \"%s\"",
           joints[i].folder, joints[i].path);

        out = wide_room(f.len + LUN_NATIVE_PATH_ROOM(path.len - f.text.len));
        path.data = tap_edge(path.data, path.len);
        n = lun_native_path_join(out, &f, path);
        is_wide(out, n > 0 ? (size_t) n : 0, joints[i].wide, joints[i].path);
        free(out);
        end_folder(&f);
    }
}


/* Wherever it is cut, the folder first and the rest later make the whole. */
static void
cuts_make_no_difference(const char *whole)
{
    char              text[64];
    size_t            i, n, root;
    lun_str           path = lun_str_z(whole);
    uint16_t         *want, *out;
    ptrdiff_t         m;
    lun_native_path   f;

    n = verbatim(whole, &want, &root);

    for (i = 3; i < path.len; i++) {
        if (!is_slash((uint8_t) whole[i])) {
            continue;
        }

        memcpy(text, whole, i);
        text[i] = '\0';
        f = folder(text);

        if (f.len == 0) {
            end_folder(&f);
            continue;              /* "//s" */
        }

        out = wide_room(f.len + LUN_NATIVE_PATH_ROOM(path.len - i));
        m = lun_native_path_join(out, &f, path);
        is_mem(out, (size_t) m * 2, want, n * 2, "%s, cut at %zu", whole, i);
        free(out);
        end_folder(&f);
    }

    free(want);
}


static void
what_a_folder_does_not_lead(void)
{
    lun_native_path  f = folder("C:/site"), none = { .text = f.text },
                     top = { .text = LUN_STR_INIT(""), .wide = f.wide };

    ok(!lun_native_path_leads(NULL, LUN_STR("C:/site/a")), "no folder");
    ok(!lun_native_path_leads(&none, LUN_STR("C:/site/a")), "not native");
    ok(!lun_native_path_leads(&f, LUN_STR("C:/site2/a")), "a longer name");
    ok(!lun_native_path_leads(&f, LUN_STR("C:/sit")), "a shorter one");
    ok(!lun_native_path_leads(&f, LUN_STR("c:/site/a")), "another spelling");
    ok(!lun_native_path_leads(&f, LUN_STR("")), "nothing");

    /* root /; */
    ok(lun_native_path_leads(&top, LUN_STR("/a")), "the top leads all");
    ok(!lun_native_path_leads(&top, LUN_STR("a")), "but what is relative");
    end_folder(&f);
}


static void
what_is_no_utf8(void)
{
    uint16_t         room[64];
    lun_native_path  f = folder("C:/site");

    is_int(lun_native_path_join(room, &f, LUN_STR("C:/site/\xc3")), -1,
           "a name that is no UTF-8");
    end_folder(&f);
}


int
main(void)
{
    absolute_paths_are_taken_whole();
    a_path_is_put_behind_its_folder();
    cuts_make_no_difference("C:/a/b/../c//d./e/./f/../../../../g. .");
    cuts_make_no_difference("C:/a../b../c/..");
    cuts_make_no_difference("C:\\a\\..\\..\\b/");
    cuts_make_no_difference("//s/h/a/../../b/c/");
    what_a_folder_does_not_lead();
    what_is_no_utf8();

    return done_testing();
}
