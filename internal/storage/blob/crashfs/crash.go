package crashfs

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
)

// Where a torn write may end: a disk writes whole sectors, a file system whole
// pages.
const (
	sector   = 512
	pageSize = 4096
)

// Crash cuts the power, if it is still on, and returns the file system that the machine finds after the restart. rnd
// decides how much of the unsynced data is there: nothing, all, or any part. Every step on f is ErrPower from then on.
func (f *FS) Crash(rnd *rand.Rand) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
	luck := luck{rnd: rnd, odds: []int{0, 1, 2}[rnd.IntN(3)], seen: map[*node]*node{}}
	return &FS{now: f.now, root: luck.folder(f.root), inode: f.inode}
}

// luck decides which unsynced data survives a crash.
type luck struct {
	rnd  *rand.Rand
	odds int             // 0: none, 1: one of two, 2: all
	seen map[*node]*node // the surviving node of each: it may have two names
}

func (l luck) keeps() bool {
	if l.odds == 1 {
		return l.rnd.IntN(2) == 0
	}
	return l.odds == 2
}

func (l luck) folder(d *folder) *folder {
	left := maps.Clone(d.durable)
	for _, c := range d.pending {
		if l.keeps() {
			apply(left, c)
		}
	}
	out := newFolder()
	for _, name := range slices.Sorted(maps.Keys(left)) { // the order of a map would make a seed mean nothing
		out.durable[name] = l.node(left[name])
	}
	out.entries = maps.Clone(out.durable)
	return out
}

func (l luck) node(n *node) *node {
	if known, ok := l.seen[n]; ok {
		return known
	}
	out := &node{inode: n.inode, written: n.written}
	l.seen[n] = out
	if n.folder != nil {
		out.folder = l.folder(n.folder)
		return out
	}
	out.durable = l.bytes(n)
	out.bytes = bytes.Clone(out.durable)
	return out
}

// bytes returns the bytes of the last sync, with some of the writes since then.
func (l luck) bytes(n *node) []byte {
	var kept []write
	for _, w := range n.pending {
		if l.keeps() {
			kept = append(kept, w)
		}
	}
	if len(kept) > 0 && l.odds == 1 {
		last := &kept[len(kept)-1]
		last.bytes = l.torn(last.bytes)
	}
	out := bytes.Clone(n.durable)
	for _, w := range kept {
		if grown := w.off + len(w.bytes); grown > len(out) {
			out = append(out, make([]byte, grown-len(out))...)
		}
		copy(out[w.off:], w.bytes)
	}
	return out
}

// torn returns a beginning of a write, up to the end of a sector or a page.
func (l luck) torn(p []byte) []byte {
	unit := sector
	if l.rnd.IntN(2) == 0 {
		unit = pageSize
	}
	return p[:min(len(p), unit*l.rnd.IntN(len(p)/unit+2))]
}
