// Package watch streams a project's counts to the visitors of its page, as they change.
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
	// Most bounds the streams of a node without another setting: twice the expected peak of one popular project. At
	// some 9 KiB each, as measured, they take 180 MB.
	Most = 20_000
	// maxWatchersOf bounds the streams of one address, except of clients without limits: a school behind one address
	// watches one game, and each browser has a stream for each open page.
	maxWatchersOf = 200
	watchAgain    = time.Minute      // until a retry; meanwhile the page polls its counts
	tellEvery     = time.Second      // between updates: faster than anyone reads
	stillHere     = 25 * time.Second // of silence: some proxies end a silent connection after half a minute
	tellWait      = 20 * time.Second // for a client to take a message once the system's buffer is full
	// watchLife bounds the life of a stream, and so the system's buffer for a client that never reads: a message a
	// second is 200 KiB. The browser then opens another.
	watchLife = time.Hour
	// backAfter is the longest time after which a browser opens a stream again that a stop has ended.
	backAfter = 2 * time.Second
	// farewell is the time for all streams together to take that.
	farewell = time.Second
)

// Counts holds the counts of a project.
type Counts struct {
	Players int   `json:"player_count"`
	Plays   int64 `json:"plays"`
	Likes   int64 `json:"likes"`
}

// CountsOf returns the counts in a project's stats.
func CountsOf(s sandlot.Stats) Counts { return Counts{s.Players, s.Plays, s.Likes} }

type counter = func(context.Context, sandlot.Caller, sandlot.ProjectID) (sandlot.Stats, error)

// Watchers holds the streams of projects' counts. Each watched project has one goroutine, which fetches the counts once
// for all its watchers; a watcher has a connection, and a goroutine that waits for its end.
type Watchers struct {
	ask     counter
	slots   *admission.Slots
	now     func() time.Time
	running sync.WaitGroup // the rooms' goroutines

	mu     sync.Mutex
	rooms  map[sandlot.ProjectID]*room
	closed bool
}

// A room is a watched project.
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
	left  bool  // under the mutex of all, like room
	conn  connection
	until time.Time

	// busy is held while a message is being sent, and no other is sent meanwhile; its holder owns sent and heard.
	busy  atomic.Bool
	sent  Counts
	heard time.Time // the time of the last message
}

// New returns an empty set of at most that many streams: ask fetches the counts of a project, and exempt addresses have
// no bound of their own.
func New(ask counter, most int, exempt func(netip.Addr) bool, now func() time.Time) *Watchers {
	slots := admission.NewSlots(maxWatchersOf, most, exempt)
	return &Watchers{ask: ask, slots: slots, now: now, rooms: map[sandlot.ProjectID]*room{}}
}

// Reserve takes a slot for a stream to an address. The caller must call Leave or Begin.
func (l *Watchers) Reserve(addr netip.Addr) (*Watcher, *admission.Denied) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if taken, all := l.slots.Take(addr); !taken {
		return nil, &admission.Denied{Limit: "watchers", All: all, After: watchAgain}
	}
	return &Watcher{all: l, addr: addr}, nil
}

// Begin answers on the connection with the current counts, and keeps sending changes until one side ends the stream.
func (w *Watcher) Begin(id sandlot.ProjectID, conn net.Conn, h http.Header, now Counts) {
	w.begin(conn, now)
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&b) // a Buffer takes everything
	b.WriteString("\r\n")
	b.Write(greeting(now))
	w.write(b.Bytes())
	w.all.join(w, id)
	go w.wait()
}

func (w *Watcher) begin(conn connection, now Counts) {
	at := w.all.now()
	w.conn, w.sent, w.heard, w.until = conn, now, at, at.Add(watchLife)
}

// greeting returns the first message of a stream. After a break the clients do not all return at once.
func greeting(now Counts) []byte {
	return fmt.Appendf(nil, "retry: %d\n%s", 2000+rand.IntN(4000), event(now))
}

// event returns the counts as one server-sent event.
func event(c Counts) []byte {
	text, _ := json.Marshal(c) // numbers always encode
	return fmt.Appendf(nil, "data: %s\n\n", text)
}

// wait ends the stream when the client does. Browsers send nothing on it: a client that sends is not one.
func (w *Watcher) wait() {
	var b [1]byte
	_, _ = w.conn.Read(b[:])
	w.Leave()
}

// write ends the stream if the client is gone or does not read.
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
		w.sendBack(time.Now().Add(farewell))
		w.forget()
		return
	}
	r := l.rooms[id]
	if r == nil {
		ctx, stop := context.WithCancel(context.Background())
		r = &room{id: id, watchers: map[*Watcher]struct{}{}, stop: stop}
		l.rooms[id] = r
		last := w.sent
		l.running.Go(func() { l.run(ctx, r, last) })
	}
	w.room = r
	r.watchers[w] = struct{}{}
}

// Leave ends the stream. Only the first call has an effect.
func (w *Watcher) Leave() {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	w.forget()
}

// forget is Leave with the mutex held.
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

// run sends the counts to a room's watchers until all have left; last holds the counts that they have.
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
		if err == nil { // otherwise the next call may succeed
			last = CountsOf(stats)
		}
		l.send(r, last)
	}
}

// send sends the counts to the watchers that lack them, and a sign of life to those that got nothing for long. No
// watcher waits for a slow one.
func (l *Watchers) send(r *room, c Counts) {
	text, now := event(c), l.now()
	for _, w := range l.list(r) {
		if !w.busy.CompareAndSwap(false, true) {
			continue
		}
		switch {
		case now.After(w.until):
			w.Leave()
		case w.sent != c:
			w.sent, w.heard = c, now
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

// sendBack has the browser open its stream again soon, on the next process or another node. The mutex of all is held: a
// stream that takes a message just now, or does not read, goes without.
func (w *Watcher) sendBack(until time.Time) {
	if w.busy.CompareAndSwap(false, true) {
		_ = w.conn.SetWriteDeadline(until) // fails on a closed connection, as the write will
		_, _ = fmt.Fprintf(w.conn, "retry: %d\n\n", (backAfter/4 + rand.N(backAfter*3/4)).Milliseconds())
	}
}

// empty ends all streams of a room.
func (l *Watchers) empty(r *room) {
	for _, w := range l.list(r) {
		w.Leave()
	}
}

// Close ends all streams, and sends their browsers back. A stream that begins later ends likewise at once, for a browser
// opens none again that was refused.
func (l *Watchers) Close() {
	l.mu.Lock()
	l.closed = true
	rooms, until := slices.Collect(maps.Values(l.rooms)), time.Now().Add(farewell)
	for _, r := range rooms {
		for w := range r.watchers {
			w.sendBack(until)
		}
	}
	l.mu.Unlock()
	for _, r := range rooms {
		l.empty(r)
	}
	l.running.Wait()
}
