-- lunette/coverage_page.lua -- `lunette coverage --html`: one page that asks
-- nobody for anything, with a table of files and the code of each
--
-- SPDX-License-Identifier: BSD-2-Clause

local concat = table.concat

local _M = {}

local ESCAPES = { ["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;",
                  ['"'] = "&quot;" }

local function escape(text)
    return (text:gsub('[<>&"]', ESCAPES))
end


local HEAD = [==[
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
  style-src 'unsafe-inline'">
<title>Lines that were run</title>
<style>
:root { color-scheme: light dark; --page: #fff; --ink: #1c1b19;
  --faint: #6f6b64; --line: #d9d5cd; --run: #e3f3e4; --missed: #fbdcd8;
  --bar: #3f9a4a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #171614; --ink: #edeae4; --faint: #9a958c;
    --line: #38352f; --run: #16301a; --missed: #4d1f1a; --bar: #5fbf6b; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1.25rem; background: var(--page);
  color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.15rem; margin: 0 0 1rem; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
td, th { padding: .2rem .8rem .2rem 0; text-align: left; }
td:first-child { text-align: right; font-variant-numeric: tabular-nums; }
a { color: inherit; overflow-wrap: anywhere; }
meter { width: 9rem; accent-color: var(--bar); }
pre { margin: 0; border: 1px solid var(--line); border-radius: 5px;
  overflow-x: auto; font: 12px/1.5 ui-monospace, monospace; }
pre span { display: block; padding: 0 .6rem; min-width: max-content; }
pre i { display: inline-block; width: 8rem; color: var(--faint);
  font-style: normal; user-select: none; }
.run { background: var(--run); }
.missed { background: var(--missed); }
</style>
<h1>Lines that were run</h1>
]==]

local function row(part, at)
    local share = part.total > 0 and 100 * part.run / part.total or 100

    return ('<tr><td>%.1f&nbsp;%%</td><td><meter max="100" value="%.1f">'
            .. '</meter></td><td>%d of %d</td><td><a href="#p%d">%s</a></td>'
            .. '</tr>\n'):format(share, share, part.run, part.total, at,
                                 escape(part.name))
end


local function put_code(out, part)
    local number = 0
    out[#out + 1] = "<pre>"

    for line in ((part.code or "") .. "\n"):gmatch "([^\n]*)\n" do
        number = number + 1
        local count = part.lines[number]

        out[#out + 1] = ('<span%s><i>%5d %7s</i>%s</span>'):format(
            not count and "" or count > 0 and ' class="run"'
                or ' class="missed"',
            number, count or "", escape((line:gsub("\r$", ""))))
    end

    out[#out + 1] = "</pre>\n"
end


-- parts: as lunette.coverage makes them, with name, run, total and code.
function _M.text(parts)
    local out = { HEAD, "<table>\n" }

    for i, part in ipairs(parts) do
        out[#out + 1] = row(part, i)
    end

    out[#out + 1] = "</table>\n"

    for i, part in ipairs(parts) do
        out[#out + 1] = ('<h2 id="p%d">%s</h2>\n'):format(i,
                                                          escape(part.name))
        put_code(out, part)
    end

    out[#out + 1] = "</html>\n"
    return concat(out)
end


return _M
