package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"sandlot/internal/client/client"
	"sandlot/proof/bench/rig"
)

const (
	playClients   = 32
	exportFiles   = 10 // of 100 MB
	exportClients = 20
	exportMemory  = 1 << 20 // per export
	keyClients    = 16
	keyRate       = 1000 // a second in total
	wholePage     = 1000
)

// hot is row 8.
func hot(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	before, err := s.ReadBytes()
	if err != nil {
		return nil, err
	}
	url := "http://" + s.Addr + "/"
	plain, err := rig.Wrk(ctx, l.limit, url, "Host: "+s.host)
	if err != nil {
		return nil, err
	}
	lane, err := rig.NewLane(ctx, s.Addr)
	if err != nil {
		return nil, err
	}
	defer lane.Close()
	res, _, err := lane.Do(rig.Get("/", s.host, ""))
	if err != nil {
		return nil, err
	}
	unchanged, err := rig.Wrk(ctx, l.limit, url, "Host: "+s.host, "If-None-Match: "+res.Header.Get("Etag"))
	if err != nil {
		return nil, err
	}
	after, err := s.ReadBytes()
	if err != nil {
		return nil, err
	}
	requests := (plain + unchanged) * l.limit.Seconds()
	// All reads, including sockets and pipes: a wrk request has under 200 bytes.
	each := float64(after-before) / requests
	return []result{
		told("a hot page of 10 KiB", "%.0f/s whole, %.0f/s as 304", plain, unchanged),
		promised("bytes read for each request, the request itself included", "< 300: none of the 10 KiB", each < 300, "%.0f", each),
	}, s.Remove()
}

// plays is row 11.
func plays(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	start, err := s.API("").Stats(ctx, s.project)
	if err != nil {
		return nil, err
	}
	written, err := s.kept()
	if err != nil {
		return nil, err
	}
	var turn atomic.Int64
	t, err := rig.Crowd(ctx, s.Addr, playClients, 0, l.limit, func(l *rig.Lane, _, _ int) error {
		_, err := l.Want(http.StatusOK, rig.Get("/", s.host, fmt.Sprintf("User-Agent: visitor %d\r\n", turn.Add(1))))
		return err
	})
	if err != nil {
		return nil, err
	}
	counted, err := s.API("").Stats(ctx, s.project)
	if err != nil {
		return nil, err
	}
	after, err := s.kept()
	if err != nil {
		return nil, err
	}
	rate := float64(after-written) / t.Took.Seconds() / 1024
	return []result{
		promised("plays counted of those by new visitors", "all", counted.Plays-start.Plays == turn.Load(), "%d of %d, %.0f/s",
			counted.Plays-start.Plays, turn.Load(), t.Rate()),
		promised("written to the store for them", "< 100 KiB/s", rate < 100, "%.0f KiB/s", rate),
	}, s.Remove()
}

// kept returns the bytes that the service has written to disks except its log.
func (s *stage) kept() (int64, error) {
	written, err := s.WrittenBytes()
	if err != nil {
		return 0, err
	}
	logged, err := s.Logged()
	return written - logged, err
}

// exports is row 12, with an account of 1 GB.
func exports(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	content := page(100 << 20)
	for i := range exportFiles {
		f := client.Fields{ProjectID: s.project, Filename: fmt.Sprintf("large-%d.txt", i)}
		if _, err := s.API(s.key).Update(ctx, f, bytes.NewReader(content)); err != nil {
			return nil, err
		}
	}
	u, err := s.unread(ctx, l.limit, exportClients, 0, rig.Get("/v1/export", s.Addr, "Authorization: Bearer "+s.key+"\r\n"))
	if err != nil {
		return nil, err
	}
	return []result{
		u.visitors,
		promised("memory of each of 20 exports of 1 GB that nobody reads on", "< 1 MiB", u.each < exportMemory, "%.0f KiB",
			float64(u.each)/1024),
		promised("they are cut", "<= "+stalledCut.String(), u.left == 0, "%d left after %s", u.left, u.late),
	}, s.Remove()
}

// million is row 13.
func million(ctx context.Context, l *load) ([]result, error) {
	dir := l.seeds
	if dir == "" {
		var err error
		if dir, err = l.Folder("seeds"); err != nil {
			return nil, err
		}
	}
	data, err := rig.Seeded(ctx, dir, 1_000_000)
	if err != nil {
		return nil, err
	}
	s, err := l.Service(ctx, data)
	if err != nil {
		return nil, err
	}
	idle, err := s.Idle(ctx)
	if err != nil {
		return nil, err
	}
	st := &stage{Service: s, key: rig.SeededKey(0)}
	page, err := st.timed(ctx, "/v1/whoami?limit=1000")
	if err != nil {
		return nil, err
	}
	size, err := rig.Size(filepath.Clean(data))
	if err != nil {
		return nil, err
	}
	return []result{
		promised("start with a million projects", "< 2 s", s.Took < 2*time.Second, "%s", s.Took.Round(time.Millisecond)),
		promised("whoami, a page of a thousand projects, p99", "< 250 ms", page.Quantile(0.99) < 250*time.Millisecond, "%s",
			page.Quantile(0.99).Round(time.Millisecond)),
		told("memory at rest, and the store", "%d MiB, and %d MiB", idle.Now>>20, size>>20),
	}, s.Stop()
}

// timed requests a path a hundred times.
func (s *stage) timed(ctx context.Context, path string) (rig.Times, error) {
	request := rig.Get(path, s.Addr, "Authorization: Bearer "+s.key+"\r\n")
	return rig.Crowd(ctx, s.Addr, 1, 100, time.Hour, func(l *rig.Lane, _, _ int) error {
		_, err := l.Want(http.StatusOK, request)
		return err
	})
}

// wrongKeys is row 16.
func wrongKeys(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx, "--limits", "normal", "--trusted-proxies", "127.0.0.1")
	if err != nil {
		return nil, err
	}
	before, err := s.timed(ctx, "/v1/whoami")
	if err != nil {
		return nil, err
	}
	var unknown, limited atomic.Int64
	storm := make(chan error, 1)
	go func() {
		_, err := rig.Crowd(ctx, s.Addr, keyClients, 0, l.limit, func(l *rig.Lane, c, i int) error {
			key := rig.MadeUpKey(c, i)
			res, _, err := l.Do(rig.Get("/v1/whoami", s.Addr, "X-Forwarded-For: 203.0.113.7\r\nAuthorization: Bearer "+key+"\r\n"))
			switch {
			case err != nil:
				return err
			case res.StatusCode == http.StatusUnauthorized:
				unknown.Add(1)
			case busyAnswer(res):
				limited.Add(1)
			default:
				return fmt.Errorf("a wrong key: %s", res.Status)
			}
			time.Sleep(time.Second * keyClients / keyRate)
			return nil
		})
		storm <- err
	}()
	var during rig.Times
	for ctx.Err() == nil {
		if during, err = s.timed(ctx, "/v1/whoami"); err != nil {
			return nil, err
		}
		select {
		case err := <-storm:
			if err != nil {
				return nil, err
			}
			return []result{
				promised("wrong keys that were looked up, of one address", "<= 30 and 30 a minute",
					unknown.Load() <= 30+int64(l.limit.Minutes()*30)+1, "%d, and %d refused with Retry-After", unknown.Load(),
					limited.Load()),
				keysUnaffected(before, during),
			}, s.Remove()
		default:
		}
	}
	return nil, ctx.Err()
}

// keysUnaffected compares the waits of the owner of a valid key.
func keysUnaffected(before, during rig.Times) result {
	const floor = 2 * time.Millisecond
	b, d := before.Quantile(0.99), during.Quantile(0.99)
	return promised("calls with a right key, p99", fmt.Sprintf("<= 2 x %s before", max(b, floor).Round(10*time.Microsecond)),
		d <= 2*max(b, floor), "%s", d.Round(10*time.Microsecond))
}
