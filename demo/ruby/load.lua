-- wrk: asks for items, some more often than others, and checks that each answer is what it was before.
local threads = {}
local items = 1000

function setup(thread)
    thread:set("seed", #threads + 1)
    table.insert(threads, thread)
end

function init()
    math.randomseed(seed * 7919)
    right, wrong, hits = 0, 0, 0
    known = {}
end

function request()
    return wrk.format("GET", "/item?" .. math.floor(items * math.random() ^ 2))
end

function response(status, headers, body)
    local number, digest, state = body:match("^(%d+):(%x+):(%a+)$")
    if status ~= 200 or number == nil or (known[number] ~= nil and known[number] ~= digest) then
        wrong = wrong + 1
        first_wrong = first_wrong or status .. " " .. body:sub(1, 200):gsub("%s+", " ")
        return
    end
    known[number] = digest
    right = right + 1
    if state == "hit" then
        hits = hits + 1
    end
end

function done(summary, latency)
    local right, wrong, hits = 0, 0, 0
    for _, thread in ipairs(threads) do
        right = right + thread:get("right")
        wrong = wrong + thread:get("wrong")
        hits = hits + thread:get("hits")
    end
    for _, thread in ipairs(threads) do
        if thread:get("first_wrong") then
            io.write("WRONG " .. thread:get("first_wrong") .. "\n")
        end
    end
    local lost = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
    io.write(string.format("RESULT %d %d %d %d %f %f %f\n", right, wrong, hits, lost, summary.duration / 1e6,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
