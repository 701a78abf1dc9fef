package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"sandlot/proof/bench/rig"
)

const (
	smallSize    = 10 << 10 // a small game
	smallClients = 64
)

// small compares publishes, which cross HTTP, JSON, base64 and a transaction of eight tables, with a write of the bytes
// to the disk alone.
func small(ctx context.Context, b *bench) ([]line, error) {
	content := text(smallSize)
	p, err := b.pairs(
		func() (float64, error) { return b.publishSmall(ctx, content) },
		func() (float64, error) {
			dir, err := b.Folder("appended")
			if err != nil {
				return 0, err
			}
			defer os.RemoveAll(dir)
			return appending(ctx, filepath.Join(dir, "log"), smallClients, content, b.limit)
		})
	if err != nil {
		return nil, err
	}
	return []line{p.line("durable publishes of 10 KiB, 64 clients", "/s", 0.4)}, nil
}

// publishSmall returns the publishes in a second on a fresh data folder.
func (b *bench) publishSmall(ctx context.Context, content []byte) (float64, error) {
	s, err := b.Service(ctx, "")
	if err != nil {
		return 0, err
	}
	requests, err := smallRequests(ctx, s, smallClients, content, "")
	if err != nil {
		return 0, err
	}
	if _, err := s.Idle(ctx); err != nil {
		return 0, err
	}
	wait := s.Profile("small", int(b.limit.Seconds()))
	t, err := rig.Crowd(ctx, s.Addr, smallClients, 0, b.limit, func(l *rig.Lane, c, _ int) error {
		_, err := l.Want(http.StatusCreated, requests[c])
		return err
	})
	if err != nil {
		return 0, err
	}
	if err := wait(); err != nil {
		return 0, err
	}
	return t.Rate(), s.Remove()
}

// smallRequests makes an account for each client, and returns the publish that each sends, with more fields.
func smallRequests(ctx context.Context, s *rig.Service, clients int, content []byte, more string) ([][]byte, error) {
	requests := make([][]byte, clients)
	for c := range requests {
		key, err := s.Signup(ctx, fmt.Sprintf("client-%d@example.com", c))
		if err != nil {
			return nil, err
		}
		body := "{" + rig.JSON("content", encoded(content)) + "," + rig.JSON("title", "A small game") + more + "}"
		requests[c] = rig.Post("/v1/publish", s.Addr, "application/json", key, []byte(body))
	}
	return requests, nil
}
