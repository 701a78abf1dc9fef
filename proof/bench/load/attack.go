package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"sandlot/proof/bench/rig"
)

// Rows from 21 on are attacks that once worked, each beside honest visitors: the number is 20 above that in
// docs/regressions.md.
const (
	bombBytes     = 100 << 20
	bombClients   = 4
	bombLimit     = 256 << 20 // bytes per address at once in row 22
	dripNetworks  = 256
	dripSlots     = 64
	honestWait    = 2 * time.Second
	makers        = 16 // clients that make up popularity
	playsOnce     = 60
	likesOnce     = 20
	healthWait    = time.Second
	silentConns   = 7_000
	anHourOfPlays = 240 // and as many again each hour
	anHourOfLikes = 60
)

// public starts a service with a public instance's settings. This program acts as the proxy in front of it, and the
// attackers are its clients.
func (l *load) public(ctx context.Context, flags ...string) (*stage, error) {
	return l.stage(ctx,
		append([]string{
			"--base-url", "https://play.example.com", "--content-host", "localhost", "--disk-limit", "100",
			"--trusted-proxies", "127.0.0.1",
		}, flags...)...)
}

// behind adds the address of a client to a request, as a proxy does.
func behind(addr string, request []byte) []byte {
	return bytes.Replace(request, []byte("\r\n"), []byte("\r\nX-Forwarded-For: "+addr+"\r\n"), 1)
}

// bomb returns the body of a publish of 100 MB that repeats one text.
func bomb(text string) ([]byte, error) {
	return packed(`"email":"bomb@mail.internal",`, bytes.Repeat([]byte(text), (1<<20)/len(text)), bombBytes>>20)
}

// packed returns the body of a publish with gzipped content: a piece, repeated. The fields come before the content.
func packed(fields string, piece []byte, times int) ([]byte, error) {
	var content bytes.Buffer
	z := gzip.NewWriter(&content)
	for range times {
		if _, err := z.Write(piece); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{%s"content_encoding":"gzip+base64",%s}`, fields,
		rig.JSON("content", base64.StdEncoding.EncodeToString(content.Bytes()))), nil
}

// keyBomb is row 21: the cost of content full of beginnings of keys, compared with content of blanks.
func keyBomb(ctx context.Context, l *load) ([]result, error) {
	s, err := l.public(ctx)
	if err != nil {
		return nil, err
	}
	cost := func(text string) (time.Duration, error) {
		body, err := bomb(text)
		if err != nil {
			return 0, err
		}
		lane, err := rig.NewLane(ctx, s.Addr)
		if err != nil {
			return 0, err
		}
		defer lane.Close()
		before, err := s.CPU()
		if err != nil {
			return 0, err
		}
		if _, err := lane.Want(http.StatusCreated, rig.Post("/v1/publish", s.Addr, "application/json", s.key, body)); err != nil {
			return 0, err
		}
		after, err := s.CPU()
		return after - before, err
	}
	blank, err := cost("    ")
	if err != nil {
		return nil, err
	}
	before, err := s.probe(ctx, l.limit)
	if err != nil {
		return nil, err
	}
	var dear time.Duration
	during, err := s.withVisitors(ctx, l.limit, func() error { dear, err = cost("sla_"); return err })
	if err != nil {
		return nil, err
	}
	// The second figure includes the visitors' loads: so a factor of three, while the search itself may take two.
	return []result{
		unaffected(before, during),
		promised("processor time of 100 MB of beginnings of keys, visitors beside", "<= 3 x that of blanks, and 1 s",
			dear <= 3*blank+time.Second, "%s, blanks %s", dear.Round(10*time.Millisecond), blank.Round(10*time.Millisecond)),
	}, s.Remove()
}

// withVisitors lets honest visitors load the page during an attack.
func (s *stage) withVisitors(ctx context.Context, limit time.Duration, attack func() error) (rig.Times, error) {
	failed := make(chan error, 1)
	go func() { failed <- attack() }()
	during, err := s.probe(ctx, limit)
	if attacked := <-failed; err == nil {
		err = attacked
	}
	return during, err
}

// diskBomb is row 22: small bodies that become large on the disk, from one address.
func diskBomb(ctx context.Context, l *load) ([]result, error) {
	s, err := l.public(ctx, "--limit", fmt.Sprintf("bytes=3600/h:%d", bombLimit), "--limit", "accounts=off")
	if err != nil {
		return nil, err
	}
	body, err := bomb("    ")
	if err != nil {
		return nil, err
	}
	blobs := filepath.Join(s.Data, "blobs")
	start, err := rig.Size(blobs)
	if err != nil {
		return nil, err
	}
	before, err := s.probe(ctx, l.limit)
	if err != nil {
		return nil, err
	}
	request := behind("203.0.113.66", rig.Post("/v1/publish", s.Addr, "application/json", "", body))
	var made, refused atomic.Int64
	during, err := s.withVisitors(ctx, l.limit, func() error {
		_, err := rig.Crowd(ctx, s.Addr, bombClients, 0, l.limit, func(*rig.Lane, int, int) error {
			lane, err := rig.NewLane(ctx, s.Addr) // a refusal may end the connection
			if err != nil {
				return err
			}
			defer lane.Close()
			return count(lane, request, &made, &refused)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	size, err := rig.Size(blobs)
	if err != nil {
		return nil, err
	}
	return []result{
		unaffected(before, during),
		promised(fmt.Sprintf("bombs of 100 MB made, by one address that has %d MiB", bombLimit>>20),
			fmt.Sprintf("<= %d", bombLimit/bombBytes), made.Load() <= bombLimit/bombBytes, "%d, %d refused", made.Load(), refused.Load()),
		promised("bytes on the disk", fmt.Sprintf("<= %d MiB", bombLimit>>20), size-start <= bombLimit, "%d MiB", (size-start)>>20),
	}, s.Remove()
}

// tally sends a publish and counts its outcome: made, or refused as busy.
func tally(lane *rig.Lane, request []byte, made, refused *atomic.Int64) (busy bool, err error) {
	res, answer, err := lane.Do(request)
	switch {
	case err != nil:
		return false, err
	case res.StatusCode == http.StatusCreated:
		made.Add(1)
		return false, nil
	case busyAnswer(res):
		refused.Add(1)
		return true, nil
	}
	return false, fmt.Errorf("%s: %.200s", res.Status, answer)
}

// count works like tally, for an attack of bodies: without a pause after a refusal it would be an attack of requests,
// which is row 5.
func count(lane *rig.Lane, request []byte, made, refused *atomic.Int64) error {
	busy, err := tally(lane, request, made, refused)
	if busy {
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// slots is row 24: bodies from all networks of a /56, at 1.6 KB a second each.
func slots(ctx context.Context, l *load) ([]result, error) {
	s, err := l.public(ctx, "--max-bodies", fmt.Sprint(dripSlots), "--limit", "writes=off", "--limit", "accounts=off")
	if err != nil {
		return nil, err
	}
	before, err := s.probe(ctx, l.limit)
	if err != nil {
		return nil, err
	}
	attack, stop := context.WithCancel(ctx)
	var dripping sync.WaitGroup
	for i := range dripNetworks {
		head := fmt.Appendf(nil,
			"POST /v1/publish HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: 2001:db8:0:%x::1\r\nContent-Type: "+
				"application/json\r\nContent-Length: 1000000\r\n\r\n{\"content\":\"", s.Addr, i)
		dripping.Go(func() { drip(attack, s.Addr, head) })
	}
	request := behind("203.0.113.7", rig.Post("/v1/publish", s.Addr, "application/json", s.key,
		[]byte("{"+rig.JSON("content", base64.StdEncoding.EncodeToString(page(10<<10)))+"}")))
	var honest rig.Times
	var made, refused atomic.Int64
	during, err := s.withVisitors(ctx, l.limit, func() (err error) {
		honest, err = rig.Crowd(ctx, s.Addr, 1, 0, l.limit, func(*rig.Lane, int, int) error {
			began := time.Now()
			for was := made.Load(); made.Load() == was && time.Since(began) < 10*honestWait; {
				lane, err := rig.NewLane(ctx, s.Addr)
				if err != nil {
					return err
				}
				err = count(lane, request, &made, &refused)
				lane.Close()
				if err != nil {
					return err
				}
			}
			time.Sleep(50 * time.Millisecond)
			return nil
		})
		return err
	})
	stop()
	dripping.Wait()
	if err != nil {
		return nil, err
	}
	slowest := honest.Quantile(1)
	return []result{
		unaffected(before, during),
		promised(fmt.Sprintf("the slowest of %d honest publishes, with %d networks of a /56 at %d slots", made.Load(), dripNetworks,
			dripSlots), "<= "+honestWait.String(), made.Load() > 0 &&
			slowest <= honestWait, "%s, %d refused first", slowest.Round(time.Millisecond), refused.Load()),
	}, s.Remove()
}

// drip sends one slow body after another.
func drip(ctx context.Context, addr string, head []byte) {
	piece := bytes.Repeat([]byte("A"), 160)
	for ctx.Err() == nil {
		lane, err := rig.NewLane(ctx, addr)
		if err != nil {
			return
		}
		for next := head; ; next = piece {
			if _, err := lane.Conn().Write(next); err != nil || ctx.Err() != nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		lane.Close()
	}
}

// popularity is row 26: plays and likes made up by one address.
func popularity(ctx context.Context, l *load) ([]result, error) {
	s, err := l.public(ctx)
	if err != nil {
		return nil, err
	}
	before, err := s.probe(ctx, l.limit)
	if err != nil {
		return nil, err
	}
	start, err := s.API("").Stats(ctx, s.project)
	if err != nil {
		return nil, err
	}
	var turn atomic.Int64
	began := time.Now()
	during, err := s.withVisitors(ctx, l.limit, func() error {
		_, err := rig.Crowd(ctx, s.Addr, makers, 0, l.limit, func(lane *rig.Lane, _, _ int) error {
			n := turn.Add(1)
			var request []byte
			switch n % 3 {
			case 0:
				request = rig.Get("/", s.host, fmt.Sprintf("User-Agent: visitor %d\r\n", n))
			case 1:
				request = rig.Get("/", s.host, fmt.Sprintf("User-Agent: visitor %d\r\nIf-None-Match: *\r\n", n))
			default:
				request = rig.Post("/p/"+s.project+"/like", "play.example.com", "application/x-www-form-urlencoded", "", []byte("like=1"))
				request = bytes.Replace(request, []byte("\r\n"),
					[]byte("\r\nOrigin: https://play.example.com\r\nSec-Fetch-Site: same-origin\r\n"), 1)
			}
			_, _, err := lane.Do(behind("203.0.113.66", request))
			return err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	after, err := s.API("").Stats(ctx, s.project)
	if err != nil {
		return nil, err
	}
	// The visitors count as one, since they are on this machine.
	hours := time.Since(began).Hours()
	plays, likes := after.Plays-start.Plays, after.Likes-start.Likes
	mostPlays, mostLikes := int64(playsOnce+1+hours*anHourOfPlays), int64(likesOnce+1+hours*anHourOfLikes)
	return []result{
		unaffected(before, during),
		promised("plays that one address makes up", fmt.Sprintf("<= %d", mostPlays), plays <= mostPlays, "%d of %d tries", plays,
			turn.Load()/3*2),
		promised("likes that it makes up", fmt.Sprintf("1 to %d", mostLikes), likes > 0 && likes <= mostLikes, "%d of %d tries", likes,
			turn.Load()/3),
	}, s.Remove()
}

// silent is row 28: connections on which nothing is ever sent.
func silent(ctx context.Context, l *load) ([]result, error) {
	s, err := l.public(ctx)
	if err != nil {
		return nil, err
	}
	before, err := s.probe(ctx, l.limit)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	lanes, err := connect(ctx, s.Addr, silentConns, func(int) []byte { return nil })
	defer closeAll(lanes)
	if err != nil {
		return nil, err
	}
	opened := time.Since(began)
	limit := headerCut + opened + cutSlack
	cuts := make(chan cut, 1)
	go func() { cuts <- watch(lanes, began, limit, nil) }()
	health, err := s.health(ctx)
	if err != nil {
		return nil, err
	}
	during, err := s.probe(ctx, max(headerCut-opened, time.Second))
	if err != nil {
		return nil, err
	}
	c := <-cuts
	return []result{
		unaffected(before, during),
		promised("/healthz on the private listener, beside them", "<= "+healthWait.String(), health <= healthWait, "%s",
			health.Round(10*time.Microsecond)),
		c.result(fmt.Sprintf("%d connections that send nothing", silentConns), limit),
	}, s.Remove()
}

// health requests the health page on the private listener, and returns the time it took.
func (s *stage) health(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	lane, err := rig.NewLane(ctx, s.Metrics)
	if err != nil {
		return 0, err
	}
	defer lane.Close()
	_, err = lane.Want(http.StatusOK, rig.Get("/healthz", s.Metrics, ""))
	return time.Since(began), err
}
