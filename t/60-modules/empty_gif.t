__DATA__


=== a picture of one pixel
--- config
    location = /t { empty_gif; }
--- response_headers
Content-Type: image/gif
Content-Length: 43
Last-Modified: Mon, 28 Sep 1970 06:00:00 GMT
--- response_body eval
"GIF89a\1\0\1\0\x80\1\0\0\0\0\xff\xff\xff!\xf9\4\1\0\0\1\0,\0\0\0\0\1\0\1\0\0\2\2L\1\0;"



=== for GET and HEAD
--- config
    location = /t { empty_gif; }
--- request eval
["HEAD /t", "POST /t"]
--- error_code eval
[200, 405]
