-- wrk -s service.lua URL -- REQUESTS STRIDE [REPLIES]: play requests that `mamd load sign` wrote, each thread every STRIDE-th of them. wrk
-- counts the statuses that refuse. With REPLIES each has to be 200, and each reply is kept for `mamd load verify`: for a script that sees
-- replies wrk makes tables of their fields.

local threads = {}

function setup(thread)
    thread:set("id", #threads)
    table.insert(threads, thread)
end

local requests, sent, stride, kept = {}, 0, 1, nil
refused = 0

function init(arguments)
    local file = assert(io.open(arguments[1], "rb"))
    stride = tonumber(arguments[2])
    if arguments[3] then
        kept = assert(io.open(arguments[3], "w"))
        response = keep
    end
    local number = 0
    while true do
        local length = file:read(4)
        if not length then break end
        local a, b, c, d = length:byte(1, 4)
        local size = ((a * 256 + b) * 256 + c) * 256 + d
        if number % stride == id then
            table.insert(requests, file:read(size))
        else
            file:seek("cur", size)
        end
        number = number + 1
    end
    file:close()
end

function request()
    sent = sent + 1
    return requests[(sent - 1) % #requests + 1]
end

function keep(status, headers, body)
    if status ~= 200 then refused = refused + 1 end
    assert(sent <= #requests, "there are too few requests")
    local found = {}
    for name, value in pairs(headers) do found[name:lower()] = value end
    kept:write((sent - 1) * stride + id, "\n", status, "\n", found["content-digest"] or "", "\n",
        found["signature-input"] or "", "\n", found["signature"] or "", "\n", body, "\n")
end

function done(summary, latency)
    local bad = summary.errors.status
    for _, thread in ipairs(threads) do bad = bad + thread:get("refused") end
    local errors = summary.errors
    io.write(string.format('\n{"requests":%d,"seconds":%f,"refused":%d,"errors":%d,"ended":%d,"median":%f,"p99":%f}\n',
        summary.requests, summary.duration / 1e6, bad, errors.connect + errors.write + errors.timeout, errors.read,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
