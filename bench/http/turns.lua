-- turns.lua - asks for several pages in turns of 100 ms, each of which must answer with the same text.
--   wrk -t 1 -s turns.lua URL -- TEXT PATH PATH...
-- The pages take turns in an order that is drawn anew, and each of them once before any has a second turn: what else the machine
-- does meets all alike. Needs a wrk with LuaJIT, for a clock.

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds, nanoseconds; } moment; int clock_gettime(int, moment *);")
local CLOCK_MONOTONIC, TURN = 1, 0.1
local moment = ffi.new("moment")
local thread

local function now()
    ffi.C.clock_gettime(CLOCK_MONOTONIC, moment)
    return tonumber(moment.seconds) + tonumber(moment.nanoseconds) / 1e9
end

function setup(it)
    thread = it
end

function init(args)
    expected = table.remove(args, 1)
    pages = {}
    for i, path in ipairs(args) do
        pages[i] = { request = wrk.format("GET", path), asked = 0, seconds = 0 }
    end
    math.randomseed(os.time())
    right, wrong, first_wrong, asked, seconds = 0, 0, "", "", ""
    order, turn = {}, #pages
    began = now()
end

local function shuffle()
    for i = 1, #pages do
        local j = math.random(i)
        order[i] = order[j]
        order[j] = i
    end
end

function request()
    local time = now()
    if page == nil or time - began >= TURN then
        if page ~= nil then
            page.seconds = page.seconds + time - began
        end
        turn = turn % #pages + 1
        if turn == 1 then
            shuffle()
        end
        page, began = pages[order[turn]], time
        asked, seconds = "", ""
        for _, each in ipairs(pages) do
            asked = asked .. each.asked .. " "
            seconds = seconds .. each.seconds .. " "
        end
    end
    page.asked = page.asked + 1
    return page.request
end

function response(status, headers, body)
    if status == 200 and body == expected then
        right = right + 1
    else
        wrong = wrong + 1
        first_wrong = first_wrong == "" and status .. ": " .. body:sub(1, 300) or first_wrong
    end
end

-- One line for each figure: "@NAME VALUE". The last turn is cut off: asked and seconds are without it.
function done(summary, latency, requests)
    for _, name in ipairs({ "right", "wrong", "asked", "seconds" }) do
        print("@" .. name, thread:get(name))
    end
    print("@failed", summary.errors.read + summary.errors.write + summary.errors.connect + summary.errors.timeout)
    print("@first_wrong", (thread:get("first_wrong"):gsub("%s", " ")))
end
