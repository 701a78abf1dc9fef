// Package redis counts the players who are present, for several nodes together, through a Redis or Valkey server.
//
// Each node counts its own players in memory, at once. Once a second it reports the players seen since the last report
// to the server, and reads how many are present in the projects in use here. No call of [Live] waits for the server,
// and none fails because of it.
//
// On the server, exactly: a player counts once, whichever nodes their heartbeats reach, and no more of a crowd count
// than Most, whichever nodes they reach. The answers of a node follow the server within a second. Until then a player
// who is new on this node counts, also one who is known on another, or whose crowd is already full with players on
// other nodes.
//
// Without the server each node counts its own players. When the server comes back it gets the beats that it missed. If
// it has lost everything, the heartbeats of the next gallery.Presence restore it, and until then a node answers with
// its own count if that is larger.
package redis

import (
	"context"
	"net/netip"
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
	// waitMost bounds the waiting heartbeats, at some 200 bytes each. A player has one in 20 s: this many per second
	// are those of a million players. Heartbeats beyond it are not sent, and count on this node alone.
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
	since   func() time.Duration // since the node began, whatever is done to its clock
	players *redis.Hash
	crowds  *redis.Hash
	names   *redis.Hash
	// clock replaces the server's, if it is set.
	clock func() time.Time

	syncing sync.Mutex
	exchange

	mu      sync.Mutex
	waiting waiting
	rooms   map[sandlot.ProjectID]*room
	whole   time.Duration // since when the server has all beats; since begin
}

var _ gallery.Live = (*Live)(nil)

// New returns the Live of a node on which nobody plays yet. The clock is the one by which its methods are called; it
// need not be that of other nodes, or of the server. The bound of players in limits is for this node; on the server all
// nodes together keep at most limits.PerProject of a project, and forget each after gallery.Presence.
func New(client *redis.Client, limits live.Limits, now func() time.Time) *Live {
	limits = limits.WithDefaults()
	begin := time.Now()
	return &Live{
		client: client, memory: live.NewMemory(limits), limits: limits, now: now, since: func() time.Duration { return time.Since(begin) },
		players: client.Hash("players"), crowds: client.Hash("crowds"), names: client.Hash("projects"),
		waiting: newWaiting(), rooms: map[sandlot.ProjectID]*room{},
	}
}

// room is a project in use on this node: somebody plays it, or queries its players.
type room struct {
	used    time.Duration // time of the last use, since begin
	read    time.Duration // time of the last read from the server, since begin
	known   bool          // whether the server ever answered
	present int           // the server's answer
	telling int           // the increase of this node's players at the time of that read
	more    int           // the increase since then
}

// Touch counts the player as present for gallery.Presence from now, unless one of the player's crowds is full.
func (l *Live) Touch(ctx context.Context, id sandlot.ProjectID, p gallery.PlayerID, now time.Time, of ...gallery.Crowd) error {
	before := l.memory.Present(id, p, now)
	err := l.memory.Touch(ctx, id, p, now, of...)
	after := l.memory.Present(id, p, now)
	b := beat{id: sandlot.ProjectID(strings.Clone(string(id))), player: l.player(id, p), seen: now}
	b.crowds, b.most = l.crowdsOf(id, of)
	l.tell(b, change(before, after))
	return err
}

// Leave counts the player as gone.
func (l *Live) Leave(ctx context.Context, id sandlot.ProjectID, p gallery.PlayerID, now time.Time) error {
	before := l.memory.Present(id, p, now)
	err := l.memory.Leave(ctx, id, p, now)
	l.tell(beat{id: sandlot.ProjectID(strings.Clone(string(id))), player: l.player(id, p), left: true}, change(before, false))
	return err
}

// change returns the change in the number of players.
func change(before, after bool) int {
	switch {
	case after && !before:
		return 1
	case before && !after:
		return -1
	}
	return 0
}

func (l *Live) tell(b beat, more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.use(b.id); r != nil {
		r.more += more
	}
	if !l.waiting.add(b) {
		l.whole = l.since()
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
	r.used = l.since()
	return r
}

// Players returns how many players are present.
func (l *Live) Players(ctx context.Context, id sandlot.ProjectID, now time.Time) (int, error) {
	own, err := l.memory.Players(ctx, id, now)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.use(id)
	return l.count(id, own), err
}

// count returns how many players a project has; own of them are known here. l.mu is held.
func (l *Live) count(id sandlot.ProjectID, own int) int {
	r := l.rooms[id]
	if r == nil || !r.known || l.since()-r.read > holds {
		return own
	}
	n := max(0, r.present+r.telling+r.more)
	if l.since()-l.whole < gallery.Presence {
		return max(own, n)
	}
	return n
}

// player returns the name of a player of a project. It differs in each project, so that nobody can find out which
// others a player plays.
func (l *Live) player(id sandlot.ProjectID, p gallery.PlayerID) string {
	return string(l.players.Sum(string(id), string(p))[:shortHash])
}

// crowdsOf returns the names of a player's crowds, and the most of each.
func (l *Live) crowdsOf(id sandlot.ProjectID, of []gallery.Crowd) (names, most string) {
	for i, c := range of {
		names += string(l.crowds.Sum(string(id), network(c.Network))[:shortHash])
		if i > 0 {
			most += ","
		}
		most += strconv.Itoa(max(0, c.Most))
	}
	return names, most
}

func network(p netip.Prefix) string {
	b, _ := p.MarshalBinary() // never fails
	return string(b)
}
