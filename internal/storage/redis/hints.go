package redis

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"sandlot"
)

const (
	// gatherFor is how long a change waits for more of them.
	gatherFor = 20 * time.Millisecond
	// inMessage and waitMost bound the projects, and the accounts, of one message, and those that wait: after more
	// changes than that in 20 ms the other nodes find out the rest by themselves.
	inMessage = 500
	waitMost  = 5000
	// listenFor is how long there is no message before the node checks its connection.
	listenFor = 5 * time.Second
	// longestID is the longest ID of a project, a DNS label.
	longestID = 40
)

// Hints notify nodes of projects and accounts that another of them changed, through messages that the server passes on
// and does not keep. Any may be lost, and anybody who has the server's password may send any.
type Hints struct {
	client  *Client
	channel string
	self    string

	mu       sync.Mutex
	projects map[sandlot.ProjectID]bool
	accounts map[sandlot.AccountID]bool
	wake     chan struct{}
}

// NewHints returns the Hints of a node. Run has to run.
func NewHints(c *Client) *Hints {
	return &Hints{
		client: c, channel: c.Key("changed"), self: rand.Text(), wake: make(chan struct{}, 1),
		projects: map[sandlot.ProjectID]bool{}, accounts: map[sandlot.AccountID]bool{},
	}
}

// Tell notifies the other nodes of a change, soon. It returns at once.
func (h *Hints) Tell(c sandlot.Changed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range c.Projects {
		if len(h.projects) < waitMost {
			h.projects[id] = true
		}
	}
	if c.Account != 0 && len(h.accounts) < waitMost {
		h.accounts[c.Account] = true
	}
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Run sends this node's changes, and calls heard with those of other nodes, until ctx ends.
func (h *Hints) Run(ctx context.Context, heard func(sandlot.Changed)) {
	var running sync.WaitGroup
	running.Go(func() { h.listen(ctx, heard) })
	defer running.Wait()
	for {
		select {
		case <-h.wake:
		case <-ctx.Done():
			return
		}
		if !waits(ctx, gatherFor) {
			return
		}
		h.send(ctx)
	}
}

// waits reports whether the time passed before ctx ended.
func waits(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send sends the waiting changes. Changes that cannot be sent are lost.
func (h *Hints) send(ctx context.Context) {
	for lines := h.take(); len(lines) > 0; {
		n := min(len(lines), inMessage)
		message := h.self + "\n" + strings.Join(lines[:n], "\n")
		if h.client.Do(ctx, func(p goredis.Pipeliner) { p.Publish(ctx, h.channel, message) }) != nil {
			return
		}
		lines = lines[n:]
	}
}

// take returns the waiting changes, one line for each: "p" and a project, or "a" and the number of an account.
func (h *Hints) take() (lines []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.projects {
		lines = append(lines, "p"+string(id))
	}
	for id := range h.accounts {
		lines = append(lines, "a"+strconv.FormatInt(int64(id), 10))
	}
	clear(h.projects)
	clear(h.accounts)
	return lines
}

// listen receives messages, and connects again a second or two after the connection broke.
func (h *Hints) listen(ctx context.Context, heard func(sandlot.Changed)) {
	for ctx.Err() == nil {
		h.follow(ctx, heard)
		if !waits(ctx, pause+mathrand.N(pause)) {
			return
		}
	}
}

// follow receives messages until the connection breaks, or ctx ends.
func (h *Hints) follow(ctx context.Context, heard func(sandlot.Changed)) {
	sub := h.client.server.Subscribe(ctx, h.channel)
	// Its only error is that it was closed before.
	closeIt := sync.OnceFunc(func() { _ = sub.Close() })
	defer closeIt()
	defer context.AfterFunc(ctx, closeIt)()
	for asked := false; ; {
		answer, err := sub.ReceiveTimeout(ctx, listenFor)
		var late net.Error
		switch {
		case err == nil:
			asked = false
		case errors.As(err, &late) && late.Timeout() && !asked && ctx.Err() == nil:
			if asked = true; sub.Ping(ctx) != nil {
				return
			}
			continue
		default:
			return
		}
		if m, ok := answer.(*goredis.Message); ok {
			h.hear(m.Payload, heard)
		}
	}
}

// hear reads a message, unless it is this node's own. It omits invalid lines.
func (h *Hints) hear(message string, heard func(sandlot.Changed)) {
	sender, rest, _ := strings.Cut(message, "\n")
	if sender == h.self {
		return
	}
	var projects []sandlot.ProjectID
	var accounts []sandlot.AccountID
	for line := range strings.SplitSeq(rest, "\n") {
		if len(projects)+len(accounts) >= inMessage {
			break
		}
		if line == "" {
			continue
		}
		switch id, err := strconv.ParseInt(line[1:], 10, 64); {
		case line[0] == 'p' && isID(line[1:]):
			projects = append(projects, sandlot.ProjectID(line[1:]))
		case line[0] == 'a' && err == nil && id > 0:
			accounts = append(accounts, sandlot.AccountID(id))
		}
	}
	if len(projects) > 0 {
		heard(sandlot.Changed{Projects: projects})
	}
	for _, id := range accounts {
		heard(sandlot.Changed{Account: id})
	}
}

// isID reports whether a project can have that ID.
func isID(id string) bool {
	for i := range len(id) {
		if c := id[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= longestID
}
