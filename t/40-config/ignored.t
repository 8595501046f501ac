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
        directio 4m;
        directio_alignment 512;
        aio off;
        aio_write off;
        read_ahead 0;
        msie_padding off;
        msie_refresh off;
        keepalive_min_timeout 1s;
        open_file_cache max=1000 inactive=20s;
        open_file_cache_valid 30s;
        open_file_cache_min_uses 2;
        open_file_cache_errors on;
        open_log_file_cache off;
        return 200 here;
    }
    location = /off { open_file_cache off; }
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
