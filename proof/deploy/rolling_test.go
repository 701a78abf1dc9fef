package deploy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakRollingRestartsBreakNothing: each of three nodes is stopped and started again in turn, while clients read a project and publish over
// connections that they keep. No request fails, no connection ends, and no publish happens twice.
func TestSoakRollingRestartsBreakNothing(t *testing.T) {
	for _, k := range kinds() {
		if k.program == "nginx" { // does not ask a node whether it drains
			continue
		}
		t.Run(k.program, func(t *testing.T) {
			g := startNodes(t, k, shared(t))
			r := &rolling{load: load{group: g}}
			over := r.run(t)
			r.await(t, "load", 200)
			for n, node := range g.nodes {
				expect.Equal(t, "exit code", node.Stop(t), 0)
				node.Restart(t)
				testenv.Eventually(t, time.Minute, "requests to the node that has come again", func() bool { return g.served(n) > 20 })
			}
			over()
			r.judge(t)
		})
	}
}

// A rolling is load over connections of which each is kept to the end.
type rolling struct {
	load
	published, opened atomic.Int32
}

// run begins the load, half of it over HTTP/1.1; the function that it returns ends it.
func (r *rolling) run(t *testing.T) (over func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for n := range 2 * clients {
		c := r.keeping(t, n%4 < 2)
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if n%2 == 0 {
					r.read(c)
				} else {
					r.publish(c, fmt.Sprintf("%d-%d", n, i))
				}
				r.answered.Add(1)
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// keeping returns a client with a connection to the website or to the project, whose every connection is counted.
func (r *rolling) keeping(t *testing.T, http1 bool) *http.Client {
	c := r.clientOf(t)
	transport := c.Transport.(*http.Transport)
	if http1 {
		transport.Protocols = new(http.Protocols)
		transport.Protocols.SetHTTP1(true)
	}
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		r.opened.Add(1)
		return dial(ctx, network, addr)
	}
	return c
}

func (r *rolling) publish(c *http.Client, key string) {
	of := api.Client{Base: r.api.Base, Key: r.api.Key, HTTP: c}
	a, err := of.Publish(context.Background(), api.Fields{IdempotencyKey: key}, strings.NewReader(game))
	if err == nil && a.FromRecord {
		err = errors.New("it was sent before")
	}
	if err == nil {
		r.published.Add(1)
	}
	r.failed(&r.writes, err)
}

// judge fails the test for every request that failed, and for connections that were opened in place of others.
func (r *rolling) judge(t *testing.T) {
	t.Helper()
	t.Logf("%d requests over %d connections, %d of them publishes; %d reads and %d publishes failed",
		r.answered.Load(), r.opened.Load(), r.published.Load(), len(r.reads), len(r.writes))
	if failed := append(r.reads, r.writes...); len(failed) > 0 {
		t.Errorf("%d failed: %v", len(failed), errors.Join(failed...))
	}
	expect.Equal(t, "connections", int(r.opened.Load()), 2*clients)
}
