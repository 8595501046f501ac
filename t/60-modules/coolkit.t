# override_method, $location, $remote_passwd; names that are somebody else's.

__DATA__


=== the method is what a text says
--- config
    location /t {
        override_method $arg_m;
        echo $request_method;
    }
    location /post {
        override_method POST $arg_m;
        echo $request_method;
    }
--- request eval
["GET /t?m=DELETE", "GET /t", "GET /t?m=nonsense", "GET /post?m=PUT",
"POST /post?m=PUT\n"]
--- response_body eval
["DELETE\n", "GET\n", "GET\n", "GET\n", "PUT\n"]



=== who asks for a header gets no more, whatever the method is now
--- config
    location /t {
        override_method $arg_m;
        echo $request_method;
    }
--- raw_request eval: "HEAD /t?m=GET HTTP/1.0\r\n\r\n"
--- raw_response_headers_like: 200 OK
--- response_body eval: ""



=== an inner block takes it back
--- config
    override_method $arg_m;
    location /t {
        override_method off;
        echo $request_method;
    }
--- request
GET /t?m=PUT
--- response_body
GET



=== a method that is none
--- config
    override_method NONE $arg_m;
--- must_die
--- error_log
invalid method "NONE"



=== the location, and the password
--- config
    location /t/ {
        echo "$location [$remote_user] [$remote_passwd]";
    }
    location ~ ^/re\d {
        echo "$location";
    }
--- request eval
["GET /t/x", "GET /re1"]
--- more_headers
Authorization: Basic bWU6YTpi
--- response_body eval
["/t/ [me] [a:b]\n", "^/re\\d\n"]



=== no password
--- config
    location /t {
        echo "[$remote_passwd]";
    }
--- request
GET /t
--- more_headers
Authorization: Basic !!
--- response_body
[]



=== drizzle is resty.mysql here
--- config
    location /t {
        drizzle_query "select 1";
    }
--- must_die
--- error_log
"drizzle_query" is not supported: scripts speak to MySQL by resty.mysql



=== postgres is pgmoon here
--- http_config
    upstream db {
        postgres_server 127.0.0.1 dbname=x;
    }
--- must_die
--- error_log
"postgres_server" is not supported: scripts speak to PostgreSQL by pgmoon
