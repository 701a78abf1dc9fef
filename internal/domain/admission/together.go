package admission

import (
	"context"
	"fmt"
	"math"
	"time"
)

const (
	// tellEvery is how often nodes tell each other what they let pass.
	tellEvery = time.Second
	// togetherMost bounds the shares of which they tell, at some 150 bytes each. Those beyond it are
	// limited by each node on its own.
	togetherMost = 10_000
)

// Spent is what this node let pass of one limit of one address, account or key, since it told last.
type Spent struct {
	Name string // of the share; the same on all nodes
	Rate Rate
	N    int64
}

// Shared knows what all nodes together let pass. It need not be reliable: it only tightens limits.
type Shared interface {
	// Spend tells what this node let pass, and returns for each share how much is missing from a full
	// bucket that all nodes together spend from. What is below 0, or no number, is no answer.
	Spend(ctx context.Context, list []Spent) (missing []float64, err error)
}

// together is what nodes are to be told, and the shares of which others may have spent.
type together struct {
	spent map[mark]*pending
}

// mark is one kind of limit of an entry.
type mark struct {
	e    *entry
	kind kind
}

// pending is what was spent since others were told.
type pending struct {
	rate Rate
	n    int64
}

// note notes what a share spent. A nil together notes nothing.
func (t *together) note(s share, n int64) {
	if t == nil {
		return
	}
	m := mark{s.e, s.kind}
	p := t.spent[m]
	if p == nil {
		if len(t.spent) >= togetherMost {
			return
		}
		p = &pending{rate: s.rate}
		t.spent[m] = p
	}
	p.n += n
}

// Share tells other nodes once a second what this one let pass, and takes from its own buckets what
// they did, until ctx ends. Nobody waits for it, and no bucket is ever filled by it. What could not be
// told is lost to the others.
func (l *Limits) Share(ctx context.Context, with Shared) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	l.join()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		// Whoever wants to know that it failed asks what stands behind Shared.
		_ = l.Exchange(ctx, with)
	}
}

// join begins to note what is spent.
func (l *Limits) join() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.together == nil {
		l.together = &together{spent: map[mark]*pending{}}
	}
}

// Exchange tells and takes once. Share calls it; the first call only begins to note what is spent.
func (l *Limits) Exchange(ctx context.Context, with Shared) error {
	l.join()
	marks, list := l.told()
	if len(list) == 0 {
		return nil
	}
	missing, err := with.Spend(ctx, list)
	if err != nil {
		return err
	}
	if len(missing) != len(list) {
		return fmt.Errorf("%d answers for %d shares", len(missing), len(list))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, m := range marks {
		l.tighten(m, list[i].Rate, missing[i])
	}
	return nil
}

// told takes what is to be told. Shares of which nothing was spent are asked for as long as their
// bucket is not full.
func (l *Limits) told() ([]mark, []Spent) {
	marks, list := l.take()
	for i, m := range marks {
		r := list[i].Rate
		list[i].Name = fmt.Sprintf("%s %T %v %d/%d:%d", names[m.kind], m.e.of, m.e.of, r.Count, r.Per, r.Burst)
	}
	return marks, list
}

func (l *Limits) take() (marks []mark, list []Spent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.Now()
	for m, p := range l.together.spent {
		if p.n == 0 && m.e.bucket(m.kind, p.rate).TokensAt(now) >= float64(p.rate.Burst) {
			delete(l.together.spent, m)
			continue
		}
		marks, list = append(marks, m), append(list, Spent{Rate: p.rate, N: p.n})
		p.n = 0
	}
	return marks, list
}

// tighten takes from a bucket what it has more than all nodes together have left. It may owe as much
// as it can ever have, and no more, whatever the answer was.
func (l *Limits) tighten(m mark, r Rate, missing float64) {
	if math.IsNaN(missing) || missing < 0 {
		return
	}
	burst, now, bucket := float64(r.Burst), l.Now(), m.e.bucket(m.kind, r)
	left := burst - min(missing, 2*burst)
	if p := l.together.spent[m]; p != nil {
		left -= float64(p.n) // meanwhile
	}
	more := int64(bucket.TokensAt(now) - max(left, -burst))
	for more > 0 {
		n := min(more, r.Burst)
		bucket.ReserveN(now, int(n))
		more -= n
	}
}
