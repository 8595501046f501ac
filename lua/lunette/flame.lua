-- lunette/flame.lua -- stacks as a flame graph: one HTML page that asks
-- nobody for anything
--
-- A row for each depth, the outermost function on top; as wide as its share.
-- Names come from scripts and configurations: they reach the page as JSON in
-- which no tag can end or begin, and the screen as text.
--
-- SPDX-License-Identifier: BSD-2-Clause

local concat, sort = table.concat, table.sort

local _M = {}

-- A node is { name, value, { children } }, its value that of all above it.
local function child_of(node, name)
    local index = node.index[name]

    if not index then
        index = { name = name, value = 0, index = {}, children = {} }
        node.index[name] = index
        node.children[#node.children + 1] = index
    end

    return index
end


function _M.tree(stacks)
    local root = { name = "all", value = 0, index = {}, children = {} }

    for stack, value in pairs(stacks) do
        local node = root
        root.value = root.value + value

        for name in stack:gmatch("[^;]+") do
            node = child_of(node, name)
            node.value = node.value + value
        end
    end

    return root
end


local function escape(c)
    return ("\\u%04x"):format(c:byte())
end


local function quote(s)
    return '"' .. s:gsub('[%c"\\<>&]', escape) .. '"'
end


local function put_node(out, node)
    out[#out + 1] = ("[%s,%d,["):format(quote(node.name), node.value)

    sort(node.children, function (a, b) return a.name < b.name end)

    for i, child in ipairs(node.children) do
        out[#out + 1] = i > 1 and "," or ""
        put_node(out, child)
    end

    out[#out + 1] = "]]"
end


local titles = {
    cpu = "Where Lua computes",
    wait = "Where coroutines wait",
}

local page = [==[
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
  style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>@title@</title>
<style>
:root { color-scheme: light dark; --page: #fff; --ink: #1c1b19;
  --faint: #6f6b64; --line: #d9d5cd; --hit: #7a3cff; --hit-ink: #fff;
  --light: 76%; }
@media (prefers-color-scheme: dark) {
  :root { --page: #171614; --ink: #edeae4; --faint: #9a958c;
    --line: #38352f; --hit: #a98bff; --hit-ink: #17102b; --light: 34%; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1.25rem; background: var(--page);
  color: var(--ink); font: 14px/1.4 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem;
  align-items: baseline; margin-bottom: 1rem; }
h1 { font-size: 1.15rem; margin: 0; }
header p { margin: 0; color: var(--faint); }
form { margin-left: auto; display: flex; gap: .5rem; }
input, button { font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: 5px; padding: .25rem .6rem; }
#graph { position: relative; }
#graph button { position: absolute; height: 20px; padding: 0 4px;
  border-radius: 3px; border: 1px solid var(--page);
  font: 12px/18px ui-monospace, monospace; text-align: left;
  overflow: hidden; white-space: nowrap; text-overflow: ellipsis;
  cursor: pointer; }
#graph button.hit { background: var(--hit) !important;
  color: var(--hit-ink); }
#graph button.past { opacity: .55; }
#graph button:focus-visible, input:focus-visible {
  outline: 2px solid var(--hit); outline-offset: 1px; z-index: 1; }
#what { min-height: 3em; margin: 1rem 0 0; overflow-wrap: anywhere;
  font: 12px/1.5 ui-monospace, monospace; }
</style>
<header>
  <h1>@title@</h1>
  <p>@about@</p>
  <form id="find">
    <input id="text" type="search" placeholder="find a function"
      aria-label="find a function">
    <button id="all" type="button">all</button>
  </form>
</header>
<div id="graph"></div>
<p id="what" aria-live="polite"></p>
<script>
"use strict";

/* A node is [name, value, [nodes below]], its value that of all below. */
const root = @data@;
const unit = "@unit@", total = root[1] || 1;
const ROW = 21, LEAST = 3;         /* pixels */

const graph = document.getElementById("graph");
const what = document.getElementById("what");
const text = document.getElementById("text");
let path = [root];                 /* from all to what is looked at */

function amount(n) {
  const share = (100 * n / total).toFixed(2) + " %";
  return unit === "us" ? (n / 1e6).toFixed(3) + " s, " + share
                       : n + " samples, " + share;
}

function is_hit(node) {
  const word = text.value.trim().toLowerCase();
  return word !== "" && node[0].toLowerCase().includes(word);
}

/* A file's functions have one hue: what belongs together is seen so. */
function color(name) {
  const file = name.replace(/:[^:]*$/, "");
  let hue = 0;
  for (const c of file) hue = (hue * 31 + c.charCodeAt(0)) % 3600;
  return name[0] === "(" ? "hsl(0 0% var(--light))"
                         : `hsl(${hue / 10} 55% var(--light))`;
}

function look_at(chain) {
  path = chain;
  draw();
  graph.children[chain.length - 1].focus();
}

function add(chain, depth, left, width, past) {
  const node = chain[chain.length - 1];
  const b = document.createElement("button");
  b.type = "button";
  b.textContent = node[0];
  b.title = node[0] + "\n" + amount(node[1]);
  b.style.cssText = `top:${depth * ROW}px;left:${left}%;width:${width}%;` +
    `background:${color(node[0])}`;
  b.className = (past ? "past " : "") + (is_hit(node) ? "hit" : "");
  b.onclick = () => look_at(chain);
  b.onfocus = b.onmouseenter = () => {
    what.textContent = chain.map(n => n[0]).join("  \u203a  ") + "   " +
      amount(node[1]);
  };
  graph.append(b);
}

/* How many rows there are; what is too narrow to be seen is left out. */
function add_below(chain, depth, left, width) {
  const node = chain[chain.length - 1];
  let rows = depth;
  for (const child of node[2]) {
    const w = width * child[1] / node[1];
    if (w * graph.clientWidth / 100 >= LEAST) {
      const more = chain.concat([child]);
      add(more, depth, left, w, false);
      rows = Math.max(rows, add_below(more, depth + 1, left, w));
    }
    left += w;
  }
  return rows;
}

function draw() {
  const last = path.length - 1;
  graph.textContent = "";
  path.forEach((_, i) => add(path.slice(0, i + 1), i, 0, 100, i < last));
  graph.style.height = add_below(path, path.length, 0, 100) * ROW + "px";
}

/* The share of what a word finds: each stack counts once. */
function found(node) {
  return is_hit(node) ? node[1]
                      : node[2].reduce((sum, n) => sum + found(n), 0);
}

text.oninput = () => {
  draw();
  what.textContent = text.value.trim() && `found: ${amount(found(root))}`;
};
document.getElementById("find").onsubmit = e => e.preventDefault();
document.getElementById("all").onclick = () => look_at([root]);
addEventListener("keydown", e => {
  if (e.key === "Escape" && path.length > 1) look_at(path.slice(0, -1));
  if (e.key === "/" && document.activeElement !== text) {
    e.preventDefault();
    text.focus();
  }
});
addEventListener("resize", draw);
draw();
</script>
</html>
]==]

-- stacks: "outer;inner" -> value; kind: "cpu" (samples) or "wait" (us);
-- about.seconds, about.workers: how it was taken.
function _M.page(stacks, kind, about)
    local data = {}
    put_node(data, _M.tree(stacks))

    local words = {
        title = titles[kind],
        unit = kind == "wait" and "us" or "samples",
        data = concat(data),
        about = ("%g seconds of %d worker%s"):format(about.seconds,
            about.workers, about.workers == 1 and "" or "s"),
    }

    return (page:gsub("@(%l+)@", words))
end


return _M
