-- load.lua - asks for one page again and again and checks each answer.
--   wrk -t 1 -s load.lua URL -- [TEXT]      TEXT: what each answer must be; without: a number, none of them twice
-- One thread, so that all answers are seen in one place.

local thread

function setup(it)
    thread = it
end

function init(args)
    expected = args[1]
    seen = {}
    right, wrong, gone, twice, low, high = 0, 0, 0, 0, math.huge, 0
    first_wrong = ""
end

local function count(value)
    if seen[value] then -- an increment that was lost gives a number again
        twice = twice + 1
    end
    seen[value] = true
    low = math.min(low, value)
    high = math.max(high, value)
end

function response(status, headers, body)
    local value = expected == nil and tonumber(body) or nil
    if status == 200 and (value or body == expected) then
        right = right + 1
        if value then
            count(value)
        end
    elseif status == 502 then -- nginx lost the worker that had the request
        gone = gone + 1
    else
        wrong = wrong + 1
        if first_wrong == "" then
            first_wrong = status .. ": " .. body:sub(1, 300)
        end
    end
end

-- One line for each figure: "@NAME VALUE".
function done(summary, latency, requests)
    for _, name in ipairs({ "right", "wrong", "gone", "twice" }) do
        print("@" .. name, thread:get(name))
    end
    local low = thread:get("low")
    print("@low", low == math.huge and 0 or low)
    print("@high", thread:get("high"))
    print("@broken", summary.errors.read + summary.errors.write)
    print("@refused", summary.errors.connect)
    print("@late", summary.errors.timeout)
    print("@microseconds", summary.duration)
    print("@median", latency:percentile(50))
    print("@p99", latency:percentile(99))
    print("@first_wrong", (thread:get("first_wrong"):gsub("%s", " ")))
end
