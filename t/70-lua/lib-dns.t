# The resolver that is embedded, against answers good and bad.

__DATA__


=== an address and an alias
--- config
    location = /t {
        content_by_lua_block {
            local resolver = require "resty.dns.resolver"
            local r = resolver:new { retrans = 1, timeout = 5000,
                nameservers = { { "127.0.0.1", $TEST_NGINX_RAND_PORT_1 } } }
            local answers, err = r:query("a.test", { qtype = r.TYPE_A })
            ngx.say(err or #answers)
            for _, a in ipairs(answers or {}) do
                ngx.say(a.name, " ", a.type, " ", a.address, " ", a.ttl)
            end
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
sub {
    my $id = substr($_[0], 0, 2);
    return $id . "\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"
        . "\x01a\x04test\x00\x00\x01\x00\x01"
        . "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x7f\x00\x00\x05";
}
--- response_body
1
a.test 1 127.0.0.5 60



=== a name that does not exist
--- config
    location = /t {
        content_by_lua_block {
            local r = require("resty.dns.resolver"):new {
                retrans = 1, timeout = 5000,
                nameservers = { { "127.0.0.1", $TEST_NGINX_RAND_PORT_1 } } }
            local answers, err = r:query("a.test")
            ngx.say(err or answers.errcode, " ", answers and answers.errstr)
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
sub {
    my $id = substr($_[0], 0, 2);
    return $id . "\x81\x83\x00\x01\x00\x00\x00\x00\x00\x00"
        . "\x01a\x04test\x00\x00\x01\x00\x01";
}
--- response_body
3 name error



=== an answer that ends too early is an error, not a crash
--- config
    location = /t {
        content_by_lua_block {
            local r = require("resty.dns.resolver"):new {
                retrans = 1, timeout = 5000,
                nameservers = { { "127.0.0.1", $TEST_NGINX_RAND_PORT_1 } } }
            local answers, err = r:query("a.test")
            ngx.say(answers, " ", err ~= nil)
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
sub {
    my $id = substr($_[0], 0, 2);
    return $id . "\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"
        . "\x01a\x04test\x00\x00\x01\x00\x01\xc0\x0c\x00\x01\x00";
}
--- response_body
nil true



=== a server that says nothing
--- config
    lua_socket_log_errors off;
    location = /t {
        content_by_lua_block {
            local r = require("resty.dns.resolver"):new {
                retrans = 2, timeout = 30,
                nameservers = { { "127.0.0.1", $TEST_NGINX_RAND_PORT_1 } } }
            local answers, err = r:query("a.test")
            ngx.say(answers, " ", err)
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- response_body_like
^nil .*timeout



=== without a server there is no resolver
--- config
    location = /t {
        content_by_lua_block {
            local resolver = require "resty.dns.resolver"
            ngx.say(resolver:new())
            ngx.say(resolver:new { nameservers = {} })
            ngx.say(resolver.arpa_str("127.0.0.1"))
        }
    }
--- response_body
nilno options table specified
nilno nameservers specified
1.0.0.127.in-addr.arpa



=== a name that leads back to itself has an end
--- config
    location = /t {
        content_by_lua_block {
            local r = require("resty.dns.resolver"):new {
                retrans = 1, timeout = 5000,
                nameservers = { { "127.0.0.1", $TEST_NGINX_RAND_PORT_1 } } }
            local answers, err = r:query("a.test")
            ngx.say(answers and #answers[1].name < 1000 or err)
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
sub {
    my $id = substr($_[0], 0, 2);
    return $id . "\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"
        . "\x01a\x04test\x00\x00\x01\x00\x01"
        . "\x01b\xc0\x18\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x7f\x00\x00\x05";
}
--- response_body
true



=== a datagram of another question is not the answer to this one
--- config
    location = /t {
        content_by_lua_block {
            local r = require("resty.dns.resolver"):new {
                retrans = 1, timeout = 5000,
                nameservers = { { "127.0.0.1", $TEST_NGINX_RAND_PORT_1 } } }
            local answers, err = r:query("a.test")
            ngx.say(err or answers[1].address)
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
sub {
    my $id = substr($_[0], 0, 2);
    my $rest = "\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00"
        . "\x01a\x04test\x00\x00\x01\x00\x01"
        . "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x7f\x00\x00";
    my $other = chr(ord(substr($id, 0, 1)) ^ 1) . substr($id, 1, 1);
    return [$other . $rest . "\x06", $id . $rest . "\x05"];
}
--- response_body
127.0.0.5



=== what is cut is asked for again over TCP, or said to be
--- stream_config
server {
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        local len = sock:receive(2)
        local id = sock:receive(len:byte(1) * 256 + len:byte(2)):sub(1, 2)
        local text = id .. "\129\128\0\1\0\1\0\0\0\0\1a\4test\0\0\1\0\1"
                     .. "\192\12\0\1\0\1\0\0\0\60\0\4\127\0\0\7"
        sock:send(string.char(0, #text) .. text)
    }
}
--- config
    location = /t {
        content_by_lua_block {
            local r = require("resty.dns.resolver"):new {
                retrans = 1, timeout = 5000,
                nameservers = { { "127.0.0.1", $TEST_NGINX_RAND_PORT_1 } } }
            local answers, err = r:query("a.test")
            ngx.say(err or answers[1].address)
        }
    }
--- request
GET /t
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
sub {
    return substr($_[0], 0, 2) . "\x83\x80\x00\x01\x00\x00\x00\x00\x00\x00"
        . "\x01a\x04test\x00\x00\x01\x00\x01";
}
--- response_body
127.0.0.7



=== answers that count more than there is, and a question as an answer
--- config
    location = /t {
        content_by_lua_block {
            local r = require("resty.dns.resolver"):new {
                retrans = 1, timeout = 5000,
                nameservers = { { "127.0.0.1", $TEST_NGINX_RAND_PORT_1 } } }
            for _, name in ipairs { "count.test", "query.test", "short.test",
                                    "cname.test" } do
                local answers, err = r:query(name)
                ngx.say(name, " ", answers and #answers, " ", err)
            end
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
sub {
    my $id = substr($_[0], 0, 2);
    my $question = substr($_[0], 12);
    if (index($question, "count") > 0) {
        return $id . "\x81\x80\x00\x01\xff\xff\x00\x00\x00\x00" . $question;
    }
    if (index($question, "query") > 0) {
        return $id . "\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" . $question;
    }
    if (index($question, "short") > 0) {
        return $id . "\x81";
    }
    my $alias = "\xc0\x0c\x00\x05\x00\x01\x00\x00\x00\x3c\x00\x02\xc0\x0c";
    return $id . "\x81\x80\x00\x01\x00\x20\x00\x00\x00\x00" . $question
        . ($alias x 32);
}
--- response_body_like
^count\.test nil \S.*
query\.test nil bad QR flag in the DNS response
short\.test nil \S.*
cname\.test 32 nil$



=== answers that are cut anywhere throw nothing, and have no half addresses
--- config
    location = /t {
        content_by_lua_block {
            local r = require("resty.dns.resolver"):new {
                retrans = 1, timeout = 5000,
                nameservers = { { "127.0.0.1", $TEST_NGINX_RAND_PORT_1 } } }
            for n = 10, 75 do
                local answers, err = r:query("c" .. n .. ".test")
                if answers or type(err) ~= "string" then
                    ngx.say(n, " ", answers and #answers, " ", err)
                end
            end
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
sub {
    my $n = substr($_[0], 14, 2);
    my $records = "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x7f\x00\x00\x05"
        . "\xc0\x0c\x00\x10\x00\x01\x00\x00\x00\x3c\x00\x04\x03abc"
        . "\xc0\x0c\x00\x21\x00\x01\x00\x00\x00\x3c\x00\x09\x00\x01\x00\x02\x00\x03\x01d\x00";
    return substr(substr($_[0], 0, 2) . "\x81\x80\x00\x01\x00\x03\x00\x00\x00\x00"
        . substr($_[0], 12) . $records, 0, $n);
}
--- response_body
--- timeout: 20
