# Answers of Redis and of databases, read from a text.

__DATA__


=== replies of each kind
--- config
    location = /t {
        content_by_lua_block {
            local parser = require "redis.parser"
            for _, text in ipairs { "+OK\r\n", "-ERR no\r\n", ":32\r\n",
                                    "$5\r\nhello\r\n", "$-1\r\n", "$0\r\n\r\n",
                                    "*-1\r\n", "*0\r\n" } do
                local value, kind = parser.parse_reply(text)
                ngx.say(type(value) == "table" and #value or value, " ",
                        parser.typename(kind))
            end
            local list = parser.parse_reply(
                "*4\r\n$1\r\na\r\n$-1\r\n:7\r\n*1\r\n+b\r\n")
            ngx.say(#list, list[1], " ", list[2] == parser.null, " ", list[3],
                    list[4][1])
        }
    }
--- response_body
OK status reply
ERR no error reply
32 integer reply
hello bulk reply
nil bulk reply
 bulk reply
nil multi-bulk reply
0 multi-bulk reply
4a true 7b



=== what is no reply says so; none takes more than its text
--- config
    location = /t {
        content_by_lua_block {
            local parser = require "redis.parser"
            for _, text in ipairs { "", "x", "+OK", ":a\r\n", "$3\r\nab\r\n",
                                    "$a\r\n", "$99999999999\r\na\r\n",
                                    "*2\r\n:1\r\n", "*99999999\r\n",
                                    ("*1\r\n"):rep(5000) .. ":1\r\n" } do
                local value, kind = parser.parse_reply(text)
                ngx.say(value, " ", kind)
            end
            ngx.say(select(2, pcall(parser.parse_reply)))
        }
    }
--- response_body
empty reply 0
invalid reply 0
bad status reply 0
bad integer reply 0
bad bulk reply 0
bad bulk reply 0
bad bulk reply 0
bad multi bulk reply 0
bad multi bulk reply 0
bad multi bulk reply 0
expected one argument but got 0



=== several replies in one text, and a query
--- config
    location = /t {
        content_by_lua_block {
            local parser = require "redis.parser"
            local all = parser.parse_replies("+A\r\n:1\r\nx", 3)
            ngx.say(all[1][1], all[1][2], " ", all[2][1], all[2][2], " ",
                    all[3][1], all[3][2])
            ngx.print(parser.build_query { "set", "k", 3, true, parser.null })
            ngx.say(select(2, pcall(parser.build_query, {})))
            ngx.say(select(2, pcall(parser.build_query, { {} })))
        }
    }
--- response_body eval
"A1 13 invalid reply0
*5\r
\$3\r
set\r
\$1\r
k\r
\$1\r
3\r
\$1\r
1\r
\$-1\r
empty input param table
parameter 1 is not a string, number, redis.parser.null, or boolean value
"



=== a result of a database, whole and cut
--- config
    location = /t {
        content_by_lua_block {
            local parser = require "rds.parser"
            local text = "\0" .. "\3\0\0\0" .. "\0" .. "\0\0" .. "\0\0"
                .. "\0\0" .. ("\0"):rep(8) .. "\5" .. ("\0"):rep(7) .. "\3\0"
                .. "\1\0\1\0\2\0id" .. "\4\128\1\0\4\0name" .. "\3\192\1\0\2\0ok"
                .. "\1" .. "\2\0\0\00042" .. "\3\0\0\0bob" .. "\1\0\0\0t"
                .. "\1" .. "\255\255\255\255" .. "\0\0\0\0" .. "\1\0\0\0f"
                .. "\0"
            local res = assert(parser.parse(text))
            local rows = res.resultset
            ngx.say(res.errcode, " ", res.insert_id, " ", #rows)
            ngx.say(rows[1].id + 1, rows[1].name, rows[1].ok)
            ngx.say(rows[2].id == parser.null, "[", rows[2].name, "]",
                    rows[2].ok)
            local whys = {}
            for n = 0, #text - 1 do
                local none, why = parser.parse(text:sub(1, n))
                assert(none == nil)
                whys[why] = true
            end
            local list = {}
            for why in pairs(whys) do
                list[#list + 1] = why
            end
            table.sort(list)
            ngx.say(table.concat(list, "\n"))
            ngx.say(parser.parse("\1\0\0\0\4\0"))
        }
    }
--- response_body
0 5 2
43bobtrue
true[]false
column part is incomplete
field value part is incomplete
header part is incomplete
row part is incomplete
nilfound RDS format version 4, but we can only handle version 3
