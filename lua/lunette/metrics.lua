-- metrics.lua -- counters, gauges and histograms of scripts, in the zone where
-- the server counts: no lock, one sum over all workers, kept over reloads, and
-- printed by `prometheus`.
--
--     local metrics = require "lunette.metrics"
--     local orders = metrics.counter("orders", "Orders taken", { "shop" })
--     local time = metrics.histogram("order_seconds", "Time of an order")
--
--     orders:inc(1, { "london" })
--     time:observe(0.12)
--
-- Names and labels are as Prometheus wants them; a counter's "_total" may be
-- given or not. Make metrics once, when a script is loaded. A metric has at
-- most 200 combinations of its labels in a worker: what comes then counts as
-- "other", so that clients who choose labels can't fill the zone.
--
-- C side: ffi_metric.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local concat, sort = table.concat, table.sort
local error, floor, ipairs = error, math.floor, ipairs
local setmetatable, tonumber, tostring, type =
    setmetatable, tonumber, tostring, type

base.cdef [[
typedef struct {
    const char      *name, *help, *unit, *labels;
    const uint64_t  *bounds;
    uint32_t         kind;
    uint32_t         scale;
} lun_ffi_metric;

uint32_t lun_ffi_metric_make(const lun_ffi_metric *given,
    const lun_str *values, const char **why);
void lun_ffi_metric_add(uint32_t at, uint64_t n);
void lun_ffi_metric_set(uint32_t at, uint64_t n);
void lun_ffi_metric_observe(uint32_t at, const uint64_t *bounds,
    uint64_t value);
]]

local COUNTER, GAUGE, HISTOGRAM = 0, 1, 2
local SCALE = 1000             -- of gauges and histograms: thousandths
local MOST_LABELS, MOST_SERIES, MOST_BUCKETS = 8, 200, 24
local BIGGEST = 2 ^ 52

-- Prometheus' own, in seconds.
local BUCKETS = { 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10 }

local _M = {}

local why = ffi.new "const char *[1]"

-- What the labels' values are: a list of texts, and their key.
local function values_of(m, values)
    local given = type(values) == "table" and #values or 0

    if given ~= m.label_count then
        error("metric \"" .. m.name .. "\" has " .. m.label_count
              .. " labels, and " .. given .. " values were given", 4)
    end

    local texts = {}

    for i = 1, given do
        texts[i] = tostring(values[i])
    end
    return texts
end

local function make_series(m, texts)
    local room = base.new_array("lun_str[?]", m.label_count + 1)

    for i, text in ipairs(texts or {}) do
        room[i - 1].data, room[i - 1].len = text, #text
    end

    local at = C.lun_ffi_metric_make(m.given, texts and room or nil, why)

    if at == 0 then
        return nil, ffi.string(why[0])
    end
    return at
end

-- The cells for these values; those of "other" where there is no room.
local function find_series(m, values)
    if m.label_count == 0 and values == nil then
        return m.rest
    end

    local texts = values_of(m, values)
    local key = concat(texts, "\0")
    local at = m.series[key]

    if not at then
        if m.count == MOST_SERIES then
            return m.rest
        end

        at = make_series(m, texts) or m.rest
        m.series[key] = at
        m.count = m.count + 1
    end
    return at
end

-- A number that a cell can hold, in its parts.
local function parts_of(m, value, scale)
    value = value == nil and 1 or tonumber(value)

    if not value or value ~= value or value < 0 or value * scale > BIGGEST then
        error("metric \"" .. m.name .. "\" takes numbers from 0 on", 3)
    end
    return floor(value * scale + 0.5)
end

local counter = {}
counter.__index = counter

-- inc([n [, labels]]): n is a whole number.
function counter:inc(n, labels)
    local parts = parts_of(self, n, 1)

    if n and parts ~= tonumber(n) then
        error("counter \"" .. self.name .. "\" takes whole numbers", 2)
    end
    C.lun_ffi_metric_add(find_series(self, labels), parts)
end

-- What a gauge shows is the sum of what each worker has set.
local gauge = {}
gauge.__index = gauge

function gauge:set(value, labels)
    C.lun_ffi_metric_set(find_series(self, labels),
                         parts_of(self, value, SCALE))
end

local histogram = {}
histogram.__index = histogram

function histogram:observe(value, labels)
    C.lun_ffi_metric_observe(find_series(self, labels), self.bounds,
                             parts_of(self, value, SCALE))
end

local function check_name(name, what)
    if type(name) ~= "string" or not name:find "^[%a_][%w_]*$" then
        error("bad name of a " .. what .. ": \"" .. tostring(name) .. "\"", 4)
    end
end

local function list_labels(labels)
    if labels ~= nil and type(labels) ~= "table" then
        error("labels are a list of names", 4)
    end

    for _, label in ipairs(labels or {}) do
        check_name(label, "label")
    end

    local n = labels and #labels or 0

    if n > MOST_LABELS then
        error("a metric has at most " .. MOST_LABELS .. " labels", 4)
    end
    return n, n > 0 and concat(labels, ",") or nil
end

local function make_bounds(buckets)
    local sorted = {}

    for i, bound in ipairs(buckets or BUCKETS) do
        bound = tonumber(bound)

        if not bound or bound * SCALE < 1 or bound * SCALE > BIGGEST then
            error("buckets are numbers, of at least 0.001", 4)
        end
        sorted[i] = floor(bound * SCALE + 0.5)
    end

    if #sorted == 0 or #sorted > MOST_BUCKETS then
        error("a histogram has 1 to " .. MOST_BUCKETS .. " buckets", 4)
    end

    sort(sorted)

    -- Ends with 0. (A table of one number would fill all of it.)
    local bounds = base.new_array("uint64_t[?]", #sorted + 1)

    for i, bound in ipairs(sorted) do
        bounds[i - 1] = bound
    end
    return bounds
end

local function make(class, kind, name, help, labels, bounds)
    local m = setmetatable({ name = name, series = {}, count = 0,
                             bounds = bounds }, class)

    m.label_count, m.labels = list_labels(labels)

    if kind == COUNTER then
        name = name:gsub("_total$", "")
    end

    -- What C is given has to live as long as the metric.
    m.short, m.help = name, help and tostring(help) or ""
    m.given = ffi.new("lun_ffi_metric", { name = m.short, help = m.help,
        labels = m.labels, bounds = bounds, kind = kind,
        scale = kind == COUNTER and 1 or SCALE })

    local at, err = make_series(m)

    if not at then
        return nil, err
    end
    m.rest = at
    return m
end

-- counter(name, help [, labels]): the metric; or nil and why not.
function _M.counter(name, help, labels)
    check_name(name, "metric")
    return make(counter, COUNTER, name, help, labels)
end

function _M.gauge(name, help, labels)
    check_name(name, "metric")
    return make(gauge, GAUGE, name, help, labels)
end

-- buckets: upper bounds, in any order; Prometheus' own if nil.
function _M.histogram(name, help, labels, buckets)
    check_name(name, "metric")
    return make(histogram, HISTOGRAM, name, help, labels, make_bounds(buckets))
end

return _M
