package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"sandlot/proof/bench/rig"
)

const (
	players    = 10_000
	clientMost = 12 << 10         // bytes of memory per client
	countWait  = 10 * time.Second // until the count is right
	heralds    = 32               // goroutines that send all heartbeats
	beats      = 3                // heartbeats of each player
)

// live measures players, each with a connection of its own like a browser and three heartbeats. Their connections stay
// open.
func live(ctx context.Context, b *bench) ([]line, error) {
	return b.crowd(ctx, "live players on one project", "the count of the 10,000 is right after", b.play)
}

// crowd returns the rows for 10,000 clients of one kind: the memory of each, and the time from their arrival until the
// state named by right.
func (b *bench) crowd(ctx context.Context, clients, right string,
	once func(context.Context) (each float64, late time.Duration, err error),
) ([]line, error) {
	var each, late []float64
	for range min(b.runs, 3) { // memory varies less than speed
		bytes, wait, err := once(ctx)
		if err != nil {
			return nil, err
		}
		each, late = append(each, bytes), append(late, wait.Seconds())
	}
	kib, wait := median(each)/1024, median(late)
	return []line{
		{
			what: "10,000 " + clients + ", memory each", ours: fmt.Sprintf("%.1f KiB", kib),
			reach: "<= 12 KiB", reached: kib*1024 <= clientMost,
		},
		{
			what: right, ours: fmt.Sprintf("%.2f s", wait),
			reach: "<= 10 s", reached: wait <= countWait.Seconds(),
		},
	}, nil
}

// play returns the peak memory per player, and the time from the last player's first heartbeat until the count is
// right.
func (b *bench) play(ctx context.Context) (each float64, late time.Duration, err error) {
	s, project, err := b.game(ctx)
	if err != nil {
		return 0, 0, err
	}
	idle, err := s.Idle(ctx)
	if err != nil {
		return 0, 0, err
	}
	lanes := make([]*rig.Lane, players)
	for i := range lanes {
		if lanes[i], err = rig.NewLane(ctx, s.Addr); err != nil {
			return 0, 0, err
		}
		defer lanes[i].Close()
	}
	if err := beat(s, project, lanes); err != nil {
		return 0, 0, err
	}
	if late, err = counted(ctx, s, project); err != nil {
		return 0, 0, err
	}
	for range beats - 1 {
		if err := beat(s, project, lanes); err != nil {
			return 0, 0, err
		}
	}
	busy, err := s.Memory()
	if err != nil {
		return 0, 0, err
	}
	return float64(busy.Peak-idle.Now) / players, late, s.Remove()
}

// game starts a service with one project that has been loaded once.
func (b *bench) game(ctx context.Context) (*rig.Service, string, error) {
	s, err := b.Service(ctx, "")
	if err != nil {
		return nil, "", err
	}
	key, err := s.Signup(ctx, "live@example.com")
	if err != nil {
		return nil, "", err
	}
	project, err := s.Publish(ctx, key, text(smallSize))
	if err != nil {
		return nil, "", err
	}
	l, err := rig.NewLane(ctx, s.Addr)
	if err != nil {
		return nil, "", err
	}
	defer l.Close()
	_, err = l.Want(http.StatusOK, rig.Get("/", s.Host(project), ""))
	return s, project, err
}

// beat sends a heartbeat of each player on the player's connection.
func beat(s *rig.Service, project string, lanes []*rig.Lane) error {
	var g errgroup.Group
	for h := range heralds {
		g.Go(func() error {
			for i := h; i < len(lanes); i += heralds {
				body := fmt.Appendf(nil, `{"player":"player-%020d"}`, i)
				if _, err := lanes[i].Want(http.StatusNoContent,
					rig.Post("/.sandlot/heartbeat", s.Host(project), "text/plain", "", body)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// counted returns the time until the statistics contain the right number.
func counted(ctx context.Context, s *rig.Service, project string) (time.Duration, error) {
	began, got := time.Now(), 0
	for time.Since(began) < 2*countWait {
		stats, err := s.API("").Stats(ctx, project)
		if err != nil {
			return 0, err
		}
		if got = stats.PlayerCount; got == players {
			return time.Since(began), nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return 0, fmt.Errorf("%d players are counted, not %d", got, players)
}
