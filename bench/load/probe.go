package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"sandlot/bench/rig"
)

// A stage is a service with one published page.
type stage struct {
	*rig.Service
	key, project, host string
}

// stage starts a service and publishes a page.
func (l *load) stage(ctx context.Context, flags ...string) (*stage, error) {
	s, err := l.Service(ctx, "", flags...)
	if err != nil {
		return nil, err
	}
	st := &stage{Service: s}
	if st.key, err = s.Signup(ctx, "stage@example.com"); err != nil {
		return nil, err
	}
	if st.project, err = s.Publish(ctx, st.key, page(10<<10)); err != nil {
		return nil, err
	}
	st.host = s.Host(st.project)
	return st, st.warm(ctx)
}

// page makes n bytes of a page.
func page(n int) []byte {
	b := []byte("<!doctype html><title>Load</title><pre>\n")
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "line %d of many\n", i)
	}
	return b[:n]
}

func (s *stage) warm(ctx context.Context) error {
	_, err := s.probe(ctx, time.Second)
	return err
}

const (
	probers    = 4
	probePause = 5 * time.Millisecond
)

// probe loads the page as a few honest visitors do, each on a connection that is
// new every time, for that long.
func (s *stage) probe(ctx context.Context, limit time.Duration) (rig.Times, error) {
	request := rig.Get("/", s.host, "")
	return rig.Crowd(ctx, s.Addr, probers, 0, limit, func(*rig.Lane, int, int) error {
		l, err := rig.NewLane(ctx, s.Addr)
		if err != nil {
			return err
		}
		defer l.Close()
		if _, err := l.Want(http.StatusOK, request); err != nil {
			return err
		}
		time.Sleep(probePause)
		return nil
	})
}

// unaffected compares what honest visitors waited before a load and during it. A
// probe pauses; the pause is taken off. On few cores the load's own clients take
// their part of the time, so below two milliseconds nothing is told apart.
func unaffected(before, during rig.Times) result {
	const floor = 2 * time.Millisecond
	b, d := before.Quantile(0.99)-probePause, during.Quantile(0.99)-probePause
	return promised("honest visitors' loads, p99", fmt.Sprintf("<= 2 x %s before", max(b, floor).Round(10*time.Microsecond)), d <= 2*max(b, floor), "%s", d.Round(10*time.Microsecond))
}

// connect opens n connections, each of which then sends what begin makes for it.
func connect(ctx context.Context, addr string, n int, begin func(i int) []byte) ([]*rig.Lane, error) {
	lanes := make([]*rig.Lane, 0, n)
	for i := range n {
		l, err := rig.NewLane(ctx, addr)
		if err != nil {
			return lanes, err
		}
		lanes = append(lanes, l)
		if _, err := l.Conn().Write(begin(i)); err != nil {
			return lanes, err
		}
	}
	return lanes, nil
}

func closeAll(lanes []*rig.Lane) {
	for _, l := range lanes {
		l.Close()
	}
}
