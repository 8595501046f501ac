# Values that are wrong, and lists that may be said in parts.

__DATA__


=== a rate that is no size
--- config
    location = /t { limit_rate fast; }
--- must_die
--- error_log
"limit_rate" directive invalid value in



=== one of an upstream's
--- config
    location = /t { proxy_limit_rate fast; }
--- must_die
--- error_log
"proxy_limit_rate" directive invalid value in



=== a list of types may be said in parts, each once
--- config
    location = /t {
        sub_filter a b;
        sub_filter_types text/css;
        sub_filter_types text/plain text/css;
        default_type text/plain;
        return 200 a;
    }
--- response_body: b
--- error_log
duplicate MIME type "text/css" in



=== and so may a set of words
--- config
    location = /t {
        dav_methods PUT;
        dav_methods DELETE PUT;
        root html;
    }
--- request
DELETE /t
--- error_code: 404
--- error_log
duplicate value "PUT" in



=== a time for a header, and what is none
--- config
    location = /t { expires soon; }
--- must_die
--- error_log
"expires" directive invalid value in



=== nor is that
--- config
    location = /t { expires @25h; }
--- must_die
--- error_log
"expires" directive daily time value must be less than 24 hours in



=== a port has digits, a host something else
--- config
    listen 1x;
--- must_die
--- error_log
host not found in "1x" of the "listen" directive in



=== a root that would be asked for itself
--- config
    location /t { root $document_root/sub; }
--- must_die
--- error_log
the $document_root variable cannot be used in the "root" directive in



=== a level is said once
--- config
    error_log logs/error.log warn info;
--- must_die
--- error_log
duplicate log level "info" in



=== two caches have two folders
--- http_config
    proxy_cache_path cache keys_zone=a:1m;
    fastcgi_cache_path cache/ keys_zone=b:1m;
--- must_die
--- error_log eval
qr/the same path name ".*cache" used in .*nginx\.conf:25 and in .*nginx\.conf:26/



=== a resolver without a name
--- config
    resolver "";
--- must_die
--- error_log
no host in resolver "" in
