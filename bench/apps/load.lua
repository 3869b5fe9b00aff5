-- load.lua - asks for one page after the other; an answer is right if its status is 200 and its text ends as it must. An
-- answer that stops before the last tag was cut off with its worker.
--   wrk -t N -c N -s load.lua URL -- FILE      FILE: lines "PATH<tab>END"; END has \n for a new line
-- As many threads as connections, so that an answer belongs to the last question of its thread.

local threads = {}

function setup(thread)
    table.insert(threads, thread)
    thread:set("number", #threads)
end

function init(args)
    questions, ends = {}, {}
    right, wrong, gone = 0, 0, 0
    first_wrong = ""
    for line in io.lines(args[1]) do
        local path, last = line:match("^(%S+)\t(.*)$")
        table.insert(questions, wrk.format("GET", path))
        table.insert(ends, (last:gsub("\\n", "\n")))
    end
    at = number * 7 % #questions + 1
end

function request()
    at = at % #questions + 1
    return questions[at]
end

function response(status, headers, body)
    if status == 200 and body:sub(-#ends[at]) == ends[at] then
        right = right + 1
    elseif status == 502 or status == 504 then -- nginx lost the worker that had the request
        gone = gone + 1
    elseif status == 200 and body:sub(-4) ~= ends[at]:sub(-4) then
        gone = gone + 1
    else
        wrong = wrong + 1
        first_wrong = questions[at]:match("^[^\r\n]*") .. " gave " .. status .. ": " .. body:sub(1, 100) .. " ... " .. body:sub(-100)
    end
end

function done(summary, latency, requests)
    local sum = { right = 0, wrong = 0, gone = 0 }
    local text = ""
    for _, thread in ipairs(threads) do
        for name in pairs(sum) do
            sum[name] = sum[name] + thread:get(name)
        end
        text = text == "" and thread:get("first_wrong") or text
    end
    for name, count in pairs(sum) do
        print("@" .. name, count)
    end
    print("@broken", summary.errors.read + summary.errors.write)
    print("@late", summary.errors.timeout)
    print("@microseconds", summary.duration)
    print("@p99", latency:percentile(99))
    print("@first_wrong", (text:gsub("%s", " ")))
end
