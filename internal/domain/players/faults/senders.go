package faults

import (
	"hash/maphash"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/publish"
)

// A sent is a kind of text that networks send, with its limit.
type sent struct {
	name   string
	most   int           // at once
	every  time.Duration // until one more is available
	byItem bool          // whether each project has a limit of its own
}

var (
	errorsSent   = sent{"errors", 600, time.Hour / 600, false}
	messagesSent = sent{"messages", 20, 24 * time.Hour / 20, true}
)

// cells bounds the memory: 512 KiB. Networks that share a cell share its limit, which for the few that send is rare.
const cells = 1 << 16

// senders limits networks. It may be used concurrently.
type senders struct {
	seed maphash.Seed
	mu   sync.Mutex
	full []int64 // when all are available again, in ns since 1970
}

func newSenders() *senders { return &senders{seed: maphash.MakeSeed(), full: make([]int64, cells)} }

// take takes n of a kind for the networks of a visit, or nothing: CodeRateLimited.
func (l *senders) take(kind sent, v players.Visit, n int, now time.Time) error {
	type cell struct {
		kind    string
		project sandlot.ProjectID
		network string
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	list := publish.Networks(v.From)
	at, next := make([]uint64, len(list)), make([]int64, len(list))
	for i, network := range list {
		c := cell{kind: kind.name, network: network.Prefix.String()}
		if kind.byItem {
			c.project = v.Project.ID
		}
		at[i] = maphash.Comparable(l.seed, c) % cells
		none := now.Add(time.Duration(kind.most) * kind.every).UnixNano()
		was := max(min(l.full[at[i]], none), now.UnixNano()) // it is later if the clock was ahead
		if next[i] = was + int64(n)*int64(kind.every)/int64(network.Share); next[i] > none {
			return tooMany(kind.name, time.Duration(next[i]-none))
		}
	}
	for i := range list {
		l.full[at[i]] = next[i]
	}
	return nil
}

func tooMany(what string, wait time.Duration) error {
	return sandlot.Refuse(sandlot.CodeRateLimited, "Too many %s were sent from here.", what).After(max(wait, time.Second)).With(sandlot.OpWait)
}
