package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	api "sandlot/internal/client/client"
)

// A worker is one client with a shard of its own.
type worker struct {
	n      int
	shard  *shard
	draw   *drawer
	random *rand.Rand
	ledger *ledger
	keys   *keyring
	count  *counts

	sent  int  // times that the pending operation was sent
	seen  bool // whether the pending operation was seen to have happened
	since int  // first operation whose changes are not compared yet
}

// record writes to the ledger, then to the shard.
func (w *worker) record(r record) error {
	r.Worker = w.n
	if err := w.ledger.write(r); err != nil {
		return err
	}
	w.shard.apply(r)
	return nil
}

// work sends the pending operation again and then draws new ones, at most steps, until the program is gone, which is no
// error.
func (w *worker) work(c *client, steps int) error {
	for range steps {
		err := w.step(c)
		if errors.Is(err, api.ErrNoAnswer) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("worker %d: %w", w.n, err)
		}
	}
	return nil
}

func (w *worker) step(c *client) error {
	if w.shard.Pending == nil {
		if w.random.IntN(8) == 0 && len(w.shard.Accounts) > 0 {
			return w.look(c)
		}
		if err := w.record(record{Intent: w.draw.next(w.shard)}); err != nil {
			return err
		}
		w.sent, w.seen = 0, false
	}
	return w.sendOnce(c)
}

// settle sends the pending operation until it is answered.
func (w *worker) settle(c *client) error {
	if w.shard.Pending == nil {
		return nil
	}
	if err := w.sendOnce(c); err != nil && !errors.Is(err, api.ErrNoAnswer) {
		return fmt.Errorf("worker %d: %w", w.n, err)
	}
	return nil
}

// sendOnce sends the pending operation once.
func (w *worker) sendOnce(c *client) error {
	o := w.shard.Pending
	a, err := c.send(w.shard, o, w.sent)
	w.count.sent(w.sent > 0, err)
	w.sent++
	if err != nil {
		return err
	}
	ack, err := w.shard.judge(o, a, w.keys)
	if err != nil {
		return err
	}
	w.count.acked(o.counts(), w.sent > 1, w.seen, a.FromRecord)
	return w.record(record{Ack: &ack})
}

// look compares one account that only this worker changes, while others change theirs.
func (w *worker) look(c *client) error {
	check := checker{client: c, shard: w.shard}
	a := w.shard.Accounts[w.random.IntN(len(w.shard.Accounts))]
	one := -1
	if n := len(a.Projects); n > 0 {
		one = w.random.IntN(n)
	}
	err := check.account(a, func(p *project) bool { return one >= 0 && p == a.Projects[one] }, w.random.IntN(4) == 0)
	w.count.looked(check.bytes)
	return err
}

// check compares the shard with the service before new work begins.
func (w *worker) check(c *client, whole bool) error {
	check := checker{client: c, shard: w.shard}
	happened, err := check.quiet(w.since, w.seen, whole)
	w.count.looked(check.bytes)
	if errors.Is(err, api.ErrNoAnswer) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("worker %d: %w", w.n, err)
	}
	w.seen, w.since = happened, w.shard.Ops
	return nil
}
