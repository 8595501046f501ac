# Certificates in the system's store. What is found there, and signs, is tested
# where there is a stand-in for it: t/unit/tls_store.c.

__DATA__


=== only Windows has one
--- skip_windows: it has
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate store:LocalMachine/MY?subject=www.test;
    }
--- config
--- must_die
--- error_log
cannot load certificate "store:LocalMachine/MY?subject=www.test": only Windows has stores of certificates: name a file here in



=== for a server of it, too
--- skip_windows: it has
--- config
    location /t {
        proxy_pass https://127.0.0.1:1;
        proxy_ssl_certificate "store:CurrentUser/MY?thumbprint=00112233445566778899aabbccddeeff00112233";
    }
--- must_die
--- error_log
only Windows has stores of certificates



=== and for sockets
--- skip_windows: it has
--- http_config
    lua_ssl_certificate store:LocalMachine/MY?subject=www.test;
--- config
    location /t { content_by_lua_block { ngx.say(1) } }
--- must_die
--- error_log
only Windows has stores of certificates



=== one that is not there
--- skip_linux: it has no store
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate store:LocalMachine/MY?subject=www.test;
    }
--- config
--- must_die
--- error_log
cannot load certificate "store:LocalMachine/MY?subject=www.test": the store has none with that subject



=== a name that says too little
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate store:LocalMachine/MY;
    }
--- config
--- must_die
--- error_log
"store:LocalMachine/MY?subject=NAME" or "...?thumbprint=HEX" is expected
