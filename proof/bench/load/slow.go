package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"sandlot/proof/bench/rig"
)

const (
	idleConns   = 7_000 // with the slow ones nearly the limit for 20,000 files
	slowConns   = 7_000
	headerCut   = 10 * time.Second
	cutSlack    = 5 * time.Second // a busy machine may notice late
	dripBytes   = 100             // a second
	dripConns   = 1_000
	bodyCut     = 10 * time.Second
	readerCut   = 20 * time.Second
	readerBytes = 64 << 10 // bytes of memory per reader
	// stalledCut is when readers must be gone: until the buffers of both systems are full they appear to read, and then
	// have up to two waits.
	stalledCut = 3*readerCut + cutSlack
)

// slowHeaders is row 1.
func slowHeaders(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	before, err := s.probe(ctx, l.limit)
	if err != nil {
		return nil, err
	}
	get := rig.Get("/", s.host, "")
	idle, err := connect(ctx, s.Addr, idleConns, func(int) []byte { return get })
	defer closeAll(idle)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	slow, err := connect(ctx, s.Addr, slowConns, func(int) []byte { return []byte("GET / HTTP/1.1\r\nHost: ") })
	defer closeAll(slow)
	if err != nil {
		return nil, err
	}
	opened := time.Since(began)
	cuts := make(chan cut, 1)
	go func() { cuts <- watch(slow, began, headerCut+opened+cutSlack, nil) }()
	during, err := s.probe(ctx, headerCut-opened/2)
	if err != nil {
		return nil, err
	}
	c := <-cuts
	return []result{
		unaffected(before, during),
		c.result(fmt.Sprintf("%d slow headers beside %d idle connections", slowConns, idleConns), headerCut+opened+cutSlack),
	}, s.Remove()
}

// slowBodies is row 2.
func slowBodies(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	before, err := s.probe(ctx, l.limit)
	if err != nil {
		return nil, err
	}
	head := fmt.Appendf(nil,
		"POST /v1/publish HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: "+
			"1000000\r\n\r\n{\"content\":\"", s.Addr, s.key)
	began := time.Now()
	slow, err := connect(ctx, s.Addr, dripConns, func(int) []byte { return head })
	defer closeAll(slow)
	if err != nil {
		return nil, err
	}
	limit := 2*bodyCut + cutSlack
	cuts := make(chan cut, 1)
	go func() { cuts <- watch(slow, began, limit, make([]byte, dripBytes)) }()
	during, err := s.probe(ctx, bodyCut)
	if err != nil {
		return nil, err
	}
	c := <-cuts
	return []result{unaffected(before, during), c.result("1,000 bodies at 100 B/s", limit)}, s.Remove()
}

// slowReaders is row 3.
func slowReaders(ctx context.Context, l *load) ([]result, error) {
	s, err := l.stage(ctx)
	if err != nil {
		return nil, err
	}
	large, err := s.Publish(ctx, s.key, page(100<<20))
	if err != nil {
		return nil, err
	}
	u, err := s.unread(ctx, l.limit, dripConns, dripConns/100, rig.Get("/", s.Host(large), ""))
	if err != nil {
		return nil, err
	}
	return []result{
		u.visitors,
		promised("memory of each of 1,000 slow readers", "< 64 KiB", u.each < readerBytes, "%.1f KiB", float64(u.each)/1024),
		promised("1,000 readers of 100 MB that read nothing are cut", "<= "+stalledCut.String(), u.left <= dripConns/100,
			"%d left after %s", u.left, u.late),
	}, s.Remove()
}

// unread holds the results for clients that do not read their answers.
type unread struct {
	visitors result // of the honest visitors meanwhile
	each     int64  // bytes of memory per client
	left     int    // clients that were not cut
	late     time.Duration
}

// unread lets n clients send a request and not read the answer, until all but few are cut.
func (s *stage) unread(ctx context.Context, limit time.Duration, n, few int, request []byte) (u unread, err error) {
	before, err := s.probe(ctx, limit)
	if err != nil {
		return u, err
	}
	idle, err := s.Idle(ctx)
	if err != nil {
		return u, err
	}
	began := time.Now()
	stalled, err := connect(ctx, s.Addr, n, func(int) []byte { return request })
	defer closeAll(stalled)
	if err != nil {
		return u, err
	}
	during, err := s.probe(ctx, readerCut/2)
	if err != nil {
		return u, err
	}
	busy, err := s.Memory()
	if err != nil {
		return u, err
	}
	left, at := s.until(ctx, began.Add(stalledCut), few)
	return unread{unaffected(before, during), (busy.Peak - idle.Now) / int64(n), left, at.Sub(began).Round(time.Second)}, nil
}

// until waits until the service has at most few connections, or until a time, and returns the number left and the time
// of that.
func (s *stage) until(ctx context.Context, limit time.Time, few int) (left int, at time.Time) {
	const own = 40 // its own files: the database, folders, the listener
	for {
		n, err := s.Files()
		if left = max(0, n-own); err != nil || left <= few || time.Now().After(limit) || ctx.Err() != nil {
			return left, time.Now()
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// A cut holds the times at which the service ended connections.
type cut struct {
	n, of       int
	first, last time.Duration
}

func (c cut) result(what string, limit time.Duration) result {
	return promised(what+" are cut", "<= "+limit.Round(time.Second).String(), c.n == c.of, "%d of %d, after %s to %s", c.n, c.of,
		c.first.Round(time.Second), c.last.Round(time.Second))
}

// watch waits for each connection to end, and sends drip on it every second.
func watch(lanes []*rig.Lane, began time.Time, limit time.Duration, drip []byte) cut {
	var mu sync.Mutex
	out := cut{of: len(lanes), first: limit}
	var wg sync.WaitGroup
	for _, l := range lanes {
		wg.Go(func() {
			if !ended(l.Conn(), began.Add(limit), drip) {
				return
			}
			after := time.Since(began)
			mu.Lock()
			defer mu.Unlock()
			out.n, out.first, out.last = out.n+1, min(out.first, after), max(out.last, after)
		})
	}
	wg.Wait()
	return out
}

// ended reports whether a connection ended before a time.
func ended(c net.Conn, limit time.Time, drip []byte) bool {
	b := make([]byte, 256)
	for time.Now().Before(limit) {
		if c.SetReadDeadline(time.Now().Add(time.Second)) != nil {
			return true
		}
		// An answer, such as 408, precedes the end.
		if _, err := c.Read(b); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return true
		}
		if drip != nil {
			if _, err := c.Write(drip); err != nil {
				return true
			}
		}
	}
	return false
}

// busyAnswer reports whether an answer asks the client to come back later.
func busyAnswer(res *http.Response) bool {
	return (res.StatusCode == http.StatusServiceUnavailable || res.StatusCode == http.StatusTooManyRequests) &&
		res.Header.Get("Retry-After") != ""
}
