package cluster

import (
	"errors"
	"net/http"
	"net/http/httputil"
	"sync/atomic"
	"testing"
	"time"
)

// healthEvery is a quarter of the Caddyfile's interval, since faults are shorter here; healthWait is the Caddyfile's timeout.
const (
	healthEvery = 500 * time.Millisecond
	healthWait  = 6 * time.Second
)

// A balancer hands each request to the next node whose last /readyz was 200, as the Caddyfile's does.
type balancer struct {
	addr   string
	red    [nodeCount]atomic.Bool
	turn   atomic.Uint32
	marked atomic.Int32 // times that a node became red
	alone  atomic.Int32 // requests that found every node red
}

// balance starts a balancer in front of the nodes. It drops as many answers as s.lose asks for.
func (s *service) balance(t *testing.T) *balancer {
	t.Helper()
	b := &balancer{}
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	var to [nodeCount]http.Handler
	for i, n := range s.nodes {
		to[i] = s.proxy(transport, n.addr)
		b.watch(t, i, clientTo(t, n.metricsAddr))
	}
	b.addr = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i, ok := b.next()
		if !ok {
			b.alone.Add(1)
			http.Error(w, "no server is available to handle this request", http.StatusServiceUnavailable)
			return
		}
		to[i].ServeHTTP(w, r)
	}))
	return b
}

// next returns the next green node.
func (b *balancer) next() (int, bool) {
	first := int(b.turn.Add(1) % nodeCount)
	for n := range nodeCount {
		if i := (first + n) % nodeCount; !b.red[i].Load() {
			return i, true
		}
	}
	return 0, false
}

// watch asks a node for its readiness until the test ends.
func (b *balancer) watch(t *testing.T, node int, h *http.Client) {
	h.Timeout = healthWait
	stop, done := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		<-done
	})
	go func() {
		defer close(done)
		tick := time.NewTicker(healthEvery)
		defer tick.Stop()
		for {
			status, _, err := fetch(h, base+"/readyz", "identity")
			red := err != nil || status != http.StatusOK
			if was := b.red[node].Swap(red); red && !was {
				b.marked.Add(1)
			}
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
}

// proxy forwards requests to one node.
func (s *service) proxy(transport *http.Transport, addr string) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", addr, r.In.Host
		},
		ErrorLog: quiet(),
		ModifyResponse: func(r *http.Response) error {
			if isFirst(r) && take(&s.lose) {
				s.lost.Add(1)
				r.Body.Close()
				return errLost
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if errors.Is(err, errLost) {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
}

// compareReadiness holds every fault of the run to one promise: a balancer always has a node to send to, for a part that all nodes share
// turns
// none of them red (M40).
func (r *run) compareReadiness() {
	if n := r.front.alone.Load(); n > 0 {
		r.t.Errorf("%d requests found every node red", n)
	}
}
