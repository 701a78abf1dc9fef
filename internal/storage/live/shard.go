package live

import (
	"strings"
	"sync"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

const (
	// expireStep is the most players who are gone that a Touch removes: more than the one it adds, so that they cannot
	// pile up, and few enough that no heartbeat waits.
	expireStep = 64

	// stepsBack is the most places that a player is moved back to the right one when times come out of order: more than
	// there are callers at once. A player who belongs further back is removed later than due.
	stepsBack = 32

	// worthKeeping is how many empty places a shard keeps for the next players.
	worthKeeping = 1024
)

type (
	roomKey   uint64 // of a project
	playerKey uint64 // of a player in a project
	crowdKey  uint64 // of a network's players in a project; 0 is none
	place     int32  // index into shard.all; 0 is none
)

// shard holds the players of some projects. They stand in two rows, both by the time they were last seen: one of all
// players, at whose head those who are gone are found without a search, and one for each project, at whose head the one
// to be replaced is found. So a count is a stored number, not a search.
type shard struct {
	mu     sync.Mutex
	all    []player // the first is not used
	places map[playerKey]place
	rooms  map[roomKey]room
	crowds map[crowdKey]gathering
	order  row
	free   place // the first of the empty places, linked in place of the order
	latest int64 // the latest time seen
}

// player takes 48 bytes here, and about 30 in places.
type player struct {
	key   playerKey
	room  roomKey
	crowd crowdKey // the narrowest
	seen  int64    // ns since 1970
	links [2]link
}

// The two rows a player stands in.
const (
	inShard = iota
	inRoom
)

type (
	row  struct{ first, last place }
	link struct{ prev, next place }
	room struct {
		id    sandlot.ProjectID
		order row
		n     int32
	}
)

// A visitor is the player of a Touch.
type visitor struct {
	id     sandlot.ProjectID
	room   roomKey
	player playerKey
	crowds []crowdLimit // narrowest first
}

type crowdLimit struct {
	key  crowdKey
	most int32
}

func (v visitor) narrowest() crowdKey {
	if len(v.crowds) == 0 {
		return 0
	}
	return v.crowds[0].key
}

// gathering is the number of a network's players in a project, and the network around it.
type gathering struct {
	n     int32
	wider crowdKey
}

// full reports whether one of the crowds has no room for another player.
func (s *shard) full(crowds []crowdLimit) bool {
	for _, c := range crowds {
		if s.crowds[c.key].n >= c.most {
			return true
		}
	}
	return false
}

// gather counts a new player in its crowds.
func (s *shard) gather(crowds []crowdLimit) {
	for i, c := range crowds {
		g := s.crowds[c.key]
		if g.n++; i+1 < len(crowds) {
			g.wider = crowds[i+1].key
		}
		s.crowds[c.key] = g
	}
}

// scatter removes a player from its crowds.
func (s *shard) scatter(key crowdKey) {
	for key != 0 {
		g := s.crowds[key]
		if g.n--; g.n <= 0 {
			delete(s.crowds, key)
		} else {
			s.crowds[key] = g
		}
		key = g.wider
	}
}

// add puts a new player of a project into both rows.
func (s *shard) add(v visitor, now int64) {
	if s.places == nil {
		s.all = make([]player, 1, 8)
		s.places = make(map[playerKey]place)
		s.rooms = make(map[roomKey]room)
		s.crowds = make(map[crowdKey]gathering)
	}
	i := s.free
	if i != 0 {
		s.free = s.all[i].links[inShard].next
	} else {
		i = place(len(s.all))
		s.all = append(s.all, player{})
	}
	s.all[i] = player{key: v.player, room: v.room, crowd: v.narrowest(), seen: now}
	s.places[v.player] = i
	s.gather(v.crowds)
	r, known := s.rooms[v.room]
	if !known {
		r.id = sandlot.ProjectID(strings.Clone(string(v.id))) // a copy, so as not to keep a larger string in memory
	}
	r.n++
	s.insert(&r.order, inRoom, i)
	s.insert(&s.order, inShard, i)
	s.rooms[v.room] = r
}

// move records that a player was seen again. A time earlier than the known one changes nothing.
func (s *shard) move(i place, now int64) {
	if now <= s.all[i].seen {
		return
	}
	s.all[i].seen = now
	r := s.rooms[s.all[i].room]
	s.unlink(&r.order, inRoom, i)
	s.insert(&r.order, inRoom, i)
	s.unlink(&s.order, inShard, i)
	s.insert(&s.order, inShard, i)
	s.rooms[s.all[i].room] = r
}

func (s *shard) remove(i place) {
	p := s.all[i]
	r := s.rooms[p.room]
	s.unlink(&r.order, inRoom, i)
	s.unlink(&s.order, inShard, i)
	if r.n--; r.n == 0 {
		delete(s.rooms, p.room)
	} else {
		s.rooms[p.room] = r
	}
	delete(s.places, p.key)
	s.scatter(p.crowd)
	s.all[i] = player{}
	s.all[i].links[inShard].next = s.free
	s.free = i
	if len(s.places) == 0 && len(s.all) > worthKeeping {
		s.forget() // maps and slices never shrink by themselves
	}
}

// forget removes all players and frees their memory.
func (s *shard) forget() {
	s.all, s.places, s.rooms, s.crowds, s.order, s.free = nil, nil, nil, nil, row{}, 0
}

// expire removes at most so many players who are gone.
func (s *shard) expire(now int64, most int) {
	if s.latest-now >= int64(gallery.Presence) {
		// The clock was set back, and times from before it mean nothing any more.
		s.forget()
		s.latest = now
	}
	s.latest = max(s.latest, now)
	for range most {
		i := s.order.first
		if i == 0 || now-s.all[i].seen < int64(gallery.Presence) {
			return
		}
		s.remove(i)
	}
}

// insert puts a player behind those who were seen earlier: at the end, or a few places from it.
func (s *shard) insert(r *row, which int, i place) {
	after := r.last
	for range stepsBack {
		if after == 0 || s.all[after].seen <= s.all[i].seen {
			break
		}
		after = s.all[after].links[which].prev
	}
	before := r.first
	if after != 0 {
		before = s.all[after].links[which].next
	}
	s.all[i].links[which] = link{after, before}
	s.join(r, which, after, i)
	s.join(r, which, i, before)
}

func (s *shard) unlink(r *row, which int, i place) {
	l := s.all[i].links[which]
	s.join(r, which, l.prev, l.next)
}

// join makes a and b neighbours; 0 for a is the head of the row, for b its end.
func (s *shard) join(r *row, which int, a, b place) {
	if a == 0 {
		r.first = b
	} else {
		s.all[a].links[which].next = b
	}
	if b == 0 {
		r.last = a
	} else {
		s.all[b].links[which].prev = a
	}
}
