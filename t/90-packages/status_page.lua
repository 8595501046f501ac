-- status_page.lua -- what status_page does in a browser, by WebDriver: for
-- t/90-packages/status_page.  Prints TAP.
--
-- SPDX-License-Identifier: BSD-2-Clause

local json = require "cjson"

local port, driver = arg[1], tonumber(arg[2])
local session
local count = 0


-- One command of WebDriver's; what it gives, or nil and why.
local function tell(method, path, body)
    local text = body and json.encode(body) or ""
    local sock = ngx.socket.tcp()

    sock:settimeout(30000)

    local ok, err = sock:connect("127.0.0.1", driver)

    if not ok then
        return nil, err
    end

    assert(sock:send(method .. " " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1:"
                     .. driver .. "\r\nContent-Length: " .. #text
                     .. "\r\nConnection: close\r\n\r\n" .. text))

    local line, size

    repeat                         -- it keeps the connection, whatever one says
        line = assert(sock:receive())
        size = line:lower():match "^content%-length: *(%d+)" or size
    until line == ""

    local value = json.decode(assert(sock:receive(tonumber(size)))).value

    sock:close()

    if type(value) == "table" and value.error then
        return nil, value.error .. ": " .. tostring(value.message)
    end

    return value
end


-- In the page: a function's body.
local function js(script)
    local value, err = tell("POST", session .. "/execute/sync",
                            { script = script, args = setmetatable({},
                                                       json.array_mt) })

    if value == nil then
        error(err)
    end

    return value
end


local ESCAPE = "\238\128\140"


local function keys(text)
    local list = {}

    for c in text:gmatch "[%z\1-\127\194-\244][\128-\191]*" do
        list[#list + 1] = { type = "keyDown", value = c }
        list[#list + 1] = { type = "keyUp", value = c }
    end

    assert(tell("POST", session .. "/actions", { actions = {
        { type = "key", id = "keys", actions = list } } }) ~= nil)
end


-- Waits until the script says true.
local function await(script)
    for _ = 1, 100 do
        if js("return !!(" .. script .. ")") == true then
            return true
        end

        ngx.sleep(0.1)
    end

    return false
end


local function ok(good, name)
    count = count + 1
    print((good and "ok " or "not ok ") .. count .. " - " .. name)
end


local function ask(path)
    local sock = ngx.socket.tcp()

    assert(sock:connect("127.0.0.1", tonumber(port)))
    assert(sock:send("GET " .. path .. " HTTP/1.1\r\nHost: www.example.com\r\n"
                     .. "Connection: close\r\n\r\n"))
    assert(sock:receive("*a"))
    sock:close()
end


local function click(selector)
    js("document.querySelector(" .. json.encode(selector) .. ").click()")
end


local function text(selector)
    return js("return document.querySelector(" .. json.encode(selector)
              .. ").textContent")
end


local function begin()
    local value, err

    for _ = 1, 100 do
        value, err = tell("POST", "/session", { capabilities = {
            alwaysMatch = { browserName = "chrome",
                ["goog:loggingPrefs"] = { browser = "ALL" },
                ["goog:chromeOptions"] = { args = { "--headless=new",
                    "--no-sandbox", "--disable-gpu",
                    "--window-size=1400,1000" } } } } })

        if value then
            session = "/session/" .. value.sessionId
            return
        end

        ngx.sleep(0.1)
    end

    error(err)
end


local function looks_right(width)
    assert(tell("POST", session .. "/goog/cdp/execute", {
        cmd = "Emulation.setDeviceMetricsOverride",
        params = { width = width, height = 1000, deviceScaleFactor = 1,
                   mobile = false } }))
    ok(await("document.documentElement.scrollWidth <= innerWidth + 1"),
       width .. " pixels wide: nothing stands out of the page")
end


local function look()
    for _ = 1, 3 do ask "/" ask "/bad" ask "/app" end

    local page = "http://127.0.0.1:" .. port .. "/status"

    assert(tell("POST", session .. "/url", { url = page }) == json.null)

    ok(await "document.querySelectorAll('#servers tbody tr').length === 2",
       "each server has a row")
    ok(js "return document.querySelectorAll('.tile').length" >= 6,
       "and the overview tiles")
    ok(await "document.querySelector('#upstreams .bad')"
       and text "#upstreams .tag.bad" == "unavailable",
       "a server of an upstream that does not answer is shown as such")
    ok(text "#nav b" == "1", "and the menu counts it")

    ask "/bad"
    ok(await [[[...document.querySelectorAll('#servers tbody tr')].some(r =>
        r.textContent.includes('www.example.com')
        && r.querySelector('.tag.bad'))]],
       "it is live: errors appear while one looks")

    click "#servers th:nth-child(2) button"
    ok(text "#servers tbody td" == "www.example.com",
       "a click on a head sorts by it, the most first")
    click "#servers th:nth-child(2) button"
    ok(text "#servers tbody td" == "api.example.com",
       "and another the other way round")

    keys "/api"
    ok(await "document.querySelectorAll('#servers tbody tr').length === 1"
       and js "return document.activeElement.value" == "api",
       "a slash and a word filter")
    keys(ESCAPE)
    ok(await "document.querySelectorAll('#servers tbody tr').length === 2",
       "until Escape")

    keys "3"
    ok(await "location.hash === '#upstreams'"
       and await "!document.querySelector('#servers')",
       "a digit shows one part")
    click "#nav a"
    ok(await "document.querySelector('#servers')"
       and await "document.querySelector('#memory')",
       "a click on All shows all")

    keys "p"
    ok(js "return document.querySelector('#pause').ariaPressed" == "true",
       "p pauses")
    keys "p"

    keys "t"
    ok(js "return getComputedStyle(document.body).backgroundColor"
       == "rgb(13, 17, 26)", "t makes it dark")

    for _, width in ipairs { 380, 800, 1400, 2560 } do
        looks_right(width)
    end

    local said = tell("POST", session .. "/se/log", { type = "browser" }) or {}

    ok(#said == 0, "the browser has nothing to complain of"
       .. (said[1] and ": " .. said[1].message or ""))
    ok(js [[return performance.getEntriesByType('resource').every(e =>
        e.name.startsWith(location.origin + '/status?data'))]] == true,
       "nobody else was asked")
end


begin()

-- Whatever happens, the browser ends.
local good, why = pcall(look)

tell("DELETE", session)

if not good then
    ok(false, why)
end

print("1.." .. count)
