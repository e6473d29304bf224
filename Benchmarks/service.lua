-- wrk -s service.lua URL -- REQUESTS THREADS REPLIES: play requests that `mamd load --prepare` wrote, check every status, and keep one
-- reply in a hundred for `mamd load --verify`.

local threads = {}

function setup(thread)
    thread:set("id", #threads)
    table.insert(threads, thread)
end

local requests, sent, received, stride = {}, 0, 0, 1
refused = 0

function init(arguments)
    local file = assert(io.open(arguments[1], "rb"))
    stride = tonumber(arguments[2])
    kept = assert(io.open(arguments[3] .. "." .. id, "w"))
    local number = 0
    while true do
        local length = file:read(4)
        if not length then break end
        local a, b, c, d = length:byte(1, 4)
        local request = file:read(((a * 256 + b) * 256 + c) * 256 + d)
        if number % stride == id then table.insert(requests, request) end
        number = number + 1
    end
    file:close()
end

function request()
    local index = sent % #requests
    sent = sent + 1
    return requests[index + 1]
end

function response(status, headers, body)
    if status ~= 200 then refused = refused + 1 end
    received = received + 1
    if received % 100 == 0 and sent <= #requests then
        local found = {}
        for name, value in pairs(headers) do found[name:lower()] = value end
        kept:write((sent - 1) * stride + id, "\n", status, "\n", found["content-digest"] or "", "\n",
            found["signature-input"] or "", "\n", found["signature"] or "", "\n", body, "\n")
    end
end

function done(summary, latency)
    local bad = 0
    for _, thread in ipairs(threads) do bad = bad + thread:get("refused") end
    local errors = summary.errors
    io.write(string.format('\n{"requests":%d,"seconds":%f,"refused":%d,"errors":%d,"ended":%d,"median":%f,"p99":%f}\n',
        summary.requests, summary.duration / 1e6, bad, errors.connect + errors.write + errors.timeout, errors.read,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
