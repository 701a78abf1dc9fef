package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"sandlot/internal/base/failpoint"
)

// counts holds the figures of a run. Its methods may be called concurrently.
type counts struct {
	mu         sync.Mutex
	kills      map[how]int
	points     map[failpoint.Point]int // kills at each
	starts     int                     // starts that came after a kill and reached listening
	took       time.Duration           // total of these starts
	longest    time.Duration
	ops        map[kind]int // acknowledged
	unacked    int          // sent without an answer
	retries    int
	landed     int // answered in the end, but seen to have happened before
	fromRecord int // marked as a repeated answer
	looks      int
	bytes      int64
	epochs     int
}

func newCounts() *counts {
	return &counts{kills: map[how]int{}, points: map[failpoint.Point]int{}, ops: map[kind]int{}}
}

func (c *counts) with(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

func (c *counts) sent(again bool, err error) {
	c.with(func() {
		if again {
			c.retries++
		}
		if err != nil {
			c.unacked++
		}
	})
}

func (c *counts) acked(k kind, resent, seen, fromRecord bool) {
	c.with(func() {
		c.ops[k]++
		if resent && seen {
			c.landed++
		}
		if fromRecord {
			c.fromRecord++
		}
	})
}

func (c *counts) looked(bytes int64) {
	c.with(func() { c.looks++; c.bytes += bytes })
}

func (c *counts) killed(d death) {
	c.with(func() {
		c.kills[d.how]++
		if d.point != "" {
			c.points[d.point]++
		}
	})
}

func (c *counts) restarted(took time.Duration) {
	c.with(func() {
		c.starts++
		c.took += took
		c.longest = max(c.longest, took)
	})
}

func (c *counts) allKills() (n int) {
	for _, k := range c.kills {
		n += k
	}
	return n
}

// missed returns the points without a kill.
func (c *counts) missed(of []failpoint.Point) (list []failpoint.Point) {
	for _, p := range of {
		if c.points[p] == 0 {
			list = append(list, p)
		}
	}
	return list
}

// print writes the figures in the form of docs/durability.md, with the points that could be passed.
func (c *counts) print(w io.Writer, of []failpoint.Point) {
	fmt.Fprintf(w, "kills                 %d, in %d folders\n", c.allKills(), c.epochs)
	for _, h := range sorted(c.kills) {
		fmt.Fprintf(w, "  %-36s%d\n", h, c.kills[h])
	}
	var at []string
	for _, p := range of {
		at = append(at, fmt.Sprintf("%s %d", p, c.points[p]))
	}
	fmt.Fprintf(w, "kills at each point   %s\n", strings.Join(at, ", "))
	total := 0
	var each []string
	for _, k := range sorted(c.ops) {
		total += c.ops[k]
		each = append(each, fmt.Sprintf("%s %d", k, c.ops[k]))
	}
	fmt.Fprintf(w, "acknowledged          %d: %s\n", total, strings.Join(each, ", "))
	fmt.Fprintf(w, "sent, not answered    %d\n", c.unacked)
	fmt.Fprintf(w, "sent again            %d; %d had happened already, %d answers were given again\n", c.retries, c.landed, c.fromRecord)
	fmt.Fprintf(w, "compared              %d looks, %d MiB\n", c.looks, c.bytes>>20)
	fmt.Fprintf(w, "restart after a kill  mean %v, longest %v, of %d\n",
		(c.took / time.Duration(max(c.starts, 1))).Round(time.Millisecond), c.longest.Round(time.Millisecond), c.starts)
}

func sorted[K ~string](m map[K]int) (keys []K) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
