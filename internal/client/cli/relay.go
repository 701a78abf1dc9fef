package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"sandlot/internal/client/client"
)

// A Relay sends requests of the API to one server, each with the key kept here that covers it, and keeps the keys of the
// answers: their reader needs no key and must see none. It may be used concurrently.
type Relay struct {
	*session
	ring keyring
	mu   sync.Mutex // of keys
}

// Relay returns the Relay to a server: server, or that of the variable or of the folder if it is empty.
func (env *Env) Relay(server string) (*Relay, error) {
	at, err := findPlace(".")
	if err != nil {
		return nil, err
	}
	s, err := target{host: host{Server: server}}.connect(env, at)
	if err != nil {
		return nil, err
	}
	ring, err := env.keyring()
	return &Relay{session: s, ring: ring}, err
}

// Server returns the address of the server. It must not be changed.
func (r *Relay) Server() *url.URL { return r.Base }

// ServeHTTP implements http.Handler. A call that gets no answer is made again, under one Idempotency-Key.
func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	publishes := req.URL.Path == "/v1/publish"
	if err == nil && publishes {
		err = r.ring.add() // checks first that the keys of the answer can be kept
	}
	if err != nil {
		unanswered(w, http.StatusInternalServerError, "internal", err)
		return
	}
	c := client.Client{Base: r.Base, Key: r.keyFor(req.URL.Path, body), HTTP: r.HTTP, Waits: r.Waits, Fresh: r.Fresh}
	if req.Method == http.MethodPost && req.Header.Get("Idempotency-Key") == "" {
		req.Header.Set("Idempotency-Key", r.env.Random())
	}
	send := func() (*http.Response, error) {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return c.Pass(req)
	}
	var resp *http.Response
	err = r.call(req.Context(), func() (err error) {
		if resp, err = send(); err == nil && resp.StatusCode == http.StatusUnauthorized && r.logins.spoil(c.Key) {
			_ = resp.Body.Close()
			resp, err = send()
		}
		return err
	})
	var failed *Failure
	switch {
	case errors.As(err, &failed):
		unanswered(w, http.StatusUnauthorized, "invalid_key", failed)
		return
	case err != nil:
		unanswered(w, http.StatusServiceUnavailable, "unavailable", errors.New(r.server()+" gave no answer"))
		return
	}
	defer resp.Body.Close()
	if publishes && resp.StatusCode == http.StatusCreated {
		r.keep(w, resp)
		return
	}
	pass(w, resp, resp.Body)
}

// keep keeps the keys of a publish, and passes on its answer without them.
func (r *Relay) keep(w http.ResponseWriter, resp *http.Response) {
	var a client.Answer
	var rest map[string]json.RawMessage
	text, err := io.ReadAll(io.LimitReader(resp.Body, stateMax<<6))
	if err = errors.Join(err, json.Unmarshal(text, &a), json.Unmarshal(text, &rest)); err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		keys := r.keysOf(a)
		r.keys = append(r.keys, keys...)
		err = r.ring.add(keys...)
	}
	if err != nil {
		unanswered(w, http.StatusInternalServerError, "internal", err)
		return
	}
	delete(rest, "api_key")
	delete(rest, "project_api_key")
	text, _ = json.Marshal(rest) // it was read before
	resp.Header.Del("Content-Length")
	pass(w, resp, bytes.NewReader(text))
}

// keyFor returns the key for a call: an account's to publish, else the one that permits the least.
func (r *Relay) keyFor(path string, body []byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ref, found := strings.CutPrefix(path, "/v1/project/")
	if !found {
		var said struct {
			Project string `json:"project_id"`
		}
		_ = json.Unmarshal(body, &said) // the server refuses a body that cannot be read
		ref = said.Project
	}
	if ref == "" && path != "/v1/whoami" {
		return accountKey(r.keys).Key
	}
	// Every address of a project has its id.
	at := slices.IndexFunc(r.keys, func(k keptKey) bool { return k.Project != "" && strings.Contains(ref, k.Project) })
	if at < 0 {
		return projectKey(r.keys, "").Key
	}
	return projectKey(r.keys, r.keys[at].Project).Key
}

func pass(w http.ResponseWriter, resp *http.Response, body io.Reader) {
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, body) // its reader notices an answer that breaks off
}

// unanswered answers in the place of the server.
func unanswered(w http.ResponseWriter, status int, code string, why error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	hint := "Check the network and the server's address, then make the call again."
	if failed := (*Failure)(nil); errors.As(why, &failed) {
		why, hint = errors.New(failed.Message), "Your user gives this command on this machine: "+strings.Join(failed.Fix, "; ")
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"error": code, "message": "The call was not answered: " + Harmless(why.Error()) + ".", "status": status, "hint": hint,
	})
}
