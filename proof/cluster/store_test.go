package cluster

import (
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// How the store fails.
const (
	storeWell = iota
	storeSays500
	storeSlow  // by slowness before each answer
	storeDrops // the connection, before it has heard of the request
)

// slowness is what a slow store takes more.
const slowness = 300 * time.Millisecond

// A faultyStore stands before an S3-compatible server.
type faultyStore struct {
	url   string
	mode  atomic.Int32
	lose  atomic.Int32 // so many answers to a PUT
	lost  atomic.Int32
	spoil atomic.Int32 // requests that failed or were slow
}

// quiet is a log that nobody reads.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

func proxyStore(t *testing.T, endpoint string) *faultyStore {
	t.Helper()
	to, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	f := &faultyStore{}
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		// The signature is of the host that the node has asked.
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host
		},
		ErrorLog: quiet(),
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodPut && r.StatusCode == http.StatusOK && f.lose.Add(-1) >= 0 {
				f.lost.Add(1)
				r.Body.Close()
				return errLost
			}
			return nil
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	f.url = "http://" + serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch f.mode.Load() {
		case storeSays500:
			f.spoil.Add(1)
			http.Error(w, "<Error><Code>InternalError</Code></Error>", http.StatusInternalServerError)
			return
		case storeDrops:
			f.spoil.Add(1)
			panic(http.ErrAbortHandler)
		case storeSlow:
			f.spoil.Add(1)
			late := time.NewTimer(slowness)
			defer late.Stop()
			select {
			case <-late.C:
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	return f
}
