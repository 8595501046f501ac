# require "ngx.trace": spans of scripts.
__DATA__


=== spans inside of the request's, with attributes; one that goes on ends with it
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    otel_exporter { endpoint http://127.0.0.1:$TEST_NGINX_SERVER_PORT/v1/traces; interval 50ms; }
--- config
    location = /v1/traces { content_by_lua_block { require("otlp").collect() } }
    location = /one {
        otel_trace on;
        content_by_lua_block {
            local trace = require "ngx.trace"
            local own = trace.current()
            own:set_name "checkout"
            own:set_attribute("tenant", "acme")
            local outer = trace.start_span("outer", { kind = "client", attributes = { n = 7 } })
            outer:set_attribute("half", 0.5)
            outer:set_attribute("yes", true)
            outer:set_attribute("nothing", nil)
            local inner = outer:start_span "inner"
            inner:set_error "no luck"
            ngx.sleep(0.02)
            inner:finish()
            inner:set_attribute("late", 1)
            inner:finish()
            ngx.say(trace.trace_id(), " ", trace.is_sampled(), " ", outer:traceparent())
        }
    }
    location = /t {
        content_by_lua_block {
            local text = require("tree").ask($TEST_NGINX_SERVER_PORT, "GET /one HTTP/1.0\r\n\r\n")
            local id, sampled, parent = text:match "(%x+) (%a+) (%S+)\n"
            local own, outer, inner = unpack(require("otlp").spans(3))
            ngx.say(own.name, " ", own.attrs.tenant, " ", own.trace == id, " ", sampled)
            ngx.say(outer.name, " ", outer.kind, " ", outer.parent == own.id, " ", outer.attrs.n, " ",
                    outer.attrs.yes, " ", outer.attrs.nothing, " ", outer.last == own.last, " ",
                    parent == "00-" .. id .. "-" .. outer.id .. "-01")
            ngx.say(inner.name, " ", inner.kind, " ", inner.parent == outer.id, " ", inner.failed, " ", inner.why,
                    " ", inner.attrs.late, " ", inner.last - inner.first >= 15e6, " ", inner.last < outer.last)
        }
    }
--- response_body
checkout acme true true
outer 3 true 7 true nil true true
inner 1 true true no luck nil true true



=== where nobody samples, or there is no trace, spans do nothing
--- config
    location = /t {
        otel_trace_context inject;
        content_by_lua_block {
            local trace = require "ngx.trace"
            local span = trace.start_span "quiet"
            span:set_attribute("a", 1)
            span:set_name "other"
            span:set_error()
            span:finish()
            ngx.say(trace.is_sampled(), " ", #trace.trace_id(), " ", span:traceparent() == ngx.var.http_traceparent)
        }
    }
    location = /none {
        content_by_lua_block {
            local trace = require "ngx.trace"
            local span = trace.start_span "quiet"
            span:start_span("more"):set_attribute("a", 1)
            span:finish()
            ngx.say(trace.is_sampled(), " ", trace.trace_id(), " ", trace.current(), " ", span:traceparent())
        }
    }
--- request eval
["GET /t", "GET /none"]
--- response_body eval
["false 32 true\n", "false nil nil nil\n"]



=== a span that was kept for longer than its request does nothing
--- config
    location = /t {
        otel_trace on;
        content_by_lua_block {
            local trace = require "ngx.trace"
            if kept then
                kept:set_attribute("a", 1)
                kept:set_name "b"
                kept:finish()
                ngx.say "still here"
            end
            kept = trace.start_span "kept"
            ngx.timer.at(0, function()
                kept:set_attribute("b", 1)
                kept:finish()
                ngx.log(ngx.WARN, "in a timer: ", trace.current(), " ", kept:traceparent())
            end)
            ngx.say "kept"
        }
    }
--- request eval
["GET /t", "GET /t"]
--- response_body eval
["kept\n", "still here\nkept\n"]
--- error_log
in a timer: nil nil



=== misuse is an error at the caller's line
--- config
    location = /t {
        content_by_lua_block {
            local trace = require "ngx.trace"
            for _, call in ipairs {
                function() trace.start_span(nil) end,
                function() trace.start_span("a", { kind = "odd" }) end,
                function() trace.start_span("a"):set_attribute(1, 2) end } do
                ngx.say(select(2, pcall(call)))
            end
        }
    }
--- response_body_like
content_by_lua\(nginx.conf:\d+\):4: the name of a span is to be a string
content_by_lua\(nginx.conf:\d+\):5: a span is internal, server or client
content_by_lua\(nginx.conf:\d+\):6: the name of an attribute is to be a string
