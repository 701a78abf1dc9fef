package admission

import (
	"context"
	"fmt"
	"math"
	"time"

	"sandlot/internal/base/worker"
)

const (
	// tellEvery is the time between two exchanges of nodes.
	tellEvery = time.Second
	// togetherMost bounds the shares that they exchange, at some 150 bytes each; further ones a node limits on its own.
	togetherMost = 10_000
)

// Spent is the amount that this node let pass of one limit of one address, account or key, since its last exchange.
type Spent struct {
	Name string // of the share; the same on all nodes
	Rate Rate
	N    int64
}

// Shared adds up the amounts that all nodes let pass. It need not be reliable: it only tightens limits.
type Shared interface {
	// Spend reports the amounts that this node let pass, and returns for each share the amount that is missing from a
	// full bucket that all nodes together spend from. A value below 0, or NaN, is no answer.
	Spend(ctx context.Context, list []Spent) (missing []float64, err error)
}

// mark is one kind of limit of an entry.
type mark struct {
	e    *entry
	kind kind
}

// pending is the amount spent since the last exchange.
type pending struct {
	rate Rate
	n    int64
}

// note adds the spending of a share, for other nodes.
func (l *Limits) note(s share, n int64) {
	m := mark{s.e, s.kind}
	if l.spent != nil && l.spent[m] == nil && len(l.spent) < togetherMost {
		l.spent[m] = &pending{rate: s.rate}
	}
	if p := l.spent[m]; p != nil {
		p.n += n
	}
}

// Share reports the amounts that this node let pass to other nodes once a second, and takes theirs from its own
// buckets, until ctx ends. Nobody waits for it, and it never fills a bucket. Amounts that could not be reported are
// lost to the others.
func (l *Limits) Share(ctx context.Context, with Shared) {
	// The implementation of Shared reports its own failures.
	worker.Every(ctx, tellEvery, func() { _ = l.Exchange(ctx, with) })
}

// Exchange reports and takes once. Share calls it; the first call only begins to note spending.
func (l *Limits) Exchange(ctx context.Context, with Shared) error {
	marks, list := l.take()
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

// take returns the amounts to report, and begins to note spending. Shares without spending are reported as long as
// their bucket is not full.
func (l *Limits) take() (marks []mark, list []Spent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spent == nil {
		l.spent = map[mark]*pending{}
	}
	now := l.Now()
	for m, p := range l.spent {
		r := p.rate
		if p.n == 0 && m.e.bucket(m.kind, r).TokensAt(now) >= float64(r.Burst) {
			delete(l.spent, m)
			continue
		}
		name := fmt.Sprintf("%s %T %v %d/%d:%d", names[m.kind], m.e.of, m.e.of, r.Count, r.Per, r.Burst)
		marks, list = append(marks, m), append(list, Spent{name, r, p.n})
		p.n = 0
	}
	return marks, list
}

// tighten takes the difference from a bucket that has more than all nodes together have left. It never owes more than
// it can have, for any answer.
func (l *Limits) tighten(m mark, r Rate, missing float64) {
	if math.IsNaN(missing) || missing < 0 {
		return
	}
	burst, now, bucket := float64(r.Burst), l.Now(), m.e.bucket(m.kind, r)
	left := burst - min(missing, 2*burst)
	if p := l.spent[m]; p != nil {
		left -= float64(p.n) // spent meanwhile
	}
	more := int64(bucket.TokensAt(now) - max(left, -burst))
	for ; more > 0; more -= r.Burst {
		bucket.ReserveN(now, int(min(more, r.Burst)))
	}
}
