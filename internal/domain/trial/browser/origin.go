package browser

import (
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"sandlot/internal/domain/trial"
)

// Limits of the requests of a page in its trial.
const (
	mostRequests = 2000
	mostBytes    = 512 << 20 // of answers
	mostConns    = 64        // Chromium has 32 to a proxy
	mostHeader   = 32 << 10
)

// An origin is the proxy of one trial: it answers for the page's own origin, and refuses all other requests. It keeps
// the failed requests and the refused hosts.
type origin struct {
	serve  Origin
	due    trial.Due
	host   string
	server *http.Server

	mu        sync.Mutex
	requests  int
	bytes     int64
	failed    []trial.Request
	elsewhere []string
}

// newOrigin returns the origin of a version on trial: a name below localhost, over plain http, which browsers trust as
// they trust the project's own address with https.
func newOrigin(serve Origin, due trial.Due, wall time.Duration) *origin {
	o := &origin{serve: serve, due: due, host: string(due.Project) + ".localhost"}
	o.server = &http.Server{
		Handler: http.HandlerFunc(o.proxy), ReadHeaderTimeout: wall, IdleTimeout: wall, WriteTimeout: wall,
		MaxHeaderBytes: mostHeader, ErrorLog: log.New(io.Discard, "", 0),
	}
	return o
}

// run answers on a listener until close.
func (o *origin) run(l net.Listener) { _ = o.server.Serve(netutil.LimitListener(l, mostConns)) }

func (o *origin) close() { _ = o.server.Close() }

// proxy answers the requests of a browser to its proxy.
func (o *origin) proxy(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.Scheme != "http" || r.URL.Host != o.host || r.Host != o.host {
		o.refuse(w, r.Host)
		return
	}
	o.own(w, r)
}

// refuse answers a request for another host, which it notes.
func (o *origin) refuse(w http.ResponseWriter, host string) {
	host = plainText(strings.TrimSuffix(host, ":443"), trial.MostHost)
	o.mu.Lock()
	if host != "" && len(o.elsewhere) < trial.MostEntries && !slices.Contains(o.elsewhere, host) {
		o.elsewhere = append(o.elsewhere, host)
	}
	o.mu.Unlock()
	w.Header().Set("Connection", "close")
	http.Error(w, "The play-tester has no network but the project's own files.", http.StatusForbidden)
}

// own answers a request for the page's own origin.
func (o *origin) own(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.requests++
	over := o.requests > mostRequests || o.bytes > mostBytes
	o.mu.Unlock()
	if over {
		http.Error(w, "The play-tester has answered enough.", http.StatusTooManyRequests)
		return
	}
	r.URL.Scheme, r.URL.Host = "", ""
	for name := range r.Header {
		if strings.HasPrefix(name, "Proxy-") || name == "Connection" {
			delete(r.Header, name)
		}
	}
	r.Body = http.NoBody
	c := &counted{ResponseWriter: w, origin: o}
	o.serve.ServeTrial(c, r, o.due)
	o.answered(r, c.status)
}

// answered notes a request that failed, once.
func (o *origin) answered(r *http.Request, status int) {
	if status < 400 {
		return
	}
	f := trial.Request{Path: plainText(r.URL.EscapedPath(), trial.MostText), Status: status}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.failed) < trial.MostEntries && !slices.Contains(o.failed, f) {
		o.failed = append(o.failed, f)
	}
}

// note adds the noted requests to the observations.
func (o *origin) note(s *trial.Seen) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s.Failed, s.Elsewhere = slices.Clone(o.failed), slices.Clone(o.elsewhere)
	for _, f := range o.failed { // a browser adds that an error page is no script
		s.Errors = slices.DeleteFunc(s.Errors, func(e string) bool {
			return strings.Contains(e, "Refused to") && strings.Contains(e, o.host+f.Path+"'")
		})
	}
}

// counted counts the answered bytes.
type counted struct {
	http.ResponseWriter
	origin *origin
	status int
}

func (c *counted) WriteHeader(status int) {
	if c.status == 0 && status >= 200 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	c.origin.mu.Lock()
	c.origin.bytes += int64(len(p))
	over := c.origin.bytes > mostBytes
	c.origin.mu.Unlock()
	if over {
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(p)
}
