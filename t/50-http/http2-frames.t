# What hostile clients send, frame by frame.

__DATA__


=== the preface is answered with settings and a window
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
--- shutdown
--- response_body
SETTINGS 0
SETTINGS 0 ack
WINDOW_UPDATE 0
--- no_error_log
[error]


=== something else instead of settings
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x08\6\0\0\0\0\0\0\0\0\0\0\0\0\0"
--- response_body_like: GOAWAY 0 last 0 PROTOCOL_ERROR


=== half of a preface is no request
--- http2_frames
--- config
    client_header_timeout 100ms;
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\n"
--- ignore_response
--- error_log
client timed out


=== a request that is reset at once
--- http2_frames
--- config
    location = /t { content_by_lua_block { ngx.sleep(0.1) ngx.say("no") } }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
. "\0\0\4\3\0\0\0\0\1\0\0\0\x08"
--- shutdown
--- response_body_unlike: HEADERS
--- error_log
client canceled stream 1


=== a request, by hand
--- http2_frames
--- config
    location = /t { return 200 "hello"; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
--- shutdown
--- response_body
SETTINGS 0
SETTINGS 0 ack
WINDOW_UPDATE 0
HEADERS 1
DATA 1 5 end


=== no pseudo-headers at all
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\3\1\5\0\0\0\1\x41\1a"
--- shutdown
--- response_body_like: HEADERS 1\nDATA 1 \d+ end
--- error_log
client sent no :method header


=== a header name in upper case
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0e\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a\0\1A\1b"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client sent invalid header name: "A"
--- access_log
" 400 


=== a line break in a value
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0f\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a\0\1a\2\r\n"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client sent header "a" with invalid value


=== a pseudo-header behind a header
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0e\1\5\0\0\0\1\x82\x86\x41\1a\0\1a\1b\4\2/t"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client sent a pseudo-header after a header: ":path"


=== header compression gone wrong
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\1\1\5\0\0\0\1\xff"
--- response_body_like: GOAWAY 0 last \d COMPRESSION_ERROR


=== an even stream number
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\2\x82\x86\4\2/t\x41\1a"
--- response_body_like: GOAWAY 0 last 0 PROTOCOL_ERROR


=== a frame that is too large
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\1\0\0\0\0\0\0\0\1" . ("x" x 1000)
--- response_body_like: GOAWAY 0 last 0 FRAME_SIZE_ERROR


=== CONTINUATION without end
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\2\1\0\0\0\0\1\x82\x86" . ("\0\0\1\x09\0\0\0\0\1\x86" x 20)
--- response_body_like: GOAWAY 0 last \d (ENHANCE_YOUR_CALM|INTERNAL_ERROR)


=== PING without end
--- http2_frames
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. ("\0\0\x08\6\0\0\0\0\0abcdefgh" x 600000)
--- ignore_response
--- error_log
http2 flood detected


=== streams that are opened and reset without end
--- http2_frames
--- config
    location = /t { return 200; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0" . join("", map {
    "\0\0\x09\1\5\0" . pack("CCC", 0, $_ / 128, ($_ * 2 + 1) % 256)
    . "\x82\x86\4\2/t\x41\1a\0\0\4\3\0\0" . pack("CCC", 0, $_ / 128,
    ($_ * 2 + 1) % 256) . "\0\0\0\x08" } 0 .. 5000)
--- response_body_like: GOAWAY 0 last \d+
--- no_error_log
[error]


=== a body longer than it was said to be
--- http2_frames
--- config
    location = /t { content_by_lua_block { ngx.req.read_body() } }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0d\1\4\0\0\0\1\x83\x86\4\2/t\x41\1a\x0f\x0d\0012"
. "\0\0\3\0\1\0\0\0\1abc"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client intended to send body data larger than declared


=== a body shorter than it was said to be
--- http2_frames
--- config
    location = /t { content_by_lua_block { ngx.req.read_body() } }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x0d\1\4\0\0\0\1\x83\x86\4\2/t\x41\1a\x0f\x0d\0019"
. "\0\0\3\0\1\0\0\0\1abc"
--- shutdown
--- response_body_like: HEADERS 1
--- error_log
client prematurely closed stream: only 3 out of 9 bytes of request body received
