__DATA__


=== variables are set in the order of the text
--- stream_server_config
    set $a "one $protocol";
    set $b "$a two";
    set $a three;
    return "$a $b";
--- stream_response: three one TCP two



=== what no set of the server says is empty
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; set $x y; return ""; }
--- stream_server_config
    return "<$x>";
--- stream_response: <>



=== what others define may not be set
--- stream_server_config
    set $remote_addr x;
    return "";
--- must_die
--- error_log
the duplicate "remote_addr" variable



=== a name begins with a dollar
--- stream_server_config
    set a b;
    return "";
--- must_die
--- error_log
invalid variable name "a"
