# A form of the client's, part by part.

__DATA__


=== headers, bodies, ends
--- config
    location = /t {
        content_by_lua_block {
            local form = require("resty.upload"):new(5)
            form:set_timeout(5000)
            repeat
                local kind, res, err = form:read()
                ngx.say(kind, " ", type(res) == "table"
                        and table.concat(res, "|")
                        or res and res:gsub("\r\n", "~"), " ", err)
            until kind == "eof" or not kind
            ngx.say(form:read())
        }
    }
--- more_headers
Content-Type: multipart/form-data; boundary=--x1
--- request eval
"POST /t\nbefore\r\n----x1\r\nContent-Disposition: form-data; name=a\r\nodd\r\n\r\nsome\r\nvalue\r\n----x1\r\nX: y\r\n\r\n\r\n----x1--\r\nafter"
--- response_body
header Content-Disposition|form-data; name=a|Content-Disposition: form-data; name=a nil
header odd nil
body some~ nil
body value nil
body  nil
part_end nil nil
header X|y|X: y nil
body  nil
part_end nil nil
eof nil nil
eof



=== no form, no boundary
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("resty.upload"):new())
        }
    }
--- more_headers
Content-Type: multipart/form-data
--- request
POST /t
x
--- response_body
nilno boundary defined in Content-Type



=== a quoted boundary
--- config
    location = /t {
        content_by_lua_block {
            local form = require("resty.upload"):new()
            ngx.say((form:read()), " ", select(2, form:read()), " ",
                    (form:read()), " ", (form:read()))
        }
    }
--- more_headers
Content-Type: multipart/form-data; charset=x; boundary="a b;c"
--- request eval
"POST /t\n--a b;c\r\nA: b\r\n\r\nbody\r\n--a b;c--\r\n"
--- response_body
header body part_end eof



=== a line has an end, or the form has
--- config
    location = /t {
        content_by_lua_block {
            local form = require("resty.upload"):new(4096, 10)
            local kind, res, err = form:read()
            ngx.say(kind, " ", res, " ", err)
        }
    }
--- more_headers
Content-Type: multipart/form-data; boundary=x
--- request eval
"POST /t\n--x\r\nA: bcdefghijklmnop\r\n\r\nbody\r\n--x--\r\n"
--- response_body
nil nil line too long: A: bcdefghi...



=== a client that leaves, and one that says something else
--- config
    location = /t {
        content_by_lua_block {
            local form = require("resty.upload"):new()
            local kind, res, err
            repeat kind, res, err = form:read() until not kind or kind == "eof"
            ngx.say(kind, " ", res, " ", err)
        }
    }
--- more_headers
Content-Type: multipart/form-data; boundary=x
--- request eval
"POST /t\n--x\r\nA: b\r\n\r\nbody without an end"
--- response_body
nil nil closed



=== the body can be had afterwards, as it came
--- config
    location = /t {
        content_by_lua_block {
            local form = require("resty.upload"):new(4, 512, true)
            repeat local kind = form:read() until not kind or kind == "eof"
            local text = ngx.req.get_body_data()
            ngx.say(text == "pre--x\r\nA: b\r\n\r\nsome -x body\r\n--x--"
                    or ("%q"):format(text or "nil"))
        }
    }
--- more_headers
Content-Type: multipart/form-data; boundary=x
--- request eval
"POST /t\npre--x\r\nA: b\r\n\r\nsome -x body\r\n--x--"
--- response_body
true
