-- All nodes together spend from one bucket.
-- KEYS: when it is full again, in microseconds of this server's clock; nothing where it is.
-- ARGV: by how much later that is for what was spent, and how far ahead it may be.
-- Returns how far ahead it is.
local time = redis.call('TIME')
local now, add, most = time[1] * 1000000 + time[2], tonumber(ARGV[1]), tonumber(ARGV[2])
local found = redis.pcall('GETRANGE', KEYS[1], 0, 31)
local full = type(found) == 'string' and tonumber(found) or now
if not (full > now) then full = now end
full = math.min(full + add, now + most)
if full > now then
  redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', string.format('%.0f', math.ceil((full - now) / 1000)))
end
return math.floor(full - now)
