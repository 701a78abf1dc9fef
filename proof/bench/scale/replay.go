package main

import (
	"container/list"
	"math"
	"math/rand/v2"
)

// A Mix holds the outcomes of one node's reads, as parts of all of them, and the number of heads that the node confirms
// in a second.
type Mix struct {
	Hit      float64 // from memory, the project's head confirmed within its second
	Ask      float64 // from memory, after a query whether the project has changed
	Miss     float64 // head, list and bytes from the database
	Confirms float64 // heads confirmed together in a second
}

// A Node holds the figures of a node for the replay.
type Node struct {
	Places int     // projects whose list and bytes fit into its memory
	Heads  int     // projects whose heads it keeps
	Reads  float64 // per second
}

const (
	// confirmEvery and headHolds are heads.Hold and its neighbours, in seconds: a read within a second of the
	// project's last confirmation needs no query, and all recently read heads are confirmed every 750 ms.
	confirmEvery = 0.75
	headHolds    = 1.0
	// warmUp is how many requests for each place come before the count, and counted how many are in it.
	warmUp  = 4
	counted = 60_000
)

// Replay sends reads to a node, each for a project drawn from z, with the last-read projects in its memory. The program
// chooses those better, so it hits somewhat more often.
func Replay(z Zipf, n Node, seed uint64) Mix {
	if n.Reads == 0 {
		return Mix{}
	}
	r := rand.New(rand.NewPCG(seed, 1))
	memory := newRecent(n.Places)
	heads := newRecent(n.Heads)
	confirmed, used := map[int]float64{}, map[int]bool{}
	var m Mix
	var total, began float64
	next := confirmEvery
	warm := warmUp * max(n.Places, n.Heads)
	for i := range warm + counted {
		now := float64(i) / n.Reads
		if now >= next {
			if i >= warm {
				m.Confirms += float64(len(used))
			}
			for k := range used {
				confirmed[k] = next
			}
			clear(used)
			next += confirmEvery * (math.Floor((now-next)/confirmEvery) + 1) // those between have nothing to confirm
		}
		if i == warm {
			began = now
		}
		k := z.Draw(r)
		had := memory.use(k)
		known, gone := heads.swap(k)
		delete(confirmed, gone)
		delete(used, gone)
		at, ok := confirmed[k]
		fresh := known && ok && now-at < headHolds
		if !fresh {
			confirmed[k] = now
		}
		used[k] = true
		if i < warm {
			continue
		}
		total++
		switch {
		case had && fresh:
			m.Hit++
		case had:
			m.Ask++
		default:
			m.Miss++
		}
	}
	m.Hit, m.Ask, m.Miss = m.Hit/total, m.Ask/total, m.Miss/total
	m.Confirms /= float64(warm+counted)/n.Reads - began
	return m
}

// recent holds the most recently used projects.
type recent struct {
	most  int
	order *list.List
	at    map[int]*list.Element
}

func newRecent(most int) *recent {
	return &recent{most: max(1, most), order: list.New(), at: map[int]*list.Element{}}
}

// use adds k, and reports whether it was there.
func (r *recent) use(k int) bool {
	had, _ := r.swap(k)
	return had
}

// swap works like use, and also returns the dropped project, or 0.
func (r *recent) swap(k int) (had bool, gone int) {
	if e, ok := r.at[k]; ok {
		r.order.MoveToFront(e)
		return true, 0
	}
	r.at[k] = r.order.PushFront(k)
	if r.order.Len() > r.most {
		e := r.order.Back()
		gone = r.order.Remove(e).(int)
		delete(r.at, gone)
	}
	return false, gone
}
