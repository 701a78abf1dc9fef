package sqlite

import (
	"context"
	"database/sql"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"sandlot/internal/storage/sqlstore/engine"
)

const (
	// logMax is how long the log's file may get before reads make way for it, in bytes. One that begins anew is cut to
	// as much, so only a log that does not is longer.
	logMax = logKeepBytes
	// logEvery is how often its length is looked at: at 100 MB/s it grows by 25 MB meanwhile.
	logEvery = 250 * time.Millisecond
	// gateWait bounds how long reads make way. A list of 10,000 files takes some 100 ms.
	gateWait = time.Second
	// logAge is the longest time for which overwritten records may stay readable in the log, and in pages of the
	// database whose successors are only in the log.
	logAge = 10 * time.Minute
	// logRetry is when that is tried again where a reader keeps the log.
	logRetry = time.Minute
	// logBusyMillis bounds how long the log's end may hold up writers while it waits for a reader.
	logBusyMillis = 50
)

// A gate lets reads pass, and keeps new ones back for a moment so that those under way can come to an end. While there
// is always a reader of the log, the log cannot begin anew, and grows.
type gate struct {
	mu      sync.Mutex
	reading int
	shut    chan struct{} // closed when the gate opens; nil while it is open
	empty   chan struct{} // closed when the last read has ended; nil unless the gate is shut
}

// enter waits until the gate is open, but never longer than gateWait; leave ends the read.
func (g *gate) enter(ctx context.Context) {
	g.mu.Lock()
	shut := g.shut
	if shut == nil {
		g.reading++
		g.mu.Unlock()
		return
	}
	g.mu.Unlock()
	select {
	case <-shut:
	case <-time.After(gateWait):
	case <-ctx.Done():
	}
	g.mu.Lock()
	g.reading++
	g.mu.Unlock()
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reading--; g.reading == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
}

// alone runs do while nobody reads, or after gateWait beside those who still do.
func (g *gate) alone(do func()) {
	g.mu.Lock()
	empty, shut := make(chan struct{}), make(chan struct{})
	if g.reading == 0 {
		close(empty)
	} else {
		g.empty = empty
	}
	g.shut = shut
	g.mu.Unlock()
	select {
	case <-empty:
	case <-time.After(gateWait):
	}
	do()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut, g.empty = nil, nil
	close(shut)
}

// A logKeeper sees to it that the log begins anew before it is long. The checkpoints that SQLite makes by itself
// never wait for a reader, so with readers that overlap they may never come to the log's end.
type logKeeper struct {
	engine *Engine
	conn   *sql.DB // its own: its copying into the database holds up no writer
	path   string  // of the log
	max    atomic.Int64
	age    atomic.Int64 // logAge, in nanoseconds
	wiped  atomic.Bool  // a deletion must leave no trace
	next   time.Time    // when the log is emptied for its age
	stop   chan struct{}
	ended  chan struct{}
}

func keepLog(e *Engine, path string) (*logKeeper, error) {
	settings := writerSettings(path, readerCacheKiB)
	settings.Set("_busy_timeout", strconv.Itoa(logBusyMillis))
	c, err := newConnector(path, "rw", settings)
	if err != nil {
		return nil, err
	}
	k := &logKeeper{engine: e, conn: sql.OpenDB(c), path: path + "-wal", stop: make(chan struct{}), ended: make(chan struct{})}
	k.conn.SetMaxOpenConns(1)
	k.max.Store(logMax)
	k.age.Store(int64(logAge))
	k.next = time.Now().Add(logAge)
	go k.run()
	return k, nil
}

func (k *logKeeper) close() error {
	close(k.stop)
	<-k.ended
	for range 5 { // a command beside a server does not leave deleted records to it
		if !k.wiped.Swap(false) || k.empty() {
			break
		}
		k.wiped.Store(true)
		time.Sleep(logBusyMillis * time.Millisecond)
	}
	return k.conn.Close()
}

func (k *logKeeper) run() {
	defer close(k.ended)
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			k.refold()
			k.look()
		case <-k.stop:
			return
		}
	}
}

// Wipe requests that the log is emptied soon, after a deletion that must leave no trace.
func (e *Engine) Wipe() { e.log.wiped.Store(true) }

// refold makes the writer fold the log once more if it could not copy all of it: without writes nothing else would.
// While a reader keeps the log, a try costs next to nothing.
func (k *logKeeper) refold() {
	w := k.engine.write
	// After a failed commit a step that writes nothing would seem to have found room.
	if w.ailing.Load() || !w.unfolded.Swap(false) {
		return
	}
	err := k.engine.Step(context.Background(), 0, func(engine.Tx) error {
		w.fold.Store(true)
		return nil
	})
	if err != nil {
		w.unfolded.Store(true)
	}
}

// look begins the log anew if it is too long, and empties it after a while, also when nothing is written any more.
// Most of it is copied while all others go on; little is written meanwhile.
func (k *logKeeper) look() {
	age := time.Duration(k.age.Load())
	now := time.Now()
	if left := k.next.Sub(now); left > age {
		k.next = now.Add(age)
	}
	info, err := os.Stat(k.path)
	if err != nil {
		return
	}
	wanted := k.wiped.Swap(false)
	switch {
	case info.Size() == 0:
		k.next = now.Add(age)
		return
	case info.Size() <= k.max.Load() && !wanted && now.Before(k.next):
		return
	}
	k.checkpoint("PASSIVE")
	emptied := false
	k.engine.gate.alone(func() { emptied = k.empty() })
	if k.next = now.Add(age); !emptied {
		k.next = now.Add(min(age, logRetry))
	}
}

// empty copies the log into the database and cuts it to nothing. It reports whether no reader kept it from that.
func (k *logKeeper) empty() bool { return k.checkpoint("TRUNCATE") }

// checkpoint copies the log into the database. Where a reader keeps it from that, the next look tries again.
func (k *logKeeper) checkpoint(mode string) (done bool) {
	var busy, pages, copied int64
	err := k.conn.QueryRow("PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &pages, &copied)
	if err != nil && lostSync(err) {
		// The copied pages may be lost, and the next checkpoint would pass them over.
		_ = k.engine.write.doubt(err)
	}
	return err == nil && busy == 0
}
