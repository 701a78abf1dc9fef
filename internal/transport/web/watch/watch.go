// Package watch sends a project's numbers to those who look at its page, as they change.
package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
)

const (
	// Most bounds the streams where nothing else does: twice what one popular project is to have. At some 9 KiB each, as measured, they take 180 MB.
	Most = 20_000
	// maxWatchersOf bounds those of one address, of clients without limits excepted: a school behind one address looks at a game, and each browser has one for each page it shows.
	maxWatchersOf = 200
	// watchAgain is when to try again: people look at a page for minutes. Until then the page asks for its numbers instead.
	watchAgain = time.Minute
	// tellEvery is how often a project's watchers hear of changes: faster than anyone reads.
	tellEvery = time.Second
	// stillHere is how often they hear that the stream lives: proxies end what is silent for a minute, some for half of it.
	stillHere = 25 * time.Second
	// watchLife ends a stream; the browser opens another. It bounds what the system holds for one who never reads: a message a second is 200 KiB in an hour.
	watchLife = time.Hour
	// tellWait is what a reader has to take a message when the system holds no more for it.
	tellWait = 20 * time.Second
)

// Counts are a project's numbers.
type Counts struct {
	Players int   `json:"player_count"`
	Plays   int64 `json:"plays"`
	Likes   int64 `json:"likes"`
}

// CountsOf are those of a project's stats.
func CountsOf(s sandlot.Stats) Counts { return Counts{s.Players, s.Plays, s.Likes} }

// Watchers are the streams that tell projects' numbers as they change. Each project
// that is watched has one goroutine, which asks for the numbers once for all; a
// watcher has a connection, and a goroutine that waits for its end.
type Watchers struct {
	ask     func(context.Context, sandlot.Caller, sandlot.ProjectID) (sandlot.Stats, error)
	slots   *admission.Slots
	now     func() time.Time
	running sync.WaitGroup // the rooms' goroutines

	mu     sync.Mutex
	rooms  map[sandlot.ProjectID]*room
	closed bool
}

// room is a project that is watched.
type room struct {
	id       sandlot.ProjectID
	watchers map[*Watcher]struct{} // under the mutex of all
	stop     context.CancelFunc
}

// A Watcher is one stream.
type Watcher struct {
	all   *Watchers
	addr  netip.Addr
	room  *room // nil before it has joined
	left  bool  // under the mutex of all, as room
	conn  net.Conn
	until time.Time

	// What is being sent, and to whom nothing is sent meanwhile; the others belong to whoever has set it.
	busy  atomic.Bool
	told  Counts
	heard time.Time // when something was sent last
}

// New returns no streams yet, and at most that many: ask is asked for the numbers of a project, and exempt addresses have no bound of their own.
func New(ask func(context.Context, sandlot.Caller, sandlot.ProjectID) (sandlot.Stats, error), most int, exempt func(netip.Addr) bool, now func() time.Time) *Watchers {
	return &Watchers{ask: ask, slots: admission.NewSlots(maxWatchersOf, most, exempt), now: now, rooms: map[sandlot.ProjectID]*room{}}
}

// Reserve takes the place of a stream to an address. Its Leave must be called, or its Begin.
func (l *Watchers) Reserve(addr netip.Addr) (*Watcher, *admission.Denied) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, &admission.Denied{Limit: "watchers", All: true, After: watchAgain}
	}
	if taken, all := l.slots.Take(addr); !taken {
		return nil, &admission.Denied{Limit: "watchers", All: all, After: watchAgain}
	}
	return &Watcher{all: l, addr: addr}, nil
}

// Begin answers on the connection with the numbers as they are, and goes on to tell
// them until one side ends it.
func (w *Watcher) Begin(id sandlot.ProjectID, conn net.Conn, h http.Header, now Counts) {
	at := w.all.now()
	w.conn, w.told, w.heard, w.until = conn, now, at, at.Add(watchLife)
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&b) // a Buffer takes everything
	// After a break not all come back at once.
	fmt.Fprintf(&b, "\r\nretry: %d\n%s", 2000+rand.IntN(4000), event(now))
	w.write(b.Bytes())
	w.all.join(w, id)
	go w.wait()
}

// event is one of the stream.
func event(c Counts) []byte {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // numbers always encode
	}
	return fmt.Appendf(nil, "data: %s\n\n", text)
}

// wait ends the stream when the browser does. Browsers send nothing on it: whatever
// does is none.
func (w *Watcher) wait() {
	var b [1]byte
	_, _ = w.conn.Read(b[:])
	w.Leave()
}

// write ends the stream if the browser is gone, or does not read.
func (w *Watcher) write(b []byte) {
	_ = w.conn.SetWriteDeadline(time.Now().Add(tellWait)) // fails on a closed connection, as the write will
	if _, err := w.conn.Write(b); err != nil {
		w.Leave()
	}
}

func (l *Watchers) join(w *Watcher, id sandlot.ProjectID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.left {
		return
	}
	if l.closed {
		w.forget()
		return
	}
	r := l.rooms[id]
	if r == nil {
		ctx, stop := context.WithCancel(context.Background())
		r = &room{id: id, watchers: map[*Watcher]struct{}{}, stop: stop}
		l.rooms[id] = r
		last := w.told
		l.running.Go(func() { l.run(ctx, r, last) })
	}
	w.room = r
	r.watchers[w] = struct{}{}
}

// Leave ends a stream, once.
func (w *Watcher) Leave() {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	w.forget()
}

// forget is Leave under the mutex.
func (w *Watcher) forget() {
	l := w.all
	if w.left {
		return
	}
	w.left = true
	if w.conn != nil {
		w.conn.Close()
	}
	l.slots.Give(w.addr)
	if r := w.room; r != nil {
		if delete(r.watchers, w); len(r.watchers) == 0 {
			r.stop()
			delete(l.rooms, r.id)
		}
	}
}

// run tells a room's watchers, who know the last numbers, until all have left.
func (l *Watchers) run(ctx context.Context, r *room, last Counts) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		stats, err := l.ask(ctx, sandlot.Caller{}, r.id)
		if sandlot.Gone(err) {
			l.empty(r)
			return
		}
		if err == nil { // otherwise the next one may be had
			last = CountsOf(stats)
		}
		l.tell(r, last)
	}
}

// tell sends the numbers to those who do not know them, and a sign of life to those
// who heard nothing for long. Nobody waits for another who is slow.
func (l *Watchers) tell(r *room, c Counts) {
	text, now := event(c), l.now()
	for _, w := range l.list(r) {
		if !w.busy.CompareAndSwap(false, true) {
			continue
		}
		switch {
		case now.After(w.until):
			w.Leave()
		case w.told != c:
			w.told, w.heard = c, now
			go w.send(text)
			continue
		case now.Sub(w.heard) >= stillHere:
			w.heard = now
			go w.send([]byte(":\n\n"))
			continue
		}
		w.busy.Store(false)
	}
}

func (w *Watcher) send(text []byte) {
	w.write(text)
	w.busy.Store(false)
}

func (l *Watchers) list(r *room) []*Watcher {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(r.watchers))
}

// empty ends all streams of a room.
func (l *Watchers) empty(r *room) {
	for _, w := range l.list(r) {
		w.Leave()
	}
}

// Held returns how many streams there are.
func (l *Watchers) Held() int { return l.slots.Held() }

// Close ends all streams, and lets none begin.
func (l *Watchers) Close() {
	l.mu.Lock()
	l.closed = true
	rooms := slices.Collect(maps.Values(l.rooms))
	l.mu.Unlock()
	for _, r := range rooms {
		l.empty(r)
	}
	l.running.Wait()
}
