# What nginx has a use for and we have none is read, and changes nothing.

__DATA__


=== what tunes tables and memory
--- http_config
    connection_pool_size 256;
    request_pool_size 4k;
    types_hash_max_size 2048;
    types_hash_bucket_size 64;
    server_names_hash_max_size 512;
    server_names_hash_bucket_size 64;
    variables_hash_max_size 1024;
    variables_hash_bucket_size 64;
    map_hash_max_size 2048;
    map_hash_bucket_size 64;
    http2_pool_size 4k;
    http2_streams_index_size 32;
--- config
    connection_pool_size 512;
    location = /t {
        subrequest_output_buffer_size 4k;
        types_hash_max_size 1024;
        types_hash_bucket_size 64;
        referer_hash_max_size 2048;
        referer_hash_bucket_size 64;
        gzip_window 32k; gzip_hash 128k; gzip_no_buffer on;
        postpone_gzipping 0;
        return 200 here;
    }
--- response_body: here



=== what tunes files and sockets
--- config
    location = /t {
        client_body_buffers 4 8k;
        send_lowat 1k;
        aio off;
        aio_write off;
        msie_padding off;
        msie_refresh off;
        keepalive_min_timeout 1s;
        open_file_cache_events off;
        open_log_file_cache off;
        return 200 here;
    }
--- response_body: here



=== in the main block and that of events
--- main_config
    timer_resolution 100ms;
    lock_file logs/nginx.lock;
    pcre_jit on;
    debug_points stop;
--- config
    location = /t { return 200 here; }
--- response_body: here



=== in stream
--- stream_config
    variables_hash_max_size 1024;
    variables_hash_bucket_size 64;
    server_names_hash_max_size 512;
    server_names_hash_bucket_size 64;
--- stream_server_config
    return here;
--- stream_response: here



=== it has as many arguments as it has there
--- config
    location = /t { send_lowat; }
--- must_die
--- error_log
invalid number of arguments in "send_lowat" directive



=== and no more
--- config
    location = /t { keepalive_min_timeout 1s 2s; }
--- must_die
--- error_log
invalid number of arguments in "keepalive_min_timeout" directive



=== or stands where it does not belong
--- config
    location = /t { connection_pool_size 256; }
--- must_die
--- error_log
"connection_pool_size" directive is not allowed here



=== what it says is looked at all the same
--- config
    location = /t { types_hash_max_size many; }
--- must_die
--- error_log
"types_hash_max_size" directive invalid number in



=== and is said once
--- config
    send_lowat 0;
    send_lowat 0;
--- must_die
--- error_log
"send_lowat" directive is duplicate in



=== a flag is a flag
--- config
    open_file_cache_events perhaps;
--- must_die
--- error_log
invalid value "perhaps" in "open_file_cache_events" directive, it must be "on" or "off"



=== what the system has no call for is told, in the world's words
--- config
    send_lowat 1k;
    location = /t { aio threads=default; return 200 here; }
--- response_body: here
--- error_log
"send_lowat" is not supported, ignored in
"aio" directive has no effect: files are read by the loop itself in
