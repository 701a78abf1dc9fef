package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"sandlot/proof/bench/rig"
)

const (
	savedSize   = 1 << 10 // bytes of a save
	savesEach   = 100     // of a player, before the next one comes: an hour has 600
	scoresEach  = 15      // likewise: a minute has 20
	minutely    = 10_000  // players who save each minute
	minuteShare = 15 * time.Second
	minuteMost  = 20 * time.Millisecond
)

// saves compares saves and scores of players with publishes, which are durable as well, and measures how long players
// wait who save each minute.
func saves(ctx context.Context, b *bench) (lines []line, err error) {
	content := text(smallSize)
	for _, kind := range []struct {
		what  string
		reach float64
		send  func(s *rig.Service, project string, c, i int) []byte
	}{
		{"durable saves of 1 KiB, 64 clients, against publishes of 10 KiB", 3, saving},
		{"durable scores on one board, 64 clients, against publishes of 10 KiB", 1, scoring},
	} {
		p, err := b.pairs(
			func() (float64, error) { return b.played(ctx, kind.send) },
			func() (float64, error) { return b.publishSmall(ctx, content) })
		if err != nil {
			return lines, err
		}
		lines = append(lines, p.line(kind.what, "/s", kind.reach))
	}
	l, err := b.minute(ctx)
	return append(lines, l...), err
}

func saving(s *rig.Service, project string, c, i int) []byte {
	body := fmt.Appendf(nil, `{"at":%d,"levels":"%s"}`, i, strings.Repeat("12 stars ", savedSize/9))
	return s.Door(project, "PUT", "saves/main", fmt.Sprintf("bench-%016d-%016d", c, i/savesEach), body)
}

func scoring(s *rig.Service, project string, c, i int) []byte {
	player, body := fmt.Sprintf("bench-%016d-%016d", c, i/scoresEach), fmt.Appendf(nil, `{"score":%d}`, (i*7919+c)%100_000)
	return s.Door(project, "POST", "scores/main", player, body)
}

// board starts a service with a project whose board takes scores at once.
func (b *bench) board(ctx context.Context) (*rig.Service, string, error) {
	s, err := b.Service(ctx, "")
	if err != nil {
		return nil, "", err
	}
	key, err := s.Signup(ctx, "board@example.com")
	if err != nil {
		return nil, "", err
	}
	project, err := s.Publish(ctx, key, text(smallSize))
	if err != nil {
		return nil, "", err
	}
	return s, project, s.OpenBoard(ctx, key, project)
}

// played returns the requests of players in a second on a fresh data folder.
func (b *bench) played(ctx context.Context, send func(s *rig.Service, project string, c, i int) []byte) (float64, error) {
	s, project, err := b.board(ctx)
	if err != nil {
		return 0, err
	}
	if _, err := s.Idle(ctx); err != nil {
		return 0, err
	}
	wait := s.Profile("saves", int(b.limit.Seconds()))
	t, err := rig.Crowd(ctx, s.Addr, smallClients, 0, b.limit, func(l *rig.Lane, c, i int) error {
		_, err := l.Want(http.StatusOK, send(s, project, c, i))
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

// minute returns the time that 99 of 100 saves of 10,000 players take, each player saving every minute, and their processor time.
func (b *bench) minute(ctx context.Context) ([]line, error) {
	s, project, err := b.board(ctx)
	if err != nil {
		return nil, err
	}
	before, err := s.CPU()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var took []time.Duration
	each := time.Minute * smallClients / minutely // between two saves of a client
	began := time.Now()
	_, err = rig.Crowd(ctx, s.Addr, smallClients, int(minuteShare/each), time.Minute, func(l *rig.Lane, c, i int) error {
		time.Sleep(time.Until(began.Add(each*time.Duration(i) + each*time.Duration(c)/smallClients)))
		sent := time.Now()
		_, err := l.Want(http.StatusOK, saving(s, project, c, i*savesEach))
		mu.Lock()
		defer mu.Unlock()
		took = append(took, time.Since(sent))
		return err
	})
	if err != nil {
		return nil, err
	}
	after, err := s.CPU()
	if err != nil {
		return nil, err
	}
	slices.Sort(took)
	slow := took[len(took)*99/100]
	return []line{
		{
			what: "10,000 players who save each minute, 99 of 100 saves within", ours: slow.Round(10 * time.Microsecond).String(),
			reach: "<= " + minuteMost.String(), reached: slow <= minuteMost,
		},
		{
			what: "the same, of one processor", ours: fmt.Sprintf("%.1f %%", 100*(after-before).Seconds()/time.Since(began).Seconds()),
			unqualified: true,
		},
	}, s.Remove()
}
