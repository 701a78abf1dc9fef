package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/testenv"
)

// A gamer is a player of one project, who writes one value after another, each larger than the one before.
type gamer struct {
	*run
	url, token string
	sent       int                  // the last value
	kept       map[string]int       // acknowledged, by doors
	open       map[string]time.Time // when the last value was sent that was perhaps kept
	since      string               // the stamp of a stay, of any node
}

const (
	aPlayersWrites = 500              // after which another player comes: an hour has 600 for each
	settled        = 20 * time.Second // after which a write that was not answered happens no more
	aCall          = 5 * time.Second  // which a player waits for
)

// gamers is how many there are.
const gamers = 3

// played are the counts of players' calls.
type played struct{ writes, early, looks, failed int }

// play saves, shares and scores as players at all nodes until the time is over: every node has acknowledged writes at once.
func (r *run) play(ctx context.Context, n int) {
	once := fmt.Sprintf("played-%d-%d-%032d", n, r.seed, r.seed)
	made, err := r.settle("write", func(int) (api.Answer, error) {
		f := api.Fields{Email: fmt.Sprintf("player-%d@example.com", n), IdempotencyKey: once}
		return r.as("").Publish(context.Background(), f, strings.NewReader("<!doctype html><title>played</title>"))
	})
	g := &gamer{run: r, url: made.URL, kept: map[string]int{}, open: map[string]time.Time{}}
	for err == nil && ctx.Err() == nil {
		if err = g.write(n); err == nil {
			err = g.look()
		}
		testenv.Wait(r.t, 20*time.Millisecond, "a player plays")
	}
	if err != nil {
		r.wrong("player %d: %w", n, err)
	}
}

// doors are the addresses of a gamer's project, which has no other player.
var doors = []string{"saves/slot", "shared/wall", "scores/main"}

// write keeps the next value at one door, by any node. A call that is not answered is not sent again.
func (g *gamer) write(n int) error {
	if g.sent%aPlayersWrites == 0 {
		g.token, g.since = fmt.Sprintf("player-%d-%032d", n, g.sent), ""
		delete(g.kept, "saves/slot")
		delete(g.kept, "scores/main")
	}
	g.sent++
	door := doors[g.sent%len(doors)]
	if time.Since(g.open[door]) < settled {
		return nil
	}
	node := g.nodes[(g.sent+n)%nodeCount]
	method, body := http.MethodPut, any(map[string]int{"op": g.sent})
	if strings.HasPrefix(door, "scores/") {
		if g.since == "" {
			var hello struct{ Since string }
			if status, err := g.call(node, http.MethodGet, "player", nil, &hello); err != nil || status != http.StatusOK {
				return lasting(err)
			}
			g.since = hello.Since
		}
		method, body = http.MethodPost, map[string]any{"score": g.sent, "since": g.since}
	}
	status, err := g.call(node, method, door, body, nil)
	switch {
	case err != nil || status >= http.StatusInternalServerError:
		g.open[door] = time.Now()
		return lasting(err)
	case status == http.StatusTooManyRequests:
		g.noted(func(p *played) { p.early++ })
		return nil
	case status/100 != 2:
		return fmt.Errorf("%s %s is answered %d", method, door, status)
	}
	g.kept[door] = g.sent
	delete(g.open, door)
	g.noted(func(p *played) { p.writes++ })
	return nil
}

// lasting returns an error that is not the loss of an answer.
func lasting(err error) error {
	if errors.Is(err, api.ErrNoAnswer) {
		return nil
	}
	return err
}

// look reads every door at every node.
func (g *gamer) look() error {
	for i, node := range g.nodes {
		for _, door := range doors {
			var got struct {
				Op  int
				You struct{ Score int }
			}
			status, err := g.call(node, http.MethodGet, door, nil, &got)
			if err != nil || status >= http.StatusInternalServerError {
				if err = lasting(err); err != nil {
					return err
				}
				g.noted(func(p *played) { p.failed++ })
				continue
			}
			found := max(got.Op, got.You.Score)
			if found != g.kept[door] && (g.open[door].IsZero() || found < g.kept[door] || found > g.sent) {
				return fmt.Errorf("node %d has %d at %s (%d), and %d was acknowledged", i+1, found, door, status, g.kept[door])
			}
			if found > g.kept[door] { // it was kept after all, and stays
				g.kept[door] = found
			}
			g.noted(func(p *played) { p.looks++ })
		}
	}
	return nil
}

// call calls a door of the project at a node, and reads an answer of 200 into a value.
func (g *gamer) call(n *node, method, door string, body, into any) (status int, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	if body == nil {
		text = nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), aCall)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, g.url+".sandlot/"+door, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Sandlot-Player", g.token)
	resp, err := n.http.Do(req)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	if into != nil && resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(answer, into)
	}
	return resp.StatusCode, err
}

func (g *gamer) noted(change func(*played)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.players)
}
