// Package redis counts who is playing now, for several nodes together, through a Redis or Valkey
// server.
//
// Each node counts its own players in memory, at once. Once a second it tells the server who was
// seen since it told last, and reads how many are present of the projects in use here. No call of
// [Live] waits for the server, and none fails for it.
//
// What holds on the server, exactly: a player counts once, whichever nodes their heartbeats reach,
// and no more of a crowd count than Most, whichever nodes they reach. What a node answers follows
// the server within a second. Until then a player who is new on this node counts, also one who is
// known on another, or of whose crowd as many as may count came to other nodes.
//
// Without the server each node counts what it sees itself. When the server comes back it is told
// what it missed. When it has lost everything, the heartbeats of the next gallery.Presence tell it
// again, and so long a node answers with its own count where that is larger.
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
	// syncEvery is how often the server is told and asked.
	syncEvery = time.Second
	// holds is how long an answer of the server counts: a few may fail.
	holds = 4 * time.Second
	// waitMost bounds the heartbeats that wait to be told, at some 200 bytes each. A player has one in
	// 20 s: as many as this a second are those of a million players. What comes beyond it is not told,
	// and counts on this node alone.
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
	since   func() time.Duration // since the node began, whoever sets its clock
	players *redis.Hash
	crowds  *redis.Hash
	names   *redis.Hash
	// clock is the server's, if it is not to be asked.
	clock func() time.Time

	syncing sync.Mutex
	exchange

	mu      sync.Mutex
	waiting waiting
	rooms   map[sandlot.ProjectID]*room
	whole   time.Duration // since when the server knows all that it was to be told; since begin
}

var _ gallery.Live = (*Live)(nil)

// New makes a Live of a node on which nobody plays yet. The clock is the one by which its methods
// are called; it need not be that of other nodes, or of the server. The bound of players in limits
// is for this node; on the server all nodes together keep at most limits.PerProject of a project,
// and forget each after gallery.Presence.
func New(client *redis.Client, limits live.Limits, now func() time.Time) *Live {
	limits = limits.WithDefaults()
	begin := time.Now()
	return &Live{
		client: client, memory: live.NewMemory(limits), limits: limits, now: now, since: func() time.Duration { return time.Since(begin) },
		players: client.Hash("players"), crowds: client.Hash("crowds"), names: client.Hash("projects"),
		waiting: newWaiting(), rooms: map[sandlot.ProjectID]*room{},
	}
}

// room is a project that is in use on this node: somebody plays it, or asks how many do.
type room struct {
	used    time.Duration // when last, since begin
	read    time.Duration // when the server was asked, since begin
	known   bool          // whether it ever answered
	present int           // its answer
	telling int           // by how much the players of this node were more than before, when it was asked
	more    int           // by how much they are more since
}

// Touch counts the player as present for gallery.Presence from now, unless a crowd that it is of is
// full.
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

// change is by how much there are more players.
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

// use returns the room of a project that is in use from now on, nil if there are too many. l.mu is
// held.
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

// count is how many players a project has of whom own are known here. l.mu is held.
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

// player is the name of a player of a project. It is another one in each project, so that nobody can
// tell what else a player plays.
func (l *Live) player(id sandlot.ProjectID, p gallery.PlayerID) string {
	return string(l.players.Sum(string(id), string(p))[:shortHash])
}

// crowdsOf are the names of the crowds of a player, and the most of each.
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
	b, _ := p.MarshalBinary() // has no error
	return string(b)
}
