package mcp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// publicHost is that of the nodes, which a proxy on the same machine passes on.
const publicHost = "sandlot.test"

// TestAConversationGoesOnWithAnotherNode at every request, the first ones included: no node remembers anything of it.
func TestAConversationGoesOnWithAnotherNode(t *testing.T) {
	testenv.Unraced(t)
	bucket := testenv.S3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Secret)
	query := url.Values{"endpoint": {bucket.Endpoint}, "region": {bucket.Region}, "path-style": {"true"}}
	args := []string{
		"--database-url", testenv.Postgres(t), "--blob-url", "s3://" + bucket.Name + "/files?" + query.Encode(),
		"--redis-url", redistest.Database(t), "--base-url", "http://" + publicHost, "--limits", "off",
	}
	first := testenv.Start(t, testenv.Binary(t), args...) // alone: it makes the tables
	address := alternate(t, first, testenv.Start(t, testenv.Binary(t), args...))
	key := accountKey(t, address)
	for _, k := range kinds()[:3] {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			a := k.start(t, address+"/mcp")
			expect.Equal(t, "the negotiated version", a.connect(t, ""), k.version)
			listing(t, a)
			anonymous(t, a)
			withKey(t, a, key)
		})
	}
}

// alternate returns the address of a balancer that gives each request to the node after the one that got the last.
func alternate(t *testing.T, nodes ...*testenv.Server) string {
	t.Helper()
	var turn atomic.Int64
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		node := nodes[turn.Add(1)%int64(len(nodes))]
		r.SetURL(&url.URL{Scheme: "http", Host: node.Addr()})
		r.Out.Host = publicHost
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		t.Errorf("the balancer: %v", err)
		w.WriteHeader(http.StatusBadGateway)
	}}
	balancer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The first byte of an answer ends the body of its request: a proxy that still looks for its end would cut the answer.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("the body of a client: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(balancer.Close)
	return balancer.URL
}
