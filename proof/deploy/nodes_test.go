package deploy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// A group is three nodes behind a balancer, each with the files of deploy/nodes.
type group struct {
	*front
	nodes   []*testenv.Server
	healths []string
	api     *api.Client
	first   api.Answer // a project that everybody reads
	ids     []string   // one project a client that writes
}

// TestSoakABalancerLeavesOutADeadNode while clients read and write: none of them notices but those whose write the node had in hand.
func TestSoakABalancerLeavesOutADeadNode(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.program, func(t *testing.T) {
			g := startNodes(t, k, shared(t))
			l := &load{group: g}
			over := l.run(t)
			l.await(t, "load", 200)
			g.nodes[1].Kill(t)
			l.await(t, "load without a node", 1000)
			g.nodes[1].Restart(t)
			testenv.Eventually(t, time.Minute, "requests to the node that has come again", func() bool { return g.served(1) > 20 })
			over()
			l.judge(t)
		})
	}
}

// parts are what nodes share.
type parts struct{ database, blobs, redis string }

// shared returns parts of the test's own on the servers of all tests.
func shared(t *testing.T) parts {
	t.Helper()
	return parts{testenv.Postgres(t), useBucket(t, testenv.S3(t)), redistest.Database(t)}
}

// useBucket returns the address of a bucket, and gives its keys to the nodes.
func useBucket(t *testing.T, b testenv.Bucket) string {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", b.Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", b.Secret)
	query := url.Values{"endpoint": {b.Endpoint}, "region": {b.Region}, "path-style": {"true"}}
	return "s3://" + b.Name + "/files?" + query.Encode()
}

// startNodes starts them on three addresses of this machine with the same ports, which is how the files name them.
func startNodes(t *testing.T, k kind, p parts) *group {
	t.Helper()
	text, err := os.ReadFile("../../deploy/nodes/sandlot.yaml")
	expect.OK(t, err)
	g, to, health := &group{}, port(testenv.Port(t)), port(testenv.Port(t))
	var at []string
	for n := range 3 {
		host := fmt.Sprintf("127.0.0.%d", 11+n)
		at, g.healths = append(at, host+":"+to), append(g.healths, host+":"+health)
		file := filepath.Join(t.TempDir(), "sandlot.yaml")
		settings := replace(t, string(text), "10.0.0.11:9090", g.healths[n], "10.0.0.11:8080", at[n], "10.0.0.10", "127.0.0.1",
			"s3://sandlot/files?endpoint=http://10.0.0.20:7070&region=us-east-1", p.blobs, "redis://10.0.0.20:6379/0", p.redis)
		expect.OK(t, os.WriteFile(file, []byte(settings), 0o600))
		args := []string{"--config", file, "--listen", at[n], "--database-url", p.database, "--limits", "off"}
		g.nodes = append(g.nodes, testenv.Start(t, testenv.Binary(t), args...))
	}
	g.front = start(t, k, "nodes", health, at...)
	base, err := url.Parse("https://" + website)
	expect.OK(t, err)
	g.api = &api.Client{Base: base, HTTP: g.client}
	var who api.Answer
	testenv.Eventually(t, time.Minute, "an account through the balancer", func() bool {
		who, err = g.api.Signup(t.Context(), api.Fields{Email: "kim@sandlot-tests.org"})
		return err == nil
	})
	g.api.Key = who.APIKey
	for range clients {
		g.first, err = g.api.Publish(t.Context(), api.Fields{}, strings.NewReader(game))
		expect.OK(t, err)
		g.ids = append(g.ids, g.first.ProjectID)
	}
	return g
}

// served returns how many requests a node has answered since it was started last.
func (g *group) served(node int) (sum int) {
	resp, err := http.Get("http://" + g.healths[node] + "/metrics")
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	for line := range strings.Lines(string(text)) {
		var count int
		if rest, ok := strings.CutPrefix(line, "sandlot_http_requests_total{"); ok {
			_, _ = fmt.Sscanf(rest[strings.IndexByte(rest, '}')+1:], "%d", &count)
			sum += count
		}
	}
	return sum
}

// A load is clients that read a project or update one of their own, each over a connection of its own.
type load struct {
	*group
	answered, updated atomic.Int32
	mu                sync.Mutex
	reads, writes     []error // those that failed
}

const clients = 8

// run begins the load; the function that it returns ends it.
func (l *load) run(t *testing.T) (over func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for n := range clients {
		c := l.clientOf(t)
		all.Go(func() {
			for ctx.Err() == nil {
				if n%2 == 0 {
					l.read(c)
				} else {
					l.write(c, l.ids[n])
				}
				l.answered.Add(1)
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
	}
}

func (l *load) read(c *http.Client) {
	resp, err := c.Get(l.first.URL)
	if err == nil {
		if _, err = io.Copy(io.Discard, resp.Body); err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		resp.Body.Close()
	}
	l.failed(&l.reads, err)
}

func (l *load) write(c *http.Client, id string) {
	of := api.Client{Base: l.api.Base, Key: l.api.Key, HTTP: c}
	_, err := of.Update(context.Background(), api.Fields{ProjectID: id, Filename: "index.html"}, strings.NewReader(game))
	if err == nil {
		l.updated.Add(1)
	}
	l.failed(&l.writes, err)
}

func (l *load) failed(list *[]error, err error) {
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		*list = append(*list, err)
	}
}

// await waits until so many more requests are answered.
func (l *load) await(t *testing.T, what string, more int32) {
	t.Helper()
	most := l.answered.Load() + more
	testenv.Eventually(t, time.Minute, what, func() bool { return l.answered.Load() >= most })
}

// judge fails the test for every read that failed, for more writes than the dead node can have had in hand, and for one
// that happened twice.
func (l *load) judge(t *testing.T) {
	t.Helper()
	t.Logf("%d requests, %d updates, and %d failed, %d reads failed", l.answered.Load(), l.updated.Load(), len(l.writes), len(l.reads))
	if len(l.reads) > 0 {
		t.Errorf("%d reads failed: %v", len(l.reads), errors.Join(l.reads...))
	}
	if len(l.writes) > clients/2 {
		t.Errorf("%d writes failed: %v", len(l.writes), errors.Join(l.writes...))
	}
	versions := 0
	for _, id := range l.ids {
		p, err := l.api.Project(t.Context(), id, "none")
		expect.OK(t, err)
		versions += p.Version - 1
	}
	least := int(l.updated.Load())
	if most := least + len(l.writes); versions < least || versions > most {
		t.Errorf("there are %d versions of %d updates, of which %d failed", versions, most, len(l.writes))
	}
}
