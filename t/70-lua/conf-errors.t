# What Lua's directives may not say.

__DATA__


=== a dictionary has a size that is one
--- http_config
    lua_shared_dict dogs x;
--- config
--- must_die
--- error_log
invalid lua shared dict size "x"



=== of at least 8k
--- http_config
    lua_shared_dict dogs 8191;
--- config
--- must_die
--- error_log
invalid lua shared dict size "8191"



=== a name
--- http_config
    lua_shared_dict '' 1m;
--- config
--- must_die
--- error_log
invalid lua shared dict name ""



=== and is declared once
--- http_config
    lua_shared_dict dogs 1m; lua_shared_dict dogs 1m;
--- config
--- must_die
--- error_log
lua_shared_dict "dogs" is already defined as "dogs"



=== a captured log has a size that is one
--- http_config
    lua_capture_error_log x;
--- config
--- must_die
--- error_log
invalid capture error log size "x"



=== a file of a handshake's code has no variables in its name
--- config
    ssl_certificate_by_lua_file $uri.lua;
--- must_die
--- error_log
variables in "ssl_certificate_by_lua_file" are not supported



=== code that does not compile, before there are requests
--- http_config
    init_by_lua_block { x = }
--- config
--- must_die
--- error_log
init_by_lua error: 



=== code that fails, before there are requests
--- http_config
    init_by_lua_block { error('oops') }
--- config
--- must_die
--- error_log
oops



=== a variable to set has a name
--- config
    location /t { set_by_lua_block x { return 1 } }
--- must_die
--- error_log
invalid variable name "x"



=== that may be set
--- config
    location /t { set_by_lua_block $uri { return 1 } }
--- must_die
--- error_log
the duplicate "uri" variable



=== a certificate of ours has a key
--- config
    lua_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt;
--- must_die
--- error_log
no "lua_ssl_certificate_key" is defined for certificate "



=== that fits
--- config
    lua_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt; lua_ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- must_die
--- error_log
key values mismatch



=== and as many keys as certificates
--- config
    lua_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt; lua_ssl_certificate_key $TEST_NGINX_CERT_DIR/client.key; lua_ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
--- must_die
--- error_log
no "lua_ssl_certificate_key" is defined for certificate "



=== who vouches is in a file
--- config
    lua_ssl_trusted_certificate none.crt;
--- must_die
--- error_log
none.crt



=== as is what was revoked
--- config
    lua_ssl_crl none.crl;
--- must_die
--- error_log
none.crl



=== ciphers are known
--- config
    lua_ssl_ciphers NONE-AT-ALL;
--- must_die
--- error_log
NONE-AT-ALL



=== commands are known
--- config
    lua_ssl_conf_command Nonsense x;
--- must_die
--- error_log
SSL_CONF_cmd("Nonsense", "x") failed



=== and have values that are
--- config
    lua_ssl_conf_command Groups nonsense;
--- must_die
--- error_log
SSL_CONF_cmd("Groups", "nonsense") failed



=== a timeout is a time
--- config
    lua_socket_connect_timeout x;
--- must_die
--- error_log
"lua_socket_connect_timeout" directive invalid value



=== a buffer has a size
--- config
    lua_socket_buffer_size x;
--- must_die
--- error_log
"lua_socket_buffer_size" directive invalid value



=== pools have a size
--- config
    lua_socket_pool_size x;
--- must_die
--- error_log
invalid



=== timers are a number
--- http_config
    lua_max_pending_timers x;
--- config
--- must_die
--- error_log
invalid number



=== a cache of code is on, off or watch
--- config
    lua_code_cache x;
--- must_die
--- error_log
lua_code_cache
