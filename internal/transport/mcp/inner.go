package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// maxAnswer bounds an answer of the API that is read whole, in bytes; the largest is that of a thousand projects.
const maxAnswer = 4 << 20

// An answer is that of the API. It must be closed.
type answer struct {
	status int
	header http.Header
	body   io.Reader
	end    func()
}

// Close ends the call, even if its answer was not read to the end.
func (a *answer) Close() { a.end() }

// get makes a call of the API that reads something.
func (t *Tools) get(c *call, path string, query url.Values) (*answer, *refusal) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return t.send(c, http.MethodGet, path, nil)
}

// getJSON makes a call that reads something, and decodes its answer.
func (t *Tools) getJSON(c *call, path string, query url.Values, into any) *refusal {
	a, refused := t.get(c, path, query)
	if refused != nil {
		return refused
	}
	defer a.Close()
	return a.decode(into)
}

// post makes a call of the API with a body of JSON, and decodes its answer.
func (t *Tools) post(c *call, path string, body []byte, into any) *refusal {
	a, refused := t.send(c, http.MethodPost, path, body)
	if refused != nil {
		return refused
	}
	defer a.Close()
	return a.decode(into)
}

// decode reads an answer in JSON.
func (a *answer) decode(into any) *refusal {
	if err := json.NewDecoder(io.LimitReader(a.body, maxAnswer)).Decode(into); err != nil {
		return brokenOff()
	}
	return nil
}

// send makes a call of the API. An answer with an error becomes a refusal.
func (t *Tools) send(c *call, method, path string, body []byte) (*answer, *refusal) {
	ctx, cancel := context.WithCancel(c.ctx)
	r, err := http.NewRequestWithContext(ctx, method, t.Places.Base.String()+path, bytes.NewReader(body))
	if err != nil {
		cancel()
		return nil, own(sandlot.CodeNotFound, "The project, or the name of the file, cannot stand in an address.", "Send project as it was answered.")
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.args.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.args.token)
	}
	release := func() bool { return true }
	if c.outer != nil {
		release = context.AfterFunc(c.outer.Context(), cancel)
		r.RemoteAddr, r.Host = c.outer.RemoteAddr, c.outer.Host
		for _, name := range []string{"Authorization", "Idempotency-Key", "Origin"} {
			if values := c.outer.Header.Values(name); len(values) > 0 {
				r.Header[name] = values
			}
		}
	}
	a := t.serve(r)
	read, end := a.body, a.end
	a.end = func() {
		cancel() // first, so that the API sees a client that left
		release()
		end()
	}
	if a.status < http.StatusBadRequest {
		return a, nil
	}
	defer a.Close()
	return nil, readRefusal(read)
}

// serve starts the handler, and returns its answer as soon as the header is there.
func (t *Tools) serve(r *http.Request) *answer {
	pr, pw := io.Pipe()
	w := &writer{header: http.Header{}, ready: make(chan struct{}), out: pw}
	go func() {
		defer func() {
			broken := recover()
			if broken != nil && broken != http.ErrAbortHandler {
				text := inspect.Redact(fmt.Sprint(broken))
				t.Log.Error("panic", "path", r.URL.Path, "panic", text, "stack", string(debug.Stack()))
			}
			if broken != nil {
				w.WriteHeader(http.StatusInternalServerError)
				_ = pw.CloseWithError(http.ErrAbortHandler)
				return
			}
			w.WriteHeader(http.StatusOK)
			_ = pw.Close()
		}()
		t.API.ServeHTTP(w, r)
	}()
	<-w.ready
	return &answer{w.status, w.header, pr, func() { _ = pr.Close() }}
}

// A writer is the http.ResponseWriter of a call in this process.
type writer struct {
	header http.Header
	once   sync.Once
	ready  chan struct{} // closed when the header is there
	status int
	out    *io.PipeWriter
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	if status < 200 {
		return
	}
	w.once.Do(func() {
		w.status, w.header = status, w.header.Clone()
		close(w.ready)
	})
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(p)
}

// pathOf returns the path of a project in the API, or of something in it.
func pathOf(project string, of ...string) string {
	path := "/v1/project/" + url.PathEscape(project)
	for _, part := range of {
		path += "/" + url.PathEscape(part)
	}
	return path
}
