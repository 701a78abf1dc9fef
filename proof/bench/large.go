package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"sandlot/proof/bench/rig"
)

// largeSize is the size limit of the content of one request.
const largeSize = 100 << 20

func large(ctx context.Context, b *bench) ([]line, error) {
	return b.uploads(ctx, uploads{n: 1, reach: 0.80, memory: 16})
}

func large16(ctx context.Context, b *bench) ([]line, error) {
	return b.uploads(ctx, uploads{n: 16, reach: 0.85, memory: 14})
}

// uploads describes concurrent publishes of 100 MB.
type uploads struct {
	n      int
	reach  float64
	memory int // limit in MiB above idle
}

// name returns the name in the table.
func (u uploads) name() string {
	if u.n == 1 {
		return "one 100 MB publish"
	}
	return fmt.Sprintf("%d publishes of 100 MB at once", u.n)
}

// uploads measures both sides by the bytes of the body that they took in a second. Each measurement has a fresh process
// and a fresh folder, and both sides get the same body from the same client.
func (b *bench) uploads(ctx context.Context, u uploads) ([]line, error) {
	body := []byte("{" + rig.JSON("content", encoded(text(largeSize))) + "," + rig.JSON("title", "A large game") + "}")
	var grown []float64
	p, err := b.pairs(
		func() (float64, error) {
			rate, memory, err := b.publishLarge(ctx, u.n, body)
			grown = append(grown, memory)
			return rate, err
		},
		func() (float64, error) { return b.saveLarge(ctx, u.n, body) })
	if err != nil {
		return nil, err
	}
	return []line{
		p.line(u.name()+", of the request's bytes", "MB/s", u.reach),
		atMost(u.name()+", peak memory over idle", median(grown), u.memory),
	}, nil
}

// publishLarge returns MB in a second, and the growth of the service's memory.
func (b *bench) publishLarge(ctx context.Context, n int, body []byte) (rate, grown float64, err error) {
	s, err := b.Service(ctx, "")
	if err != nil {
		return 0, 0, err
	}
	key, err := s.Signup(ctx, "large@example.com")
	if err != nil {
		return 0, 0, err
	}
	if _, err := s.Publish(ctx, key, text(1000)); err != nil { // makes everything that is made only once
		return 0, 0, err
	}
	idle, err := s.Idle(ctx)
	if err != nil {
		return 0, 0, err
	}
	wait := s.Profile(fmt.Sprintf("large%d", n), 1+n/8)
	rate, err = post(ctx, s.Addr, n, rig.Post("/v1/publish", s.Addr, "application/json", key, body))
	if err != nil {
		return 0, 0, err
	}
	busy, err := s.Memory()
	if err == nil {
		err = wait()
	}
	if err != nil {
		return 0, 0, err
	}
	return rate, float64(busy.Peak - idle.Now), s.Remove()
}

func (b *bench) saveLarge(ctx context.Context, n int, body []byte) (float64, error) {
	dir, err := b.Folder("saved")
	if err != nil {
		return 0, err
	}
	p, err := b.startOwn(ctx, "save", dir)
	if err != nil {
		return 0, err
	}
	rate, err := post(ctx, p.Addr, n, rig.Post("/", p.Addr, "application/json", "", body))
	if err != nil {
		return 0, err
	}
	p.Kill() // it has nothing to finish
	return rate, os.RemoveAll(dir)
}

// startOwn starts one of our own yardsticks.
func (b *bench) startOwn(ctx context.Context, what, dir string) (*rig.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return b.Start(ctx, "", self, "yardstick", what, dir)
}

// post sends one request from each of n clients at once and returns the MB transferred in a second.
func post(ctx context.Context, addr string, n int, request []byte) (float64, error) {
	rig.Settle()
	t, err := rig.Crowd(ctx, addr, n, 1, time.Hour, func(l *rig.Lane, _, _ int) error {
		_, err := l.Want(http.StatusCreated, request)
		return err
	})
	return float64(n*len(request)) / 1e6 / t.Took.Seconds(), err
}
