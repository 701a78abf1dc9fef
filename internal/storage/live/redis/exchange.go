package redis

import (
	"context"
	cryptorand "crypto/rand"
	_ "embed"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

const (
	// together bounds the beats, and the projects, of one call: a millisecond or two of the server's time.
	together = 500
	// epochFor is how long the server keeps the epoch, the proof that it has lost nothing, without a query.
	epochFor = 2 * gallery.Presence
	// epochLength is the longest epoch that is read.
	epochLength = 64
	// idName is how many bytes of a hash name a project.
	idName = 16
)

//go:embed present.lua
var script string

// errAnswer is the error of an answer of another form than the request needs.
var errAnswer = errors.New("redis gave another answer than was asked for")

// exchange is the state from one Sync to the next.
type exchange struct {
	epoch   string
	sha     string
	topTold time.Duration
	topped  bool
}

// Run calls Sync once a second, until ctx ends.
func (l *Live) Run(ctx context.Context) {
	next := time.NewTimer(rand.N(syncEvery)) // nodes that start together do not call together
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		next.Reset(syncEvery)
		// A caller that needs the error reads the client's State.
		_ = l.Sync(ctx)
	}
}

// Sync sends the waiting beats to the server, and reads the players of the projects in use. Run calls it. The error is
// one of the client, or says that the answer was invalid. Unsent beats wait for the next time.
func (l *Live) Sync(ctx context.Context) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	now, err := l.greet(ctx)
	if err != nil {
		return err
	}
	ahead := now.Sub(l.now())
	l.exchangeTops(ctx, now)
	asked, beats, others := l.take()
	for len(beats) > 0 {
		n := min(len(beats), together)
		if err := l.tellBeats(ctx, beats[:n], now, ahead, asked); err != nil {
			l.putBack(beats)
			return err
		}
		beats = beats[n:]
	}
	for len(others) > 0 {
		n := min(len(others), together)
		if err := l.askFor(ctx, others[:n], now, asked); err != nil {
			return err
		}
		others = others[n:]
	}
	return nil
}

// greet reads the server's time, and detects whether it has lost its data.
func (l *Live) greet(ctx context.Context) (time.Time, error) {
	var clock *goredis.TimeCmd
	var epoch, sha *goredis.StringCmd
	key := l.client.Key("live:epoch")
	err := l.client.Do(ctx, func(p goredis.Pipeliner) {
		clock = p.Time(ctx)
		sha = p.ScriptLoad(ctx, script)
		p.SetNX(ctx, key, cryptorand.Text(), epochFor)
		p.PExpire(ctx, key, epochFor)
		epoch = p.GetRange(ctx, key, 0, epochLength-1)
	})
	if err != nil {
		return time.Time{}, err
	}
	now, err := clock.Result()
	if err != nil || sha.Err() != nil || !sane(now) {
		return time.Time{}, errAnswer
	}
	l.sha = sha.Val()
	l.remember(epoch.Val())
	if l.clock != nil {
		now = l.clock()
	}
	return now, nil
}

// sane reports whether the script can count with a time.
func sane(now time.Time) bool { return now.Year() >= 2000 && now.Year() < 3000 }

// remember detects that the server has lost its data: then its epoch has changed.
func (l *Live) remember(epoch string) {
	if epoch != "" && epoch == l.epoch {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch, l.whole = epoch, l.since()
}

// take returns the waiting beats, those of one project one after another, and the projects in use that have none. It
// closes rooms that are not in use any more.
func (l *Live) take() (asked time.Duration, beats []beat, others []sandlot.ProjectID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked = l.since()
	byProject := map[sandlot.ProjectID][]beat{}
	for _, b := range l.waiting.beats {
		byProject[b.id] = append(byProject[b.id], b)
	}
	beats = make([]beat, 0, len(l.waiting.beats))
	for _, list := range byProject {
		beats = append(beats, list...)
	}
	l.waiting = newWaiting()
	for id, r := range l.rooms {
		r.telling += r.more
		r.more = 0
		if len(byProject[id]) > 0 {
			continue
		}
		if asked-r.used >= gallery.Presence {
			delete(l.rooms, id)
			continue
		}
		others = append(others, id)
	}
	return asked, beats, others
}

// putBack adds beats to the waiting ones again.
func (l *Live) putBack(beats []beat) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.waiting.putBack(beats) {
		l.whole = l.since()
	}
}

// tellBeats sends some beats. ahead is how far the server's clock is ahead of this node's.
func (l *Live) tellBeats(ctx context.Context, beats []beat, now time.Time, ahead time.Duration, asked time.Duration) error {
	var ids []sandlot.ProjectID
	var counts []*goredis.Cmd
	err := l.client.Do(ctx, func(p goredis.Pipeliner) {
		for len(beats) > 0 {
			id := beats[0].id
			args := []any{now.UnixMilli(), gallery.Presence.Milliseconds(), l.limits.PerProject}
			for len(beats) > 0 && beats[0].id == id {
				args = append(args, beats[0].args(ahead)...)
				beats = beats[1:]
			}
			ids, counts = append(ids, id), append(counts, p.EvalSha(ctx, l.sha, l.keys(id), args...))
		}
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		n, err := counts[i].Int64()
		l.learn(id, n, err, asked)
	}
	return nil
}

// args returns the arguments of the script.
func (b beat) args(ahead time.Duration) []any {
	seen, left := int64(0), "0"
	if !b.seen.IsZero() {
		seen = b.seen.Add(ahead).UnixMilli()
	}
	if b.left {
		left = "1"
	}
	return []any{strconv.FormatInt(seen, 10), left, b.player, b.crowds, b.most}
}

// keys returns the keys of a project.
func (l *Live) keys(id sandlot.ProjectID) []string {
	name := base64.RawURLEncoding.EncodeToString(l.names.Sum(string(id))[:idName])
	return []string{l.client.Key("live:{" + name + "}"), l.client.Key("live:{" + name + "}:crowds")}
}

// askFor reads the players of projects.
func (l *Live) askFor(ctx context.Context, ids []sandlot.ProjectID, now time.Time, asked time.Duration) error {
	after := "(" + strconv.FormatInt(now.Add(-gallery.Presence).UnixMilli(), 10)
	until := strconv.FormatInt(now.Add(gallery.Presence).UnixMilli(), 10)
	counts := make([]*goredis.IntCmd, len(ids))
	err := l.client.Do(ctx, func(p goredis.Pipeliner) {
		for i, id := range ids {
			counts[i] = p.ZCount(ctx, l.keys(id)[0], after, until)
		}
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		n, err := counts[i].Result()
		l.learn(id, n, err, asked)
	}
	return nil
}

// learn records an answer for the players of a project, if it is valid.
func (l *Live) learn(id sandlot.ProjectID, n int64, err error, asked time.Duration) {
	if err != nil || n < 0 || n > int64(l.limits.PerProject) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.rooms[id]; r != nil {
		r.present, r.known, r.read, r.telling = int(n), true, asked, 0
	}
}
