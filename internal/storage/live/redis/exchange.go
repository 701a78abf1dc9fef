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
	// epochFor is how long the server remembers that it has not lost anything, when nobody asks any more.
	epochFor = 2 * gallery.Presence
	// epochLength is the longest epoch that is read.
	epochLength = 64
	// idName is how much of a hash names a project.
	idName = 16
)

//go:embed present.lua
var script string

// errAnswer is for what the server did not say in the way that was asked for.
var errAnswer = errors.New("redis gave another answer than was asked for")

// exchange is what is remembered from one Sync to the next.
type exchange struct {
	epoch   string
	sha     string
	topTold time.Duration
	topped  bool
}

// Run tells and asks the server once a second, until ctx ends.
func (l *Live) Run(ctx context.Context) {
	next := time.NewTimer(rand.N(syncEvery)) // nodes that start together do not come together
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		next.Reset(syncEvery)
		// Whoever wants to know that it failed asks the client for its state.
		_ = l.Sync(ctx)
	}
}

// Sync tells the server what waits, and asks it for the players of the projects in use. Run calls
// it. The error is one of the client, or says that the answer was none. What was not told waits for
// the next time.
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

// greet asks the server for its time, and whether it has lost what it was told.
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

// remember notes when the server has lost what it was told: then its epoch is another.
func (l *Live) remember(epoch string) {
	if epoch != "" && epoch == l.epoch {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch, l.whole = epoch, l.since()
}

// take takes the beats that wait, those of one project one after another, and the projects in use
// that have none. Rooms that are not in use any more are closed.
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

// putBack makes beats wait again.
func (l *Live) putBack(beats []beat) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.waiting.putBack(beats) {
		l.whole = l.since()
	}
}

// tellBeats tells some beats. The server's clock is ahead of this node's by as much.
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

// args are those of the script.
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

// keys are those of a project.
func (l *Live) keys(id sandlot.ProjectID) []string {
	name := base64.RawURLEncoding.EncodeToString(l.names.Sum(string(id))[:idName])
	return []string{l.client.Key("live:{" + name + "}"), l.client.Key("live:{" + name + "}:crowds")}
}

// askFor asks for the players of projects.
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

// learn takes an answer for the players of a project, unless it is none.
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
