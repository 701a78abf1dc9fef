package rig

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Times holds the times of requests.
type Times struct {
	All  []time.Duration // sorted
	Took time.Duration   // from the first request to the last answer
}

// Rate returns the requests in a second.
func (t Times) Rate() float64 { return float64(len(t.All)) / t.Took.Seconds() }

// Quantile returns the time that a part q of the requests did not exceed; 0 if there are none.
func (t Times) Quantile(q float64) time.Duration {
	if len(t.All) == 0 {
		return 0
	}
	return t.All[min(int(q*float64(len(t.All))), len(t.All)-1)]
}

// Crowd lets n clients, each with a connection to addr, send one request after another until the time is over or each
// has sent most (0: no limit). next sends the i-th request of client c. The first error ends all.
func Crowd(ctx context.Context, addr string, n, most int, limit time.Duration, next func(l *Lane, c, i int) error) (Times, error) {
	return CrowdOf(ctx, []string{addr}, n, most, limit, next)
}

// CrowdOf works like Crowd, with the clients spread over several addresses.
func CrowdOf(ctx context.Context, addrs []string, n, most int, limit time.Duration, next func(l *Lane, c, i int) error) (Times, error) {
	lanes := make([]*Lane, n)
	for c := range lanes {
		var err error
		if lanes[c], err = NewLane(ctx, addrs[c%len(addrs)]); err != nil {
			return Times{}, err
		}
		defer lanes[c].Close()
	}
	var mu sync.Mutex
	var out Times
	g, ctx := errgroup.WithContext(ctx)
	began := time.Now()
	for c, l := range lanes {
		g.Go(func() error {
			times, err := oneOf(ctx, l, c, most, began.Add(limit), next)
			mu.Lock()
			defer mu.Unlock()
			out.All = append(out.All, times...)
			return err
		})
	}
	err := g.Wait()
	out.Took = time.Since(began)
	slices.Sort(out.All)
	return out, err
}

func oneOf(ctx context.Context, l *Lane, c, most int, until time.Time, next func(l *Lane, c, i int) error) ([]time.Duration, error) {
	var times []time.Duration
	for i := 0; (most == 0 || i < most) && ctx.Err() == nil; i++ {
		began := time.Now()
		if !began.Before(until) {
			break
		}
		if err := next(l, c, i); err != nil {
			return times, err
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}
