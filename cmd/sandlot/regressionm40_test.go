package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/storage/redis"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// balanced sends a request as a balancer does that asks each node for /readyz: to the first that is ready, and 503 where none is.
func balanced(t *testing.T, nodes []*testenv.Server, address string) (int, string) {
	t.Helper()
	for _, n := range nodes {
		if status, _ := open(t, n, n.URL()+"/readyz"); status == http.StatusOK {
			status, body := open(t, n, address)
			return status, string(body)
		}
	}
	return http.StatusServiceUnavailable, "no server is available"
}

// TestSoakRegressionM40ABucketThatIsAwayTakesNoNodeAway: what is cached is played, and what is not gets our own answer.
func TestSoakRegressionM40ABucketThatIsAwayTakesNoNodeAway(t *testing.T) {
	store, bucket := testenv.StartS3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Secret)
	files := "s3://" + bucket.Name + "/files?path-style=true&endpoint=" + bucket.Endpoint + "&region=" + bucket.Region
	set := []string{"--base-url", "http://localhost", "--database-url", testenv.Postgres(t), "--redis-url", redistest.Database(t), "--blob-url", files}
	var nodes []*testenv.Server
	for range 2 {
		nodes = append(nodes, testenv.Start(t, testenv.Binary(t), set...))
	}
	_, p := call(t, nodes[0], "POST", "/v1/publish", signUp(t, nodes[0]), map[string]any{"content": page(200_000)})
	at := p["url"].(string)
	status, _ := balanced(t, nodes, at)
	expect.Equal(t, "with the bucket", status, http.StatusOK)
	store.Kill(t)
	for _, n := range nodes {
		testenv.Eventually(t, 30*time.Second, "a node that knows", func() bool {
			status, body := open(t, n, n.URL()+"/readyz")
			expect.Equal(t, "readiness", status, http.StatusOK)
			return string(body) == "ok\nwithout: blobs\n"
		})
	}
	status, text := balanced(t, nodes, at)
	expect.Equal(t, "without it", status, http.StatusOK)
	expect.Equal(t, "bytes without it", len(text), len(page(200_000)))
	_, body := open(t, nodes[0], nodes[0].URL()+"/metrics")
	for _, want := range []string{`sandlot_ready{part="blobs"} 0`, `sandlot_ready{part="database"} 1`, `sandlot_ready{part="node"} 1`} {
		expect.Contains(t, "the metrics", string(body), want)
	}
}

// others can or cannot use a part.
type others struct{ can bool }

func (o *others) Saw(context.Context, string)                {}
func (o *others) SeenElsewhere(context.Context, string) bool { return o.can }

// TestRegressionM40ANodeIsRedWhereAnotherWouldDoBetter, and not for what one could when this node still could, too.
func TestRegressionM40ANodeIsRedWhereAnotherWouldDoBetter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		elsewhere := &others{}
		var err error
		needs := []need{{name: "database", ask: func(context.Context) error { return err }, common: &common{seen: elsewhere}}}
		missing := func() string {
			return strings.Join(lacks(t.Context(), needs, slog.New(slog.DiscardHandler)).missing, " ")
		}
		expect.Equal(t, "at first", missing(), "")
		err, elsewhere.can = errors.New("refused"), true
		expect.Equal(t, "at once", missing(), "")
		testenv.Pass(redis.SightingFor + time.Second)
		expect.Equal(t, "later", missing(), "database")
		elsewhere.can = false
		expect.Equal(t, "where no other can", missing(), "")
		err, elsewhere.can = nil, true
		expect.Equal(t, "when it is back", missing(), "")
	})
}
