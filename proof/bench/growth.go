package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"sandlot/proof/bench/rig"
)

const (
	fewProjects   = 1_000
	manyProjects  = 1_000_000
	growthClients = 8
	growthEach    = 250 // publishes per client, so that a thousand projects do not become ten thousand
	startUpMost   = 2 * time.Second
	growthPublish = 1.5
)

// growth compares the time of a publish in a full store with that in a nearly empty one, and measures the start of the
// full one.
func growth(ctx context.Context, b *bench) ([]line, error) {
	few, err := b.seeded(ctx, "", fewProjects)
	if err != nil {
		return nil, err
	}
	many, err := b.seeded(ctx, b.seeds, manyProjects)
	if err != nil {
		return nil, err
	}
	var starts []float64
	p, err := b.pairs(
		func() (float64, error) {
			p50, start, err := b.publishTime(ctx, many)
			starts = append(starts, start.Seconds())
			return p50, err
		},
		func() (float64, error) {
			p50, _, err := b.publishTime(ctx, few)
			return p50, err
		})
	if err != nil {
		return nil, err
	}
	start := median(starts)
	return []line{
		{
			what: "publish of 10 KiB at 1,000,000 projects against 1,000, p50", ours: fmt.Sprintf("%.2f ms", p.ours),
			yard: fmt.Sprintf("%.2f ms", p.yard), ratio: p.ratio, reach: "<= 1.5", reached: p.ratio <= growthPublish,
		},
		{
			what: "start-up at 1,000,000 projects", ours: fmt.Sprintf("%.2f s", start), reach: "< 2 s",
			reached: start < startUpMost.Seconds(),
		},
	}, nil
}

// publishTime returns the median time of a publish in ms, and the time of the start.
func (b *bench) publishTime(ctx context.Context, data string) (p50 float64, start time.Duration, err error) {
	s, err := b.Service(ctx, data)
	if err != nil {
		return 0, 0, err
	}
	requests, err := smallRequests(ctx, s, growthClients, text(smallSize), "")
	if err != nil {
		return 0, 0, err
	}
	if _, err := s.Idle(ctx); err != nil {
		return 0, 0, err
	}
	t, err := rig.Crowd(ctx, s.Addr, growthClients, growthEach, time.Hour, func(l *rig.Lane, c, _ int) error {
		_, err := l.Want(http.StatusCreated, requests[c])
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	return t.Quantile(0.5).Seconds() * 1000, s.Took, s.Stop()
}

// seeded returns a data folder with n projects, which is kept in dir if that is set.
func (b *bench) seeded(ctx context.Context, dir string, n int) (string, error) {
	if dir == "" {
		var err error
		if dir, err = b.Folder("seeds"); err != nil {
			return "", err
		}
	}
	return rig.Seeded(ctx, dir, n)
}
