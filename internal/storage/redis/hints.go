package redis

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"sandlot"
	"sandlot/internal/base/breaker"
	"sandlot/internal/base/worker"
)

const (
	// gatherFor is how long a change waits for more of them.
	gatherFor = 20 * time.Millisecond
	// inMessage and waitMost bound the projects and accounts of one message, and those that wait: after more changes
	// than that in 20 ms the other nodes find out the rest by themselves.
	inMessage = 500
	waitMost  = 5000
	// listenFor is the interval at which a node checks its connection.
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

	mu    sync.Mutex
	lines map[string]bool // that wait: "p" and a project, or "a" and the number of an account
	wake  chan struct{}
}

// NewHints returns the Hints of a node. Run has to run.
func NewHints(c *Client) *Hints {
	return &Hints{client: c, channel: c.Key("changed"), self: rand.Text(), wake: make(chan struct{}, 1), lines: map[string]bool{}}
}

// Tell notifies the other nodes of a change, soon. It returns at once.
func (h *Hints) Tell(c sandlot.Changed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range c.Projects {
		if len(h.lines) < waitMost {
			h.lines["p"+string(id)] = true
		}
	}
	if c.Account != 0 && len(h.lines) < waitMost {
		h.lines["a"+strconv.FormatInt(int64(c.Account), 10)] = true
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
		if !worker.Wait(ctx, gatherFor) {
			return
		}
		h.send(ctx)
	}
}

// send sends the waiting changes. Changes that cannot be sent are lost.
func (h *Hints) send(ctx context.Context) {
	h.mu.Lock()
	lines := slices.Collect(maps.Keys(h.lines))
	clear(h.lines)
	h.mu.Unlock()
	for some := range slices.Chunk(lines, inMessage) {
		message := h.self + "\n" + strings.Join(some, "\n")
		if _, err := h.client.Do(ctx, Command{"PUBLISH", h.channel, message}); err != nil {
			return
		}
	}
}

// listen receives messages, and connects again a second or two after the connection broke.
func (h *Hints) listen(ctx context.Context, heard func(sandlot.Changed)) {
	for ctx.Err() == nil {
		h.follow(ctx, heard)
		worker.Wait(ctx, breaker.Pause())
	}
}

// follow receives messages until the connection breaks, or ctx ends.
func (h *Hints) follow(ctx context.Context, heard func(sandlot.Changed)) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	conn, err := dial(ctx, h.client.at)
	if err != nil {
		return
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	greeted, err := greet(conn, h.client.at)
	if err != nil {
		return
	}
	defer greeted.Close()
	sub := redis.PubSubConn{Conn: greeted}
	if sub.Subscribe(h.channel) != nil {
		return
	}
	var pinging sync.WaitGroup
	defer pinging.Wait()
	defer stop()
	pinging.Go(func() {
		for worker.Wait(ctx, listenFor) && sub.Ping("") == nil {
		}
	})
	for {
		switch answer := sub.ReceiveWithTimeout(2 * listenFor).(type) {
		case error:
			return
		case redis.Message:
			h.hear(string(answer.Data), heard)
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
		case line[0] == 'p' && IsID(line[1:]):
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

// IsID reports whether a project can have that ID.
func IsID(id string) bool {
	for i := range len(id) {
		if c := id[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= longestID
}
