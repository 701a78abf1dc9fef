// Package redis counts the players who are present, for several nodes together, through a Redis or Valkey server.
//
// Each node counts its own players in memory, at once. Once a second it reports the players seen since the last report
// to the server, and reads how many are present in the projects in use here. No call of [Live] waits for the server,
// and none fails because of it.
//
// On the server, exactly: a player counts once, whichever nodes their heartbeats reach, and no more of a crowd count
// than Most, whichever nodes they reach. The answers of a node follow the server within a second. Until then a player
// who is new on this node counts, even if another node counts the player, or if the crowd is full with players on other
// nodes.
//
// Without the server each node counts its own players. When the server comes back, or has lost everything, the next
// heartbeats of the players restore the counts.
package redis

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/live"
	"sandlot/internal/storage/redis"
)

const (
	// syncEvery is the pause between two calls of Sync.
	syncEvery = time.Second
	// holds is how long an answer of the server counts: a few calls may fail.
	holds = 4 * time.Second
	// waitMost bounds the players whose heartbeats wait, at some 200 bytes each. A player has one in 20 s: this many
	// per second are those of a million players. Heartbeats beyond it are not sent, and count on this node alone.
	waitMost = 50_000
	// roomsMost bounds the projects whose players are read each second, at some 150 bytes each.
	roomsMost = 10_000
	// shortHash is how many bytes of a hash stand for a player or a crowd within a project.
	shortHash = 8
)

// Live is gallery.Live for several nodes. Run has to run.
type Live struct {
	client  *redis.Client
	memory  *live.Memory
	limits  live.Limits
	now     func() time.Time
	players redis.Hash
	crowds  redis.Hash
	names   redis.Hash
	steady  func() time.Time // goes on when the node's clock is set
	clock   func() time.Time // replaces the server's, if it is set

	syncing sync.Mutex
	topped  time.Time // when this node reported its most played projects

	mu      sync.Mutex
	waiting map[who]beat
	rooms   map[sandlot.ProjectID]*room
}

var _ gallery.Live = (*Live)(nil)

// New returns the Live of a node on which nobody plays yet. The clock is the one by which its methods are called; it
// need not be that of other nodes, or of the server. The bound of players in limits is for this node; on the server all
// nodes together keep at most limits.PerProject of a project, and forget each after gallery.Presence.
func New(client *redis.Client, limits live.Limits, now func() time.Time) *Live {
	limits = limits.WithDefaults()
	return &Live{
		client: client, memory: live.NewMemory(limits), limits: limits, now: now, steady: time.Now,
		players: client.Hash("players"), crowds: client.Hash("crowds"), names: client.Hash("projects"),
		waiting: map[who]beat{}, rooms: map[sandlot.ProjectID]*room{},
	}
}

// room is a project in use on this node: somebody plays it, or queries its players.
type room struct {
	used    time.Time // the last use
	read    time.Time // the last answer of the server; zero: none yet
	present int       // that answer, with the changes since then on this node
}

// who is a player of a project.
type who struct {
	id     sandlot.ProjectID
	player string
}

// beat is an event of a player for the server: that they left, that they were seen, or first one and then the other.
type beat struct {
	who
	left   bool
	seen   time.Time // zero: not seen
	crowds string
	most   string
}

// Touch counts the player as present for gallery.Presence from now, unless one of the player's crowds is full.
func (l *Live) Touch(ctx context.Context, id sandlot.ProjectID, p gallery.PlayerID, now time.Time, of ...gallery.Crowd) error {
	b := beat{who: l.who(id, p), seen: now}
	for i, c := range of {
		network, _ := c.Network.MarshalBinary() // never fails
		b.crowds += string(l.crowds.Sum(string(id), string(network))[:shortHash])
		if i > 0 {
			b.most += ","
		}
		b.most += strconv.Itoa(max(0, c.Most))
	}
	before := l.memory.Present(id, p, now)
	err := l.memory.Touch(ctx, id, p, now, of...)
	l.keep(b, before, l.memory.Present(id, p, now))
	return err
}

// Leave counts the player as gone.
func (l *Live) Leave(ctx context.Context, id sandlot.ProjectID, p gallery.PlayerID, now time.Time) error {
	before := l.memory.Present(id, p, now)
	err := l.memory.Leave(ctx, id, p, now)
	l.keep(beat{who: l.who(id, p), left: true}, before, false)
	return err
}

// who returns the name of a player of a project. It differs in each project, so that nobody can find out which others a
// player plays.
func (l *Live) who(id sandlot.ProjectID, p gallery.PlayerID) who {
	return who{sandlot.ProjectID(strings.Clone(string(id))), string(l.players.Sum(string(id), string(p))[:shortHash])}
}

// keep keeps a beat for the next Sync, and counts whether the player was and is present on this node.
func (l *Live) keep(b beat, before, after bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.use(b.id); r != nil {
		if after && !before {
			r.present++
		} else if before && !after {
			r.present--
		}
	}
	last, waits := l.waiting[b.who]
	if waits || len(l.waiting) < waitMost {
		b.left = b.left || last.left
		l.waiting[b.who] = b
	}
}

// use returns the room of a project that is in use from now on, nil if there are too many. l.mu is held.
func (l *Live) use(id sandlot.ProjectID) *room {
	r := l.rooms[id]
	if r == nil {
		if len(l.rooms) >= roomsMost {
			return nil
		}
		r = &room{}
		l.rooms[sandlot.ProjectID(strings.Clone(string(id)))] = r
	}
	r.used = l.steady()
	return r
}

// Players returns how many players are present.
func (l *Live) Players(ctx context.Context, id sandlot.ProjectID, now time.Time) (int, error) {
	own, err := l.memory.Players(ctx, id, now)
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.use(id); r != nil && !r.read.IsZero() && l.steady().Sub(r.read) <= holds {
		return max(0, r.present), err
	}
	return own, err
}

// All returns the number of players of all projects whose heartbeats come to this node.
func (l *Live) All(now time.Time) int { return l.memory.All(now) }

// Busiest returns the projects that have players present, most players first, by their IDs among equals. It knows those
// that are played or queried on this node, and those that are among the 50 most played on another, at most ten seconds
// later.
func (l *Live) Busiest(ctx context.Context, limit int, now time.Time) ([]sandlot.ProjectID, error) {
	known, err := l.memory.Busiest(ctx, max(limit, topsRead), now)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	for id, r := range l.rooms {
		if r.present > 0 {
			known = append(known, id)
		}
	}
	l.mu.Unlock()
	slices.Sort(known)
	var all []live.Crowd
	for _, id := range slices.Compact(known) {
		n, err := l.Players(ctx, id, now)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			all = append(all, live.Crowd{ID: id, Players: n})
		}
	}
	return live.Largest(all, limit), nil
}
