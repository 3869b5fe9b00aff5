-- load.lua - asks for one package after the other and compares each answer with what it must be.
--   wrk -t N -c N -s load.lua URL -- MODE FILE      FILE: lines "NAME ANSWER"
-- As many threads as connections, so that an answer belongs to the last question of its thread.

local threads = {}

function setup(thread)
    table.insert(threads, thread)
    thread:set("number", #threads)
end

function init(args)
    questions, answers = {}, {}
    right, wrong, gone = 0, 0, 0
    first_wrong = ""
    for line in io.lines(args[2]) do
        local name, answer = line:match("^(%S+) (.*)$")
        table.insert(questions, wrk.format("GET", "/" .. args[1] .. "/package/" .. name))
        table.insert(answers, answer)
    end
    at = number * 37 % #questions + 1
end

function request()
    at = at % #questions + 1
    return questions[at]
end

function response(status, headers, body)
    if status == 200 and body == answers[at] then
        right = right + 1
    elseif status == 502 then -- nginx lost the worker that had the request
        gone = gone + 1
    else
        wrong = wrong + 1
        if first_wrong == "" then
            first_wrong = questions[at]:match("^[^\r\n]*") .. " gave " .. status .. ": " .. body:sub(1, 300)
        end
    end
end

-- One line for each figure: "NAME VALUE".
function done(summary, latency, requests)
    local sum = { right = 0, wrong = 0, gone = 0 }
    local text = ""
    for _, thread in ipairs(threads) do
        for name in pairs(sum) do
            sum[name] = sum[name] + thread:get(name)
        end
        if text == "" then
            text = thread:get("first_wrong")
        end
    end
    for name, count in pairs(sum) do
        print("@" .. name, count)
    end
    print("@broken", summary.errors.read + summary.errors.write)
    print("@refused", summary.errors.connect)
    print("@late", summary.errors.timeout)
    print("@microseconds", summary.duration)
    print("@median", latency:percentile(50))
    print("@p99", latency:percentile(99))
    print("@first_wrong", (text:gsub("%s", " ")))
end
