package redis

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/redis"
)

const (
	// together bounds the beats, and the projects, of one call: a millisecond or two of the server's time.
	together = 500
	// idName is how many bytes of a hash name a project.
	idName = 16
	// topsEvery is how often a node reports its most played projects.
	topsEvery = 10 * time.Second
	// topsTold, topsKept and topsRead bound how many a node reports, the server keeps and a node reads.
	topsTold, topsKept, topsRead = 50, 1000, 500
)

//go:embed present.lua
var script string

// errAnswer is the error of an answer of another form than the request needs.
var errAnswer = errors.New("redis gave another answer than was asked for")

// Run calls Sync once a second, until ctx ends.
func (l *Live) Run(ctx context.Context) {
	for wait := rand.N(syncEvery); worker.Wait(ctx, wait); wait = syncEvery { // nodes that start together do not call together
		// A caller that needs the error reads the client's.
		_ = l.Sync(ctx)
	}
}

// Sync sends the waiting beats to the server, and reads the players of the projects in use. Run calls it. The error is
// one of the client, or says that the answer was invalid. While the server does not answer, the beats wait.
func (l *Live) Sync(ctx context.Context) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	now, sha, err := l.greet(ctx)
	if err != nil {
		return err
	}
	ahead := now.Sub(l.now())
	l.exchangeTops(ctx, now)
	at, beats, others := l.take()
	for some := range slices.Chunk(beats, together) {
		if err := l.tellBeats(ctx, sha, some, now, ahead, at); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(others, together) {
		if err := l.askFor(ctx, some, now, at); err != nil {
			return err
		}
	}
	return nil
}

// greet reads the server's time, and gives it the script.
func (l *Live) greet(ctx context.Context) (now time.Time, sha string, err error) {
	answers, err := l.client.Do(ctx, redis.Command{"TIME"}, redis.Command{"SCRIPT", "LOAD", script})
	if err != nil {
		return now, "", err
	}
	parts, wrong := answers[0].Ints() // seconds and microseconds
	sha, refused := answers[1].Text()
	if wrong == nil && len(parts) == 2 {
		now = time.Unix(parts[0], parts[1]*int64(time.Microsecond))
	}
	if refused != nil || now.Year() < 2000 || now.Year() >= 3000 { // the script could not count with others
		return now, "", errAnswer
	}
	if l.clock != nil {
		now = l.clock()
	}
	return now, sha, nil
}

// take returns the waiting beats, those of one project one after another, and the projects in use that have none. It
// closes rooms that are not in use any more.
func (l *Live) take() (at time.Time, beats []beat, others []sandlot.ProjectID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	beats = slices.SortedFunc(maps.Values(l.waiting), func(a, b beat) int {
		return cmp.Or(cmp.Compare(a.id, b.id), a.seen.Compare(b.seen))
	})
	clear(l.waiting)
	at = l.steady()
	known := map[sandlot.ProjectID]bool{}
	for _, b := range beats {
		known[b.id] = true
	}
	for id, r := range l.rooms {
		if at.Sub(r.used) >= gallery.Presence {
			delete(l.rooms, id)
		} else if !known[id] {
			others = append(others, id)
		}
	}
	return at, beats, others
}

// tellBeats sends some beats. ahead is how far the server's clock is ahead of this node's.
func (l *Live) tellBeats(ctx context.Context, sha string, beats []beat, now time.Time, ahead time.Duration, at time.Time) error {
	var ids []sandlot.ProjectID
	var commands []redis.Command
	for len(beats) > 0 {
		id := beats[0].id
		keys := l.keys(id)
		command := redis.Command{
			"EVALSHA", sha, len(keys), keys[0], keys[1],
			now.UnixMilli(), gallery.Presence.Milliseconds(), l.limits.PerProject,
		}
		for len(beats) > 0 && beats[0].id == id {
			command = append(command, beats[0].args(ahead)...)
			beats = beats[1:]
		}
		ids, commands = append(ids, id), append(commands, command)
	}
	counts, err := l.client.Do(ctx, commands...)
	if err != nil {
		return err
	}
	for i, id := range ids {
		n, err := counts[i].Int()
		l.learn(id, n, err, at)
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
func (l *Live) askFor(ctx context.Context, ids []sandlot.ProjectID, now, at time.Time) error {
	after := "(" + strconv.FormatInt(now.Add(-gallery.Presence).UnixMilli(), 10)
	until := strconv.FormatInt(now.Add(gallery.Presence).UnixMilli(), 10)
	commands := make([]redis.Command, len(ids))
	for i, id := range ids {
		commands[i] = redis.Command{"ZCOUNT", l.keys(id)[0], after, until}
	}
	counts, err := l.client.Do(ctx, commands...)
	if err != nil {
		return err
	}
	for i, id := range ids {
		n, err := counts[i].Int()
		l.learn(id, n, err, at)
	}
	return nil
}

// learn records an answer for the players of a project, if it is valid.
func (l *Live) learn(id sandlot.ProjectID, n int64, err error, at time.Time) {
	if err != nil || n < 0 || n > int64(l.limits.PerProject) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.rooms[id]; r != nil {
		r.present, r.read = int(n), at
	}
}

// exchangeTops regularly reports this node's most played projects, and marks those of other nodes as in use. A failure
// changes nothing.
func (l *Live) exchangeTops(ctx context.Context, now time.Time) {
	if l.steady().Sub(l.topped) < topsEvery {
		return
	}
	own, err := l.memory.Busiest(ctx, topsTold, l.now())
	if err != nil {
		return
	}
	key := l.client.Key("live:busiest")
	var commands []redis.Command
	for _, id := range own {
		if redis.IsID(string(id)) {
			commands = append(commands, redis.Command{"ZADD", key, now.UnixMilli(), string(id)})
		}
	}
	answers, err := l.client.Do(ctx, append(commands,
		redis.Command{"ZREMRANGEBYSCORE", key, "-inf", now.Add(-gallery.Presence).UnixMilli()},
		redis.Command{"ZREMRANGEBYRANK", key, 0, -topsKept - 1},
		redis.Command{"PEXPIRE", key, 2 * gallery.Presence.Milliseconds()},
		redis.Command{"ZREVRANGE", key, 0, topsRead - 1},
	)...)
	if err != nil {
		return
	}
	tops, _ := answers[len(answers)-1].Texts() // none after another answer
	l.topped = l.steady()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range tops {
		if redis.IsID(id) {
			l.use(sandlot.ProjectID(id))
		}
	}
}
