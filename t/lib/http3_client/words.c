/*
 * words.c -- the command line.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "os/file.h"
#include "t/lib/http3_client/client.h"


options  opt = { .repeat = 1, .alpn = "h3", .max_time = 10 };


static void
add_url(const char *url)
{
    unsigned     i;
    lun_str      host, path;
    const char  *slash;

    if (strncmp(url, "https://", 8) == 0) {
        url += 8;
    }

    slash = strchr(url, '/');
    host = slash != NULL ? lun_str_of(url, (size_t) (slash - url))
                         : lun_str_z(url);
    path = slash != NULL ? lun_str_z(slash) : LUN_STR("/");

    if (opt.host.len == 0) {
        opt.host = host;

        if (lun_addr_parse(host, &opt.peer) != LUN_OK) {
            quit(3, "not an address");
        }
    }

    for (i = 0; i < opt.repeat && exchange_count < EXCHANGES; i++) {
        exchanges[exchange_count++] = (exchange) { .id = -1, .path = path };
    }
}


static void
read_data(const char *file)
{
    if (*file != '@' || lun_file_slurp(file + 1, &opt.body, &opt.body_len)
                        != 0)
    {
        quit(26, "no such body");
    }
}


static bool
read_flag(const char *word)
{
    size_t  i;

    const struct {
        const char  *word;
        bool        *flag;         /* NULL: curl's, and no matter */
    } flags[] = {
        { "-q", NULL }, { "-i", NULL }, { "-sS", NULL },
        { "--path-as-is", NULL }, { "--globoff", NULL },
        { "--insecure", NULL },
        { "--parallel", &opt.parallel },
        { "--show-trailers", &opt.show_trailers },
        { "--show-end", &opt.show_end },
        { "--no-body", &opt.no_body },
        { "--slow", &opt.slow },
        { "--rebind", &opt.rebind },
        { "--cancel", &opt.cancel },
        { "--hold", &opt.hold },
        { "--early", &opt.early },
    };

    for (i = 0; i < LUN_ARRAY_LEN(flags); i++) {
        if (strcmp(word, flags[i].word) == 0) {
            if (flags[i].flag != NULL) {
                *flags[i].flag = true;
            }

            return true;
        }
    }

    if (strcmp(word, "-I") == 0) {
        opt.method = "HEAD";
        return true;
    }

    return false;
}


static bool
read_pair(const char *word, const char *value)
{
    if (strcmp(word, "-X") == 0) {
        opt.method = value;

    } else if (strcmp(word, "-H") == 0 && opt.header_count < MOST) {
        opt.headers[opt.header_count++] = lun_str_z(value);

    } else if (strcmp(word, "--data-binary") == 0) {
        read_data(value);

    } else if (strcmp(word, "--trailer") == 0) {
        opt.trailer = lun_str_z(value);

    } else if (strcmp(word, "--repeat") == 0) {
        opt.repeat = (unsigned) atoi(value);

    } else if (strcmp(word, "--pause") == 0) {
        opt.pause = (unsigned) atoi(value);

    } else if (strcmp(word, "--websocket") == 0) {
        opt.websocket = value;

    } else if (strcmp(word, "--connect") == 0) {
        opt.connect = value;

    } else if (strcmp(word, "--alpn") == 0) {
        opt.alpn = value;

    } else if (strcmp(word, "--sni") == 0) {
        opt.sni = value;

    } else if (strcmp(word, "--cert") == 0) {
        opt.cert = value;

    } else if (strcmp(word, "--key") == 0) {
        opt.key = value;

    } else if (strcmp(word, "--max-time") == 0) {
        opt.max_time = atof(value);

    } else {
        return false;
    }

    return true;
}


void
read_words(int argc, char **argv)
{
    int  i;

    for (i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || read_flag(argv[i])) {
            continue;
        }

        if (i + 1 == argc || !read_pair(argv[i], argv[i + 1])) {
            quit(2, argv[i]);
        }

        i++;
    }

    for (i = 1; i < argc; i++) {
        if (strncmp(argv[i], "https://", 8) == 0) {
            add_url(argv[i]);
        }
    }

    if (exchange_count == 0) {
        quit(2, "no URL");
    }
}
