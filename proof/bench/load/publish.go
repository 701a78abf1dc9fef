package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"sandlot/proof/bench/rig"
)

const (
	packedConns  = 50
	stormClients = 64
	stormRate    = 2_000  // a second in total
	stormers     = 10_000 // addresses of the second storm
	updateConns  = 500
	signups      = 10_000
	signupConns  = 32
)

// packedBodies is row 4.
func packedBodies(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	idle, err := s.Idle(ctx)
	if err != nil {
		return nil, err
	}
	body, err := packed("", page(100<<20), 1)
	if err != nil {
		return nil, err
	}
	request := rig.Post("/v1/publish", s.Addr, "application/json", s.key, body)
	var made, refused atomic.Int64
	t, err := rig.Crowd(ctx, s.Addr, packedConns, 1, time.Hour, func(l *rig.Lane, _, _ int) error {
		_, err := tally(l, request, &made, &refused)
		return err
	})
	if err != nil {
		return nil, err
	}
	busy, err := s.Memory()
	if err != nil {
		return nil, err
	}
	grown := float64(busy.Peak-idle.Now) / (1 << 20)
	return []result{
		promised("50 publishes of 100 MB, packed, at once: memory over idle", "< 50 MiB", grown < packedConns, "%.0f MiB", grown),
		told("of them made, and told to come again", "%d and %d in %s", made.Load(), refused.Load(), t.Took.Round(time.Second)),
	}, s.Remove()
}

// storm is row 5: first from one address, then from ten thousand.
func storm(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx, "--limits", "normal", "--trusted-proxies", "127.0.0.1")
	if err != nil {
		return nil, err
	}
	before, err := s.probe(ctx, l.limit/2)
	if err != nil {
		return nil, err
	}
	one, err := s.storm(ctx, l.limit, func(int) string { return "203.0.113.7" })
	if err != nil {
		return nil, err
	}
	many, err := s.storm(ctx, l.limit, func(i int) string { return fmt.Sprintf("198.18.%d.%d", i%stormers/256, i%256) })
	if err != nil {
		return nil, err
	}
	return []result{
		promised("from one address, made", "<= 20 and 1 a minute more", one.made <= 25, "%d, and %d refused with Retry-After, %.0f/s",
			one.made, one.refused, one.rate),
		unaffected(before, one.visitors),
		told("from 10,000 addresses, made", "%d, and %d refused, %.0f/s", many.made, many.refused, many.rate),
		unaffected(before, many.visitors),
	}, s.Remove()
}

// A stormed holds the results of a storm.
type stormed struct {
	made, refused int64
	rate          float64
	visitors      rig.Times
}

// storm publishes without a key from the addresses that from returns, while honest visitors load the page.
func (s *stage) storm(ctx context.Context, limit time.Duration, from func(i int) string) (stormed, error) {
	var made, refused, turn atomic.Int64
	content := base64.StdEncoding.EncodeToString(page(1000))
	began := time.Now()
	var t rig.Times
	visitors, err := s.withVisitors(ctx, limit, func() (err error) {
		t, err = rig.Crowd(ctx, s.Addr, stormClients, 0, limit, func(*rig.Lane, int, int) error {
			i := int(turn.Add(1))
			time.Sleep(time.Until(began.Add(time.Second * time.Duration(i) / stormRate)))
			l, err := rig.NewLane(ctx, s.Addr) // a refusal before the end of the body ends the connection
			if err != nil {
				return err
			}
			defer l.Close()
			body := fmt.Sprintf(`{"email":"storm-%d@mail.internal","content":%q}`, i, content)
			_, err = tally(l, behind(from(i), rig.Post("/v1/publish", s.Addr, "application/json", "", []byte(body))), &made, &refused)
			return err
		})
		return err
	})
	return stormed{made.Load(), refused.Load(), t.Rate(), visitors}, err
}

// updates is row 6.
func updates(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	var done, refused atomic.Int64
	var seen [updateConns + 2]atomic.Int64 // times that each version was made
	t, err := rig.Crowd(ctx, s.Addr, updateConns, 1, time.Hour, func(l *rig.Lane, c, _ int) error {
		body := fmt.Sprintf(`{"project_id":%q,"filename":"file-%d.txt","content":%q}`, s.project, c,
			base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "by %d", c)))
		res, answer, err := l.Do(rig.Post("/v1/update", s.Addr, "application/json", s.key, []byte(body)))
		switch {
		case err != nil:
			return err
		case busyAnswer(res) || res.StatusCode == http.StatusConflict:
			refused.Add(1)
			return nil
		case res.StatusCode != http.StatusOK:
			return fmt.Errorf("%s: %.200s", res.Status, answer)
		}
		var made struct {
			Version int `json:"version"`
		}
		if err := json.Unmarshal(answer, &made); err != nil || made.Version >= len(seen) {
			return fmt.Errorf("version %d, %w", made.Version, err)
		}
		done.Add(1)
		seen[made.Version].Add(1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	gaps := 0
	for v := 2; v < 2+int(done.Load()); v++ {
		if seen[v].Load() != 1 {
			gaps++
		}
	}
	return []result{
		promised("500 updates at once: versions that are missing or were told twice", "0", gaps == 0, "%d", gaps),
		told("updates made, told to come again, and the slowest", "%d, %d and %s", done.Load(), refused.Load(),
			t.Quantile(1).Round(time.Millisecond)),
	}, s.Remove()
}

// handles is row 7.
func handles(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	tenth := func() (time.Duration, error) {
		t, err := rig.Crowd(ctx, s.Addr, signupConns, signups/10/signupConns, time.Hour, func(l *rig.Lane, c, i int) error {
			_, err := l.Want(http.StatusCreated, rig.Post("/v1/signup", s.Addr, "application/json", "", []byte(`{"handle":"alice"}`)))
			return err
		})
		return t.Quantile(0.5), err
	}
	var times []time.Duration
	for range 10 {
		p50, err := tenth()
		if err != nil {
			return nil, err
		}
		times = append(times, p50)
	}
	first, last := times[0], times[len(times)-1]
	return []result{promised("10,000 signups as alice: p50 of the last thousand", "<= 2 x the first thousand's", last <= 2*first,
		"%s after %s", last.Round(10*time.Microsecond), first.Round(10*time.Microsecond))}, s.Remove()
}
