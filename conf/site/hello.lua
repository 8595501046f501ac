-- hello.lua -- a page from a template. {{name}} is replaced, and escaped.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

local page = [[
<!doctype html>
<title>Hello, {{name}}</title>
<h1>Hello, {{name}}</h1>
<p>It is {{time}}. Worker {{worker}} made this page for you.</p>
<p><a href="/">Back</a></p>
]]

local entities = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
                   ['"'] = "&quot;", ["'"] = "&#39;" }

local function escape(text)
    return (tostring(text):gsub("[&<>\"']", entities))
end

local function render(template, values)
    return (template:gsub("{{(%w+)}}", function(key)
        return escape(values[key])
    end))
end

function _M.answer(name)
    ngx.print(render(page, {
        name = name,
        time = ngx.localtime(),
        worker = ngx.worker.id(),
    }))
end

return _M
