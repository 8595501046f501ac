-- declared.lua -- what lua-resty-core declares to LuaJIT, held against what we
-- declare (lua/lunette/declared.lua) and what our functions of C take.
--
--   lunette run t/exports/declared.lua                   TAP
--   lunette run t/exports/declared.lua print FOLDER      the data, of that core
--   lunette run t/exports/declared.lua differ FOLDER     what differs from it
--
-- FOLDER is where a core's resty/ and ngx/ lie. What is there of Debian's is
-- looked at as well; releases that are not are rows of `older`.
--
-- SPDX-License-Identifier: BSD-2-Clause

local DEBIAN = "/usr/share/lua/5.1"
local HEADERS = "modules/lua/capi/*.h modules/lua/ffi/ffi_ngx.c"
local LINE = 77

-- Functions that have had another signature, in 0.1.25 or 0.1.31: ours takes a
-- variable number of arguments, and stock_core.c says which is meant.
local older = {
    "int ngx_http_lua_ffi_balancer_set_current_peer(ngx_http_request_t *, "
    .. "const unsigned char *, size_t, int, char **)",
    "int ngx_http_lua_ffi_ssl_verify_client(void *, void *, int, char **)",
    "int ngx_stream_lua_ffi_ssl_verify_client(void *, void *, int, char **)",
    "void *ngx_http_lua_ffi_get_req_ssl_pointer(void *)",
    "int ngx_http_lua_ffi_ssl_validate_ocsp_response(const unsigned char *, "
    .. "size_t, const char *, size_t, unsigned char *, size_t *)",
    "int ngx_http_lua_ffi_req_shared_ssl_ciphers(ngx_http_request_t *, "
    .. "unsigned short *, unsigned short *, char **)",
}

local function slurp(path)
    local file = assert(io.open(path))
    local text = file:read("*a")
    file:close()
    return text
end

local function lines_of(command)
    local list, pipe = {}, io.popen(command)
    for line in pipe:lines() do
        list[#list + 1] = line
    end
    pipe:close()
    return list
end

local function tidy(text)
    return (text:gsub("%s+", " "):gsub("%s*([%*%(%),;{}])%s*", "%1")
            :gsub("([%w_])%*", "%1 *"):gsub(",", ", ")
            :gsub("^ ", ""):gsub(" $", ""))
end

-- --- what a text of C declares

local WORDS = {}
for word in ([[void char short int long double float unsigned signed const
    struct size_t ptrdiff_t intptr_t uintptr_t uint8_t uint16_t uint32_t int32_t
    int64_t bool]]):gmatch("%S+") do
    WORDS[word] = true
end

-- A parameter without its name.
local function type_of(param)
    param = tidy(param):gsub("%s*%[%s*%d*%s*%]$", " *")
    local front, name = param:match("^(.-)([%a_][%w_]*)$")
    if front and not WORDS[name] and front:find("[%w%*]")
       and not front:match("^%s*const%s*$") and not front:match("struct%s*$")
    then
        param = front
    end
    return tidy(param)
end

local function without_comments(text)
    return (text:gsub("/%*.-%*/", " "):gsub("//[^\n]*", " "))
end

-- "type name(types)" of each function, the typedefs in their order.
local function declarations(text, functions, types)
    text = without_comments(text)
    text = text:gsub("typedef%s+struct%s*%b{}[^;]*;", function (all)
        types[#types + 1] = all:gsub("%s+", " "):gsub(" $", "")
        return ""
    end)
    text = text:gsub("typedef[^;{]*;", function (all)
        types[#types + 1] = all:gsub("%s+", " ")
        return ""
    end)
    for head, name, params in
        text:gmatch("([%w_%s%*]-)([%w_]+)%s*(%b())%s*;")
    do
        local list = {}
        for param in (params:sub(2, -2) .. ","):gmatch("%s*(.-)%s*,") do
            list[#list + 1] = param == "..." and param or type_of(param)
        end
        local space = head:find("%*%s*$") and "" or " "
        functions[name] = tidy(head) .. space .. name .. "("
                          .. table.concat(list, ", ") .. ")"
    end
end

-- Whether a name is nginx's: what else there is, others declare as well.
local function is_nginx(name)
    return name:find("^ngx_") or name:find("^ndk_") or name == "u_char"
end

local function read_core(folder)
    local functions, types, seen = {}, {}, {}
    for _, path in ipairs(lines_of("cd " .. folder
        .. " && find resty/core.lua resty/core ngx -name '*.lua' | sort"))
    do
        for text in slurp(folder .. "/" .. path)
            :gmatch("ffi%.cdef%s*%(?%s*%[%[(.-)%]%]")
        do
            declarations(text .. ";", functions, types)
        end
    end

    -- Names first: a struct's members are of them.
    local own = {}
    for _, has_body in ipairs { false, true } do
        for _, text in ipairs(types) do
            local name = text:match("([%w_]+)%s*;$")
            if is_nginx(name) and not seen[name]
               and (text:find("{", 1, true) ~= nil) == has_body
            then
                seen[name] = true
                own[#own + 1] = text
            end
        end
    end

    local list = {}
    for name, text in pairs(functions) do
        if is_nginx(name) then
            list[#list + 1] = text
        end
    end
    table.sort(list)
    return list, own
end

-- --- the two protocols: rows that differ in names only are one

local REQUEST = { http = "ngx_http_request_t",
                  stream = "ngx_stream_lua_request_t" }

local function neutral(text, protocol)
    return (text:gsub("%f[%w_]" .. REQUEST[protocol] .. "%f[^%w_]", "$R")
            :gsub("ngx_" .. protocol .. "_", "ngx_@_"))
end

local function protocol_of(text)
    return text:find("ngx_stream_", 1, true) and "stream"
           or text:find("ngx_http_", 1, true) and "http"
end

-- { both = rows, http = rows, stream = rows }, in the order of `list`.
local function by_protocol(list)
    local has = { http = {}, stream = {} }
    for _, text in ipairs(list) do
        local protocol = protocol_of(text)
        if protocol then
            has[protocol][neutral(text, protocol)] = true
        end
    end

    local rows = { both = {}, http = {}, stream = {} }
    for _, text in ipairs(list) do
        local protocol = protocol_of(text)
        local row = protocol and neutral(text, protocol) or text
        if not protocol or has.http[row] and has.stream[row] then
            if protocol ~= "stream" then
                table.insert(rows.both, row)
            end
        else
            table.insert(rows[protocol], row)
        end
    end
    return rows
end

-- --- the data

local function wrapped(row)
    local out, line = {}, ""
    for word in row:gmatch("%S+") do
        if #line + #word + 1 > LINE then
            out[#out + 1] = line
            line = "   "
        end
        line = line == "" and word or line .. " " .. word
    end
    out[#out + 1] = line
    return table.concat(out, "\n")
end

local function print_rows(rows, ending)
    for _, group in ipairs { "both", "http", "stream" } do
        if #rows[group] > 0 then
            print("    " .. group .. " = [[")
            for _, row in ipairs(rows[group]) do
                print(wrapped(row .. ending))
            end
            print("]],")
        end
    end
end

local function print_data(folder)
    local functions, types = read_core(folder)
    local head = slurp("lua/lunette/declared.lua"):match("^(.-)\nlocal types")
    print(head .. "\nlocal types = {")
    print_rows(by_protocol(types), "")
    print("}\n\nlocal functions = {")
    print_rows(by_protocol(functions), ";")
    print("}\n")
    io.write(slurp("lua/lunette/declared.lua"):match("\n}\n\n(%-%- .*)$"))
end

-- --- what a call looks like to the machine

local CLASS = { char = 1, uint8_t = 1, bool = 1, short = 2, uint16_t = 2,
                int = 4, unsigned = 4, uint32_t = 4, int32_t = 4,
                long = "long", time_t = "long", double = "double",
                void = "void", float = "float" }

local function class_of(text)
    if text == "" then
        return "void"
    end
    if text:find("%*") or text == "ngx_http_lua_script_engine_t"
       or text == "ngx_@_lua_script_engine_t" or text == "ndk_set_var_value_pt"
    then
        return "word"
    end
    text = text:gsub("const ", ""):gsub("^unsigned (%w)", "%1")
    return CLASS[text] or "word"
end

-- "4(word, 4)"; of one that takes more, what is fixed and "...".
local function shape(text)
    local result, params = text:match("^(.-)[%w_@]+(%b())$")
    local list = {}
    for param in (params:sub(2, -2) .. ","):gmatch("%s*(.-),") do
        list[#list + 1] = param == "..." and param or class_of(param)
    end
    return class_of(tidy(result)) .. "(" .. table.concat(list, ", ") .. ")"
end

-- What is fixed of a variable one is a word or less.
local function fits(declared, ours)
    if not ours:find("...", 1, true) then
        return declared == ours
    end
    local a = { declared:match("^(.-)%((.*)%)$") }
    local b = { ours:match("^(.-)%((.*), %.%.%.%)$") }
    local n, m = select(2, a[2]:gsub(",", "")), select(2, b[2]:gsub(",", ""))
    return a[1] == b[1] and n >= m and not a[2]:find("double")
end

local function own_functions()
    local made = lines_of("ls build/*/capi_stream.c")[1]
    local functions = {}
    for _, path in ipairs(lines_of("ls " .. HEADERS .. " " .. (made or ""))) do
        local text = without_comments(slurp(path))
        for text_of_one in text:gmatch("LUN_EXPORT(.-;)") do
            declarations(text_of_one, functions, {})
        end
    end
    return functions
end

-- --- TAP

local count, failed = 0, 0

local function ok(good, name, ...)
    count = count + 1
    failed = failed + (good and 0 or 1)
    print((good and "ok " or "not ok ") .. count .. " - " .. name)
    for _, line in ipairs { ... } do
        print("# " .. line)
    end
end

local function check_c(list, of)
    local own, wrong = own_functions(), {}
    for _, text in ipairs(list) do
        local name = text:match("([%w_]+)%(")
        if not own[name] then
            wrong[#wrong + 1] = "no function of C: " .. text
        elseif not fits(shape(text), shape(own[name])) then
            wrong[#wrong + 1] = text .. " is " .. own[name]
        end
    end
    ok(#wrong == 0 and #list > 0, of .. ": " .. #list
       .. " functions are as C has them", unpack(wrong))
end

local function expanded(rows)
    local list = {}
    local declared = require "lunette.declared"
    for _, protocol in ipairs { "http", "stream" } do
        for text in declared.text(rows, protocol):gmatch("%s*(.-);") do
            if protocol == "http" or protocol_of(text) == "stream" then
                list[#list + 1] = tidy(text)
            end
        end
    end
    return list
end

-- What a core has that we do not, or otherwise.
local function differences(folder)
    local here, list = {}, {}
    for _, text in ipairs(expanded(require("lunette.declared").functions)) do
        here[text] = true
    end
    for _, text in ipairs(older) do
        here[tidy(text)] = true
    end
    for _, text in ipairs((read_core(folder))) do
        if not here[tidy(text)] then
            list[#list + 1] = text
        end
    end
    return list
end

if arg[1] == "print" then
    print_data(arg[2])
    return
elseif arg[1] == "differ" then
    print(table.concat(differences(arg[2]), "\n"))
    return
end

check_c(expanded(require("lunette.declared").functions), "all that is declared")
check_c(older, "older releases")

if io.open(DEBIAN .. "/resty/core/base.lua") then
    local wrong = differences(DEBIAN)
    ok(#wrong == 0, "Debian's lua-resty-core declares nothing else",
       unpack(wrong))
    check_c((read_core(DEBIAN)), "Debian's")
else
    ok(true, "Debian's lua-resty-core # SKIP it is not installed")
end

print("1.." .. count)
os.exit(failed == 0 and 0 or 1)
