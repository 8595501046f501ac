# A page for people. What it does in a browser is t/90-packages/status_page.
__DATA__


=== one page, which may ask nobody else, and nothing that is not its own may run in it
--- config
    location = /status { status_page; }
    location = /t {
        content_by_lua_block {
            local sha256 = require "resty.sha256"
            local res = ngx.location.capture("/status")
            local policy = res.header["Content-Security-Policy"]
            for _, name in ipairs { "style", "script" } do
                local text = res.body:match("<" .. name .. ">(.-)</" .. name .. ">")
                local digest = sha256:new()
                digest:update(text)
                local word = name .. "-src 'sha256-" .. ngx.encode_base64(digest:final()) .. "'"
                ngx.say(name, " ", policy:find(word, 1, true) ~= nil)
            end
            ngx.say(policy:match "^default%-src 'none'; connect%-src 'self'; ")
            ngx.say(policy:find "unsafe" or "nothing unsafe")
            ngx.say(res.header["Content-Type"], " ", res.header["X-Content-Type-Options"])
            ngx.say(res.body:find "https?://[^w]" or "no other address")
            ngx.say(res.body:find " style=" or res.body:find " on%l+=\"" or "nothing inline")
            ngx.say(#res.body == tonumber(res.header["Content-Length"] or #res.body), " ",
                    res.body:match "</html>%s*$" ~= nil)
        }
    }
--- response_body
style true
script true
default-src 'none'; connect-src 'self'; 
nothing unsafe
text/html; charset=utf-8 nosniff
no other address
nothing inline
true true



=== the tree that it reads
--- config
    location = /status { status_page; }
--- request
GET /status?data
--- response_headers
Content-Type: application/json
Cache-Control: no-cache
--- response_body_like: ^\{\s+"status": \{.*"workers": \{.*\}\s*$



=== only asked
--- config
    location = /status { status_page; }
--- request eval
["POST /status", "POST /status?data"]
--- error_code eval
[405, 405]
