package redis

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

const (
	// topsEvery is how often a node reports its most played projects.
	topsEvery = 10 * time.Second
	// topsTold, topsKept and topsRead bound how many a node reports, the server keeps and a node reads.
	topsTold, topsKept, topsRead = 50, 1000, 500
	// longestID is the longest ID of a project, a DNS label.
	longestID = 40
)

// Busiest returns the projects that have players present, most players first, by their IDs among equals. It knows those
// that are played or queried on this node, and those that are among the 50 most played on another, at most ten seconds
// later.
func (l *Live) Busiest(ctx context.Context, limit int, now time.Time) ([]sandlot.ProjectID, error) {
	own, err := l.memory.Busiest(ctx, max(limit, topsRead), now)
	if err != nil {
		return nil, err
	}
	for id := range l.elsewhere() {
		own = append(own, id)
	}
	slices.Sort(own)
	type crowd struct {
		id sandlot.ProjectID
		n  int
	}
	var all []crowd
	for _, id := range slices.Compact(own) {
		here, err := l.memory.Players(ctx, id, now)
		if err != nil {
			return nil, err
		}
		if n := l.known(id, here); n > 0 {
			all = append(all, crowd{id, n})
		}
	}
	slices.SortStableFunc(all, func(a, b crowd) int { return cmp.Compare(b.n, a.n) })
	ids := make([]sandlot.ProjectID, 0, min(limit, len(all)))
	for _, c := range all[:min(limit, len(all))] {
		ids = append(ids, c.id)
	}
	return ids, nil
}

// known is count, for a caller that does not hold l.mu.
func (l *Live) known(id sandlot.ProjectID, own int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count(id, own)
}

// elsewhere returns the projects in use whose players the server knows.
func (l *Live) elsewhere() map[sandlot.ProjectID]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := map[sandlot.ProjectID]bool{}
	for id, r := range l.rooms {
		if r.known && r.present > 0 {
			list[id] = true
		}
	}
	return list
}

// exchangeTops regularly reports this node's most played projects, and marks those of other nodes as in use. A failure
// changes nothing.
func (l *Live) exchangeTops(ctx context.Context, now time.Time) {
	if l.topped && l.since()-l.topTold < topsEvery {
		return
	}
	own, err := l.memory.Busiest(ctx, topsTold, l.now())
	if err != nil {
		return
	}
	key := l.client.Key("live:busiest")
	var tops *goredis.StringSliceCmd
	err = l.client.Do(ctx, func(p goredis.Pipeliner) {
		for _, id := range own {
			if isID(id) {
				p.ZAdd(ctx, key, goredis.Z{Score: float64(now.UnixMilli()), Member: string(id)})
			}
		}
		p.ZRemRangeByScore(ctx, key, "-inf", strconv.FormatInt(now.Add(-gallery.Presence).UnixMilli(), 10))
		p.ZRemRangeByRank(ctx, key, 0, -topsKept-1)
		p.PExpire(ctx, key, 2*gallery.Presence)
		tops = p.ZRevRange(ctx, key, 0, topsRead-1)
	})
	if err != nil {
		return
	}
	l.topTold, l.topped = l.since(), true
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range tops.Val() {
		if isID(sandlot.ProjectID(id)) {
			l.use(sandlot.ProjectID(id))
		}
	}
}

// isID reports whether a project can have that ID. Only the database knows whether one has.
func isID(id sandlot.ProjectID) bool {
	for i := range len(id) {
		if c := id[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= longestID
}
