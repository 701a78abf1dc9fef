package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"sandlot/proof/bench/rig"
)

const (
	watchers = 10_000
	watched  = 100 // players whose arrival the watchers see
)

// watch measures browsers on one project's page, each with a stream of its own, while players arrive.
func watch(ctx context.Context, b *bench) ([]line, error) {
	return b.crowd(ctx, "watchers of one project", "all of the 10,000 know the right count after", b.look)
}

// look returns the peak memory per watcher, and the time from the last player's first heartbeat until every stream has
// the count.
func (b *bench) look(ctx context.Context) (each float64, late time.Duration, err error) {
	s, project, err := b.game(ctx)
	if err != nil {
		return 0, 0, err
	}
	idle, err := s.Idle(ctx)
	if err != nil {
		return 0, 0, err
	}
	streams := make([]net.Conn, watchers)
	for i := range streams {
		if streams[i], err = open(ctx, s, project); err != nil {
			return 0, 0, err
		}
		defer streams[i].Close()
	}
	lane, err := rig.NewLane(ctx, s.Addr)
	if err != nil {
		return 0, 0, err
	}
	defer lane.Close()
	for i := range watched {
		body := fmt.Appendf(nil, `{"player":"player-%d"}`, i)
		if _, err := lane.Want(http.StatusNoContent, rig.Post("/p/"+project+"/heartbeat", pages(s), "text/plain", "", body)); err != nil {
			return 0, 0, err
		}
	}
	began := time.Now()
	if err := told(streams); err != nil {
		return 0, 0, err
	}
	late = time.Since(began)
	busy, err := s.Memory()
	if err != nil {
		return 0, 0, err
	}
	return float64(busy.Peak-idle.Now) / watchers, late, s.Remove()
}

// open begins a stream and reads its first numbers. It keeps no buffer: later events are read one at a time.
func open(ctx context.Context, s *rig.Service, project string) (net.Conn, error) {
	l, err := rig.NewLane(ctx, s.Addr)
	if err != nil {
		return nil, err
	}
	c := l.Conn()
	if _, err := c.Write(rig.Get("/p/"+project+"/live", pages(s), "Accept: text/event-stream\r\n")); err != nil {
		return nil, err
	}
	return c, until(c, "player_count")
}

// pages returns the Host of the service's own pages, which have no other.
func pages(s *rig.Service) string {
	return "localhost" + s.Addr[len("127.0.0.1"):]
}

// told waits until each stream has the right count.
func told(streams []net.Conn) error {
	var g errgroup.Group
	for h := range heralds {
		g.Go(func() error {
			for i := h; i < len(streams); i += heralds {
				if err := until(streams[i], fmt.Sprintf(`"player_count":%d,`, watched)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// until reads a stream up to an event that contains a text.
func until(c net.Conn, text string) error {
	if err := c.SetReadDeadline(time.Now().Add(2 * countWait)); err != nil {
		return err
	}
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		if bytes.Contains(lines.Bytes(), []byte(text)) {
			return nil
		}
	}
	return fmt.Errorf("the stream ended before %s: %w", text, lines.Err())
}
