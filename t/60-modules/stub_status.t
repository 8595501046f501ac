__DATA__


=== connections and requests
--- config
    location /t { stub_status; }
--- response_headers
Content-Type: text/plain
--- response_body_like: ^Active connections: [1-9]\d* \nserver accepts handled requests\n [1-9]\d* [1-9]\d* [1-9]\d* \nReading: 0 Writing: 1 Waiting: \d+ \n$



=== the same as variables
--- config
    location /u { return 200 "$connections_reading $connections_writing $connections_waiting"; }
--- request
GET /u
--- response_body_like: ^0 1 \d+$



=== only to be read
--- config
    location /t { stub_status; }
--- request
POST /t
--- error_code: 405
