-- What wrk sends, and how it reports. Arguments after "--": mode, file with the request's head, file with the body.
--
--   get     one fixed request without a body
--   fresh   a new Idempotency-Key for every request
--   replay  keys of a set of 64 that the gateway has answered before
--
-- The head's file ends in an empty line; "@KEY@" in it stands for the key. The key's prefix is the fourth argument.

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

local threads = 0
function setup(thread)
    thread:set("id", threads)
    threads = threads + 1
end

function init(args)
    local mode, head = args[1], read(args[2])
    if mode == "get" then
        request = function() return head end
        return
    end
    local body, prefix = read(args[3]), args[4]
    local front, back = head:match("^(.*)@KEY@(.*)$")
    if mode == "fresh" then
        front, back = front .. prefix .. "-" .. id .. "-", back .. body
        local n = 0
        request = function()
            n = n + 1
            return front .. n .. back
        end
    else
        local requests, n = {}, 0
        for i = 0, 63 do requests[i] = front .. prefix .. "-" .. i .. back .. body end
        request = function()
            n = (n + 1) % 64
            return requests[n]
        end
    end
end

function done(summary, latency)
    local e = summary.errors
    print(string.format(
        'RESULT {"requests":%d,"micros":%d,"status":%d,"socket":%d,"timeout":%d,"p50":%d,"p99":%d}',
        summary.requests, summary.duration, e.status, e.connect + e.read + e.write, e.timeout,
        latency:percentile(50), latency:percentile(99)))
end
