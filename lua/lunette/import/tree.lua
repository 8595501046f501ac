-- lunette/import/tree.lua -- elements of XML that remember what of them was
-- read, so that what was not can be said
--
-- SPDX-License-Identifier: BSD-2-Clause

local ipairs = ipairs

local _M = {}

-- An attribute, which counts as read; nil: it has none of that name.
function _M.attr(node, name)
    node.used = node.used or {}
    node.used[name] = true
    return node.attr[name]
end

function _M.is_true(node, name)
    local value = _M.attr(node, name)

    return value ~= nil and value:lower() == "true"
end

-- All elements of that name in another, which count as read; `node` may be
-- nil.
function _M.each(node, name)
    local i = 0

    return function ()
        while node and i < #node do
            i = i + 1
            if node[i].name == name then
                node[i].seen = true
                return node[i]
            end
        end
    end
end

-- The first of them; nil: there is none.
function _M.child(node, name)
    return _M.each(node, name)()
end

-- It was read as a whole, or said as a whole.
function _M.use_all(node)
    node.seen, node.all = true, true
end

-- Calls each(node, attribute or nil, path) for what nobody has read; an
-- element is named without those in it.
function _M.unread(node, each, path)
    path = path and path .. "/" .. node.name or node.name
    if node.all then
        return
    elseif not node.seen then
        each(node, nil, path)
        return
    end
    for _, name in ipairs(node.order) do
        if not (node.used and node.used[name]) then
            each(node, name, path)
        end
    end
    for _, child in ipairs(node) do
        _M.unread(child, each, path)
    end
end

return _M
