package main

import (
	"bytes"
	"context"
	"sync/atomic"
	"time"

	"sandlot/proof/bench/rig"
)

// bombers is how many clients send such bodies at once.
const bombers = 4

// keyBombs is row 17: 130 KB on the wire that hold 25 million beginnings of keys.
func keyBombs(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	before, err := s.probe(ctx, l.limit/2)
	if err != nil {
		return nil, err
	}
	body, err := packed("", bytes.Repeat([]byte("sla_"), 250_000), 100)
	if err != nil {
		return nil, err
	}
	request := rig.Post("/v1/publish", s.Addr, "application/json", s.key, body)
	var made, refused atomic.Int64
	cpu, err := s.CPU()
	if err != nil {
		return nil, err
	}
	during, err := s.withVisitors(ctx, l.limit, func() error {
		_, err := rig.Crowd(ctx, s.Addr, bombers, 0, l.limit, func(l *rig.Lane, _, _ int) error {
			_, err := tally(l, request, &made, &refused)
			return err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	spent, err := s.CPU()
	if err != nil {
		return nil, err
	}
	each := time.Duration(int64(spent-cpu) / max(1, made.Load()+refused.Load()))
	return []result{
		promised("processor time for each", "< 2 s", each < 2*time.Second, "%s", each.Round(time.Millisecond)),
		told("made, and told to come again", "%d and %d", made.Load(), refused.Load()),
		unaffected(before, during),
	}, s.Remove()
}
