=== what says how long an answer may be kept decides, if it is listed
--- config
    gzip on; gzip_types text/plain; gzip_min_length 0;
    default_type text/plain;
    location /private {
        gzip_proxied private no-store;
        add_header Cache-Control $arg_c;
        return 200 "text";
    }
    location /cache {
        gzip_proxied no-cache;
        add_header Cache-Control $arg_c;
        return 200 "text";
    }
--- more_headers
Via: 1.1 proxy
Accept-Encoding: gzip
--- request eval
["GET /private?c=private", "GET /private?c=no-store",
 "GET /private?c=no-cache", "GET /cache?c=no-cache",
 "GET /cache?c=a,NO-CACHE", "GET /cache?c=private"]
--- response_headers eval
["Content-Encoding: gzip", "Content-Encoding: gzip",
 "!Content-Encoding", "Content-Encoding: gzip",
 "Content-Encoding: gzip", "!Content-Encoding"]



=== what says nothing of that may be compressed
--- config
    gzip on; gzip_types text/plain; gzip_min_length 0;
    default_type text/plain;
    location /off { return 200 "text"; }
    location /any { gzip_proxied any; return 200 "text"; }
    location /cache { gzip_proxied no-cache; return 200 "text"; }
    location /auth { gzip_proxied auth; return 200 "text"; }
    location /expired { gzip_proxied expired; return 200 "text"; }
--- more_headers
Via: 1.1 proxy
Accept-Encoding: gzip
--- request eval
["GET /off", "GET /any", "GET /cache", "GET /auth", "GET /expired"]
--- response_headers eval
["!Content-Encoding", "Content-Encoding: gzip", "Content-Encoding: gzip",
 "Content-Encoding: gzip", "Content-Encoding: gzip"]



=== an answer to who has named himself, only where auth is listed
--- config
    gzip on; gzip_types text/plain; gzip_min_length 0;
    default_type text/plain;
    expires 1h;
    location /auth { gzip_proxied auth; return 200 "text"; }
    location /tag { gzip_proxied no_etag; return 200 "text"; }
--- more_headers
Via: 1.1 proxy
Accept-Encoding: gzip
Authorization: Basic eDp5
--- request eval
["GET /auth", "GET /tag"]
--- response_headers eval
["Content-Encoding: gzip", "!Content-Encoding"]



=== the date of Expires counts where expired is listed
--- config
    gzip on; gzip_types text/plain; gzip_min_length 0;
    default_type text/plain;
    location /past { gzip_proxied expired; expires -1; return 200 "text"; }
    location /later { gzip_proxied expired; expires 1h; return 200 "text"; }
    location /other { gzip_proxied no_etag; expires -1; return 200 "text"; }
--- more_headers
Via: 1.1 proxy
Accept-Encoding: gzip
--- request eval
["GET /past", "GET /later", "GET /other"]
--- response_headers eval
["Content-Encoding: gzip", "!Content-Encoding", "!Content-Encoding"]



=== no_etag and no_last_modified are for answers without
--- user_files
>>> f.txt
text of a file
--- config
    gzip on; gzip_types text/plain; gzip_min_length 0;
    location /tag/ { rewrite ^/tag(.*)$ $1 break; gzip_proxied no_etag; }
    location /none/ { rewrite ^/none(.*)$ $1 break; etag off;
                      gzip_proxied no_etag; }
    location /date { default_type text/plain; gzip_proxied no_last_modified;
                     add_header Last-Modified "Sun, 06 Nov 1994 08:49:37 GMT";
                     return 200 "text"; }
    location /dateless { default_type text/plain;
                         gzip_proxied no_last_modified; return 200 "text"; }
--- more_headers
Via: 1.1 proxy
Accept-Encoding: gzip
--- request eval
["GET /tag/f.txt", "GET /none/f.txt", "GET /date", "GET /dateless"]
--- response_headers eval
["!Content-Encoding", "Content-Encoding: gzip", "!Content-Encoding",
 "Content-Encoding: gzip"]
