-- Players of one project tell that they are present, or gone. One call is one step, so that a crowd is bounded for all nodes together.
--
-- KEYS: seen, a sorted set of players by the time at which each was seen last, in ms; crowds, a hash that says of each player which crowds
-- they are of ("p" and the player: the names of the crowds, 8 bytes each, narrowest first), of each crowd how many are of it ("c" and the
-- crowd), and how many players there are ("n").
-- ARGV: now and the presence in ms; the most players; then for each of them the time at which they were seen (0: not), whether they left
-- before, the player, the crowds' names, and the most of each crowd, with commas.
-- Returns how many are present.
local seen, crowds = KEYS[1], KEYS[2]
local now, presence, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local function remove(player)
  if redis.call('ZREM', seen, player) == 0 then return end
  redis.call('HINCRBY', crowds, 'n', -1)
  local of = redis.call('HGET', crowds, 'p' .. player) or ''
  redis.call('HDEL', crowds, 'p' .. player)
  for i = 1, #of, 8 do
    local crowd = 'c' .. string.sub(of, i, i + 7)
    if redis.call('HINCRBY', crowds, crowd, -1) <= 0 then redis.call('HDEL', crowds, crowd) end
  end
end

local function forget(from, to)
  for _, player in ipairs(redis.call('ZRANGEBYSCORE', seen, from, to, 'LIMIT', 0, 1000)) do remove(player) end
end

local function full(of, limits)
  local i = 1
  for limit in string.gmatch(limits, '%d+') do
    if tonumber(redis.call('HGET', crowds, 'c' .. string.sub(of, i, i + 7)) or '0') >= tonumber(limit) then return true end
    i = i + 8
  end
  return false
end

local function touch(player, at, of, limits)
  local last = redis.call('ZSCORE', seen, player)
  if last then
    if redis.call('HGET', crowds, 'p' .. player) == of then
      if at > tonumber(last) then redis.call('ZADD', seen, at, player) end
      return
    end
    remove(player)
  end
  if full(of, limits) then return end
  if redis.call('ZCARD', seen) >= most then remove(redis.call('ZRANGE', seen, 0, 0)[1]) end
  redis.call('ZADD', seen, at, player)
  redis.call('HINCRBY', crowds, 'n', 1)
  redis.call('HSET', crowds, 'p' .. player, of)
  for i = 1, #of, 8 do redis.call('HINCRBY', crowds, 'c' .. string.sub(of, i, i + 7), 1) end
end

-- One of the two may have been evicted, or be of a kind that is not ours: then both begin anew.
local size, noted = redis.pcall('ZCARD', seen), redis.pcall('HGET', crowds, 'n')
if type(size) == 'table' or type(noted) == 'table' or size ~= tonumber(noted or '0') then redis.call('UNLINK', seen, crowds) end

forget('-inf', now - presence)
forget('(' .. (now + presence), '+inf')
for i = 4, #ARGV, 5 do
  local at, left, player = tonumber(ARGV[i]), ARGV[i + 1], ARGV[i + 2]
  if left == '1' then remove(player) end
  if at > 0 and at > now - presence and at <= now + presence then touch(player, at, ARGV[i + 3], ARGV[i + 4]) end
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 2 * presence) end
return redis.call('ZCOUNT', seen, '(' .. (now - presence), now + presence)
