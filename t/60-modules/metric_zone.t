# Numbers of one's own, by key (Angie).
__DATA__


=== modes, by one worker or the other, in the tree and as metrics
--- workers: 2
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    metric_zone count:64k count;
    metric_zone gauge:64k gauge;
    metric_complex_zone all:64k {
        number  count;
        least   min;
        most    max;
        latest  last;
        sum     gauge;
        mean    average mean count=2;
        slow    average exp factor=50;
        spread  histogram 1 2.5 inf;
    }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        location / {
            metric count $arg_k;
            metric gauge $arg_k=$arg_v on=request;
            metric all $arg_k=$arg_v on=response;
            return 200;
        }
    }
--- config
    location /status/ { api /status/; }
    location /metrics { prometheus; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            for _, q in ipairs { "k=a&v=1", "k=a&v=4", "k=a&v=2", "k=b&v=-3", "k=b&v=x", "v=7" } do
                tree.ask($TEST_NGINX_RAND_PORT_1, "GET /?" .. q .. " HTTP/1.0\r\n\r\n")
            end
            local z = tree.get "http/metric_zones"
            ngx.say(z.count.discarded, " ", z.count.metrics.a, " ", z.count.metrics.b, " ", z.gauge.metrics.a, " ", z.gauge.metrics.b)
            local a, b = z.all.metrics.a, z.all.metrics.b
            ngx.say(a.number, " ", a.least, " ", a.most, " ", a.latest, " ", a.sum, " ", a.mean, " ", a.slow)
            ngx.say(b.number, " ", b.least, " ", b.most, " ", b.latest, " ", b.sum, " ", b.mean, " ", b.slow)
            ngx.say(a.spread["1"], a.spread["2.5"], a.spread.inf, " ", b.spread["1"], b.spread["2.5"], b.spread.inf)
            ngx.say(tree.get "http/metric_zones/all/metrics/a/spread/inf")
            local text = ngx.location.capture("/metrics").body
            for line in text:gmatch "lunette_metric_zone_[^\n]+" do
                if line:find 'key="b"' or line:find "discarded" and line:find "all" then ngx.say(line) end
            end
        }
    }
--- response_body
0 3 2 7 -2
3 1 4 2 7 3 2.25
2 -3 1 1 -2 -1 -1
123 222
3
lunette_metric_zone_updates_total{zone="count",key="b",metric=""} 2
lunette_metric_zone_updates_total{zone="all",key="b",metric="number"} 2
lunette_metric_zone_value{zone="gauge",key="b",metric=""} -2
lunette_metric_zone_value{zone="all",key="b",metric="least"} -3
lunette_metric_zone_value{zone="all",key="b",metric="most"} 1
lunette_metric_zone_value{zone="all",key="b",metric="latest"} 1
lunette_metric_zone_value{zone="all",key="b",metric="sum"} -2
lunette_metric_zone_value{zone="all",key="b",metric="mean"} -1
lunette_metric_zone_value{zone="all",key="b",metric="slow"} -1
lunette_metric_zone_under_total{zone="all",key="b",metric="spread",bound="1"} 2
lunette_metric_zone_under_total{zone="all",key="b",metric="spread",bound="2.5"} 2
lunette_metric_zone_under_total{zone="all",key="b",metric="spread",bound="inf"} 2
lunette_metric_zone_discarded_total{zone="all"} 0
--- no_reload: a zone of that name was there



=== stages: what is known at each
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    metric_zone early:64k count;
    metric_zone header:64k count;
    metric_zone late:64k count;
    metric early "status $status" on=request;
    metric header "status $status" on=response;
    metric late "status $status";
--- config
    location /status/ { metric late none; api /status/; }
    location = /no { content_by_lua_block { ngx.exit(404) } }
    location = /denied { deny all; }
    location = /t {
        metric late own;
        content_by_lua_block {
            local tree = require "tree"
            tree.ask($TEST_NGINX_SERVER_PORT, "GET /no HTTP/1.0\r\n\r\n")
            tree.ask($TEST_NGINX_SERVER_PORT, "GET /denied HTTP/1.0\r\n\r\n")
            local z = tree.get "http/metric_zones"
            for _, zone in ipairs { "early", "header", "late" } do
                local t = {}
                for key, n in pairs(z[zone].metrics) do t[#t + 1] = key .. ":" .. n end
                table.sort(t)
                ngx.say(zone, " ", table.concat(t, ", "))
            end
        }
    }
--- response_body
early status 000:1, status 403:1
header status 403:1, status 404:1
late status 403:1, status 404:1



=== once for each stage, wherever a request is sent to inside
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    metric_zone early:64k count;
    metric_zone late:64k count;
    metric early requests on=request;
    metric late requests;
--- user_files
>>> folder/index.html
page
--- config
    location /status/ { api /status/; }
    location /folder/ { index index.html; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local before = tree.get "http/metric_zones"
            tree.ask(ngx.var.server_port, "GET /folder/ HTTP/1.0\r\n\r\n")
            local now = tree.get "http/metric_zones"
            ngx.say(now.early.metrics.requests - before.early.metrics.requests, " ", now.late.metrics.requests - (before.late.metrics.requests or 0))
        }
    }
--- response_body
1 1



=== variables set and read
--- http_config
    metric_zone n:64k gauge;
    metric_complex_zone c:64k { a count; b max; }
--- config
    location = /t {
        set $metric_n "k=2";
        set $metric_c "k=7";
        content_by_lua_block {
            ngx.say(ngx.var.metric_n, " ", ngx.var.metric_n_key, " ", ngx.var.metric_n_value)
            ngx.var.metric_n = "other=1"
            ngx.say(ngx.var.metric_n_key, " ", ngx.var.metric_n_value)
            ngx.var.metric_n_key = "k"
            ngx.var.metric_n_value = "-1.5"
            ngx.say(ngx.var.metric_n, " ", ngx.var.metric_n_value)
            ngx.say(ngx.var.metric_c_value, " ", ngx.var.metric_c_value_b)
            ngx.var.metric_n_key = "nobody"
            ngx.say(ngx.var.metric_n_value)
        }
    }
--- response_body
k=7 k 2
other 1
k=-1.5 0.5
1, 7 7
nil



=== a full zone: new keys are lost, or old ones are; what is lost is added up
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    metric_zone keeps:32k discard_key=rest count;
    metric_zone forgets:32k expire=on discard_key=rest count;
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local n = 2000
            for i = 1, n do
                ngx.var.metric_keeps = "key" .. i
                ngx.var.metric_forgets = "key" .. i
            end
            ngx.var.metric_forgets = "rest=1"
            local tree = require "tree"
            for _, name in ipairs { "keeps", "forgets" } do
                local z, keys, sum = tree.get("http/metric_zones/" .. name), 0, 0
                for key, v in pairs(z.metrics) do keys, sum = keys + 1, sum + v end
                ngx.say(name, " ", sum, " ", keys < n and keys > 100, " ", z.discarded == z.metrics.rest, " ",
                        z.metrics.key1 or 0, z.metrics["key" .. n] or 0)
            end
        }
    }
--- response_body
keeps 2000 true true 10
forgets 2000 true true 01



=== in stream
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- main_config
    stream {
        metric_zone bytes:64k max;
        server { listen $TEST_NGINX_RAND_PORT_1; metric bytes port=$bytes_sent; return "hello"; }
    }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            tree.ask($TEST_NGINX_RAND_PORT_1, "")
            local z
            repeat ngx.sleep(0.01) z = tree.get "stream/metric_zones/bytes" until z.metrics.port
            ngx.say(z.metrics.port)
        }
    }
--- response_body
5



=== a mode that is none
--- http_config
    metric_zone n:64k speed;
--- config
--- must_die
--- error_log
unknown mode "speed"



=== a zone without a size
--- http_config
    metric_zone n count;
--- config
--- must_die
--- error_log
invalid zone size "n"



=== a bucket twice
--- http_config
    metric_zone n:64k histogram 1 1.0;
--- config
--- must_die
--- error_log
duplicated bucket "1.0"



=== too many values
--- http_config
    metric_zone n:64k average mean count=100 window=1s;
--- config
--- must_die
--- error_log
too many values for each key



=== a stage that is none
--- http_config
    metric_zone n:64k count;
    metric n a on=start;
--- config
--- must_die
--- error_log
unknown stage "start"



=== a zone that nobody declares
--- config
    location = /x { metric nobody a; }
--- must_die
--- error_log
nobody
