package cluster

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	api "sandlot/internal/client/client"
	"sandlot/internal/testkit/testenv"
)

// base is the public address of the service; nobody looks it up.
const base = "http://sandlot.test"

// nodeCount is how many nodes there are.
const nodeCount = 3

// A service is the nodes, and what they keep everything in: servers of this test's own.
type service struct {
	postgres, redis, store *testenv.Private
	wire                   *cutter // between the nodes and PostgreSQL
	bucket                 *faultyStore
	mails                  *mailServer
	nodes                  []*node
	front                  *balancer
	lose, lost             atomic.Int32 // answers to clients: so many are to be, and were
	flags                  []string
}

// A node is one program. Its address stays when it is started again.
type node struct {
	*testenv.Server
	watch
	addr, metricsAddr string
	http, metrics     *http.Client
	logs              []string // of its earlier lives

	ahead time.Duration // its clock
}

// startService starts everything.
func startService(t *testing.T) *service {
	t.Helper()
	program := testenv.Instrumented(t)
	s := &service{postgres: testenv.StartPostgres(t), redis: testenv.StartRedis(t), mails: listenMail(t)}
	var bucket testenv.Bucket
	s.store, bucket = testenv.StartS3(t)
	s.wire = cut(t, s.postgres.URL())
	s.bucket = proxyStore(t, bucket.Endpoint)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Secret)
	query := url.Values{"endpoint": {s.bucket.url}, "region": {bucket.Region}, "path-style": {"true"}}
	at := url.URL{Scheme: "s3", Host: bucket.Name, Path: "/files", RawQuery: query.Encode()}
	s.flags = []string{"--database-url", s.wire.url, "--blob-url", at.String()}
	for _, ahead := range clocks() {
		s.nodes = append(s.nodes, s.startNode(t, program, ahead))
	}
	s.front = s.balance(t)
	return s
}

func (s *service) startNode(t *testing.T, program string, ahead time.Duration) *node {
	t.Helper()
	n := &node{addr: testenv.Port(t), metricsAddr: testenv.Port(t), ahead: ahead}
	t.Setenv(clockEnv, seconds(ahead))
	args := append([]string{
		"--listen", n.addr, "--metrics-listen", n.metricsAddr, "--base-url", base, "--redis-url", s.redis.URL(),
		"--smtp-url", "smtp://" + s.mails.addr, "--access-log", "off", "--log-format", "json",
	}, s.flags...)
	n.Server = testenv.Start(t, program, args...)
	n.http, n.metrics = clientTo(t, n.addr), clientTo(t, n.metricsAddr)
	return n
}

// kill ends a node at once and keeps its log, but for a line that it was writing.
func (n *node) kill(t *testing.T) {
	n.reborn()
	n.Kill(t)
	n.logs = append(n.logs, whole(n.Logs()))
}

// stop asks a node to end.
func (n *node) stop(t *testing.T) {
	n.reborn()
	if code := n.Stop(t); code != 0 {
		t.Errorf("a node that was asked to end ended with %d", code)
	}
	n.logs = append(n.logs, n.Logs())
}

// ready waits until a node says that it lacks nothing, Redis neither.
func (n *node) ready(t *testing.T) {
	t.Helper()
	testenv.Eventually(t, time.Minute, "a node that is ready", func() bool {
		status, body, err := fetch(n.http, base+"/readyz", "identity")
		return err == nil && status == http.StatusOK && string(body) == "ok\n"
	})
}

// clientTo makes a client whose every connection goes to one address.
func clientTo(t *testing.T, addr string) *http.Client {
	var d net.Dialer
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return d.DialContext(ctx, network, addr)
		},
		DisableCompression: true, MaxIdleConnsPerHost: 64, MaxIdleConns: 256, // each project and version is a host
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Timeout: requestWait, Transport: transport}
}

// requestWait is longer than any request takes that is answered at all.
const requestWait = 40 * time.Second

// client calls the API with a key, through the proxy.
func (s *service) client(h *http.Client, key string) *api.Client {
	at, err := url.Parse(base)
	if err != nil {
		panic(err)
	}
	return &api.Client{Base: at, Key: key, HTTP: h}
}

// isFirst reports whether this is the first answer to a call that is done and has a record, so that the next is from the record.
func isFirst(r *http.Response) bool {
	done := r.StatusCode == http.StatusOK || r.StatusCode == http.StatusCreated
	return done && r.Request.Header.Get("Idempotency-Key") != "" && r.Header.Get("Idempotent-Replayed") == ""
}

// take takes one of those that are left.
func take(left *atomic.Int32) bool {
	for {
		n := left.Load()
		if n <= 0 {
			return false
		}
		if left.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// serve serves on a port of its own until the test ends.
func serve(t *testing.T, h http.Handler) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h, ErrorLog: quiet()}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// log is all that a node has printed in all its lives.
func (n *node) log() string { return strings.Join(n.logs, "") + whole(n.Logs()) }

// whole leaves out a line that is not all there.
func whole(said string) string { return said[:strings.LastIndexByte(said, '\n')+1] }
