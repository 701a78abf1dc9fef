// Package live counts the players who are present.
//
// A page with an open project sends a heartbeat every 20 seconds; a player without one for gallery.Presence is gone.
// None of this is worth a disk: after a restart the next heartbeats restore the counts.
//
// [Memory] counts in one process. Package redis, below, counts for several.
package live

import (
	"cmp"
	"context"
	"hash/maphash"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

// shards is the number of parts into which the players are split, by project, each with a lock of its own: 64, many
// times the cores that could meet at one.
const shards = 64

// Limits bound the memory that players take: 90 bytes each, and up to 220 if each
// plays another project, or comes from a network of its own. Zero means the default.
type Limits struct {
	// Players is the most that are counted in all: 1,000,000, which is 220 MB at most. Beyond it, a new player takes
	// the place of the one in the same shard who was silent the longest.
	Players int
	// PerProject is the most that are counted for one project: 100,000, so that no project, however many players are
	// made up for it, takes more than a tenth of the room. Beyond it, a new player takes the place of that project's
	// player who was silent the longest.
	PerProject int
}

// WithDefaults returns the limits with defaults in place of zeros.
func (l Limits) WithDefaults() Limits {
	if l.Players <= 0 {
		l.Players = 1_000_000
	}
	if l.PerProject <= 0 {
		l.PerProject = 100_000
	}
	return l
}

// Memory is gallery.Live in the memory of one process. The count is exact: a player touched at s is present at t if t-s
// < gallery.Presence. The methods may be called concurrently, take about a microsecond whatever the number of players,
// and never fail. They keep no identifiers of players, only hashes with a seed of this process.
//
// Times may come out of order by as much as concurrent callers can be apart. If the clock is set back by less than
// Presence, players who leave in that time without a goodbye may be counted for up to Presence longer; if it is set
// back further, all are forgotten until their next heartbeat.
type Memory struct {
	limits Limits
	seed   maphash.Seed
	total  atomic.Int64  // players in all shards
	turn   atomic.Uint32 // the shard to tidy next
	shards [shards]shard
}

var _ gallery.Live = (*Memory)(nil)

// NewMemory returns a Memory with the limits.
func NewMemory(limits Limits) *Memory {
	return &Memory{limits: limits.WithDefaults(), seed: maphash.MakeSeed()}
}

// Touch counts the player as present for gallery.Presence from now, unless one of the player's crowds is full.
func (m *Memory) Touch(_ context.Context, id sandlot.ProjectID, p gallery.PlayerID, now time.Time, of ...gallery.Crowd) error {
	room, player := m.hash(id, p)
	if m.touch(m.shard(room), visitor{id, room, player, m.networks(room, of)}, now.UnixNano()) {
		// Each addition to the memory also clears some of it: a shard that nobody visits any more would keep its
		// players for ever.
		m.tidy(&m.shards[m.turn.Add(1)%shards], now.UnixNano())
	}
	return nil
}

// Leave counts the player as gone.
func (m *Memory) Leave(_ context.Context, id sandlot.ProjectID, p gallery.PlayerID, _ time.Time) error {
	room, player := m.hash(id, p)
	s := m.shard(room)
	defer m.enter(s)()
	if i, ok := s.places[player]; ok {
		s.remove(i)
	}
	return nil
}

// Players returns how many players are present.
func (m *Memory) Players(_ context.Context, id sandlot.ProjectID, now time.Time) (int, error) {
	room, _ := m.hash(id, "")
	s := m.shard(room)
	defer m.enter(s)()
	s.expire(now.UnixNano(), len(s.places))
	return int(s.rooms[room].n), nil
}

// All returns the number of players of all projects.
func (m *Memory) All(now time.Time) int {
	all := 0
	for i := range m.shards {
		s := &m.shards[i]
		leave := m.enter(s)
		s.expire(now.UnixNano(), len(s.places))
		all += len(s.places)
		leave()
	}
	return all
}

// Present reports whether the player is counted.
func (m *Memory) Present(id sandlot.ProjectID, p gallery.PlayerID, now time.Time) bool {
	room, player := m.hash(id, p)
	s := m.shard(room)
	defer m.enter(s)()
	s.expire(now.UnixNano(), expireStep)
	i, there := s.places[player]
	return there && now.UnixNano()-s.all[i].seen < int64(gallery.Presence)
}

// A Crowd is a project with its players.
type Crowd struct {
	ID      sandlot.ProjectID
	Players int
}

// Largest returns the projects with the most players, at most limit, by their IDs among equals.
func Largest(all []Crowd, limit int) []sandlot.ProjectID {
	slices.SortFunc(all, func(a, b Crowd) int { return cmp.Or(cmp.Compare(b.Players, a.Players), cmp.Compare(a.ID, b.ID)) })
	ids := make([]sandlot.ProjectID, 0, min(limit, len(all)))
	for _, c := range all[:min(limit, len(all))] {
		ids = append(ids, c.ID)
	}
	return ids
}

// Busiest returns the projects that have players present. It checks every project that has some, in about a tenth of a
// microsecond each, one shard at a time: projects may change their ranks meanwhile.
func (m *Memory) Busiest(_ context.Context, limit int, now time.Time) ([]sandlot.ProjectID, error) {
	var all []Crowd
	for i := range m.shards {
		s := &m.shards[i]
		leave := m.enter(s)
		s.expire(now.UnixNano(), len(s.places))
		for _, r := range s.rooms {
			all = append(all, Crowd{r.id, int(r.n)})
		}
		leave()
	}
	return Largest(all, limit), nil
}

// hash makes short keys of identifiers that clients may choose as long as they like. The chance that two of a million
// players meet in 64 bits is one in 30 million; it would make the count one too small.
func (m *Memory) hash(id sandlot.ProjectID, p gallery.PlayerID) (room roomKey, player playerKey) {
	room = roomKey(maphash.Comparable(m.seed, id))
	type pair struct {
		room roomKey
		p    gallery.PlayerID
	}
	return room, playerKey(maphash.Comparable(m.seed, pair{room, p}))
}

// networks makes short keys of the networks of a player of a project.
func (m *Memory) networks(room roomKey, of []gallery.Crowd) []crowdLimit {
	if len(of) == 0 {
		return nil
	}
	type pair struct {
		room    roomKey
		network netip.Prefix
	}
	list := make([]crowdLimit, len(of))
	for i, c := range of {
		list[i] = crowdLimit{crowdKey(maphash.Comparable(m.seed, pair{room, c.Network})), int32(c.Most)}
	}
	return list
}

func (m *Memory) shard(room roomKey) *shard { return &m.shards[room%shards] }

// enter locks a shard. The returned function adds the changes to the total, and unlocks.
func (m *Memory) enter(s *shard) (leave func()) {
	s.mu.Lock()
	before := len(s.places)
	return func() {
		m.total.Add(int64(len(s.places) - before))
		s.mu.Unlock()
	}
}

// touch reports whether the player is a new one.
func (m *Memory) touch(s *shard, v visitor, now int64) bool {
	defer m.enter(s)()
	s.expire(now, expireStep)
	i, present := s.places[v.player]
	if present && s.all[i].crowd == v.narrowest() {
		s.move(i, now)
		return false
	}
	if present { // the player comes from another network now
		s.remove(i)
	}
	if s.full(v.crowds) {
		s.expire(now, len(s.places)) // players who are gone do not count in a crowd
		if s.full(v.crowds) {
			return false
		}
	}
	switch {
	case int(s.rooms[v.room].n) >= m.limits.PerProject:
		s.remove(s.rooms[v.room].order.first)
	case m.total.Load() >= int64(m.limits.Players) && s.order.first != 0:
		s.remove(s.order.first)
	}
	s.add(v, now)
	return true
}

// tidy removes a few of a shard's players who are gone, unless it is in use.
func (m *Memory) tidy(s *shard, now int64) {
	if !s.mu.TryLock() {
		return
	}
	before := len(s.places)
	s.expire(now, expireStep)
	m.total.Add(int64(len(s.places) - before))
	s.mu.Unlock()
}
