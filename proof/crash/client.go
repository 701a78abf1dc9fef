package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	api "sandlot/internal/client/client"
)

// base is the base of the program's addresses. It stays the same while the port changes with each start, so that
// acknowledged addresses do too.
var base = &url.URL{Scheme: "http", Host: "localhost:8080"}

// keyring holds the keys in memory, since the ledger has only their hashes.
type keyring struct {
	mu       sync.Mutex
	keys     map[string]string
	sessions map[string]string // of accounts, by the hash of the key
	stays    stays
	logIn    func(sum, token string) error
}

func newKeyring() *keyring {
	return &keyring{keys: map[string]string{}, sessions: map[string]string{}, stays: stays{stamps: map[string]string{}}}
}

func (k *keyring) add(key string) (sum string) {
	if key == "" {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	sum = sumOf(key)
	k.keys[sum] = key
	return sum
}

func (k *keyring) get(sum string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[sum]
}

// A client calls the running program.
type client struct {
	http *http.Client
	keys *keyring
}

// newClient returns a client that makes every connection to addr, whatever the host of an address.
func newClient(addr string, keys *keyring) *client {
	var d net.Dialer
	return &client{keys: keys, http: &http.Client{
		Timeout: time.Minute, // a publish takes milliseconds; a call that takes this long is an error
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return d.DialContext(ctx, network, addr)
			},
			DisableCompression: true, MaxIdleConnsPerHost: 64,
		},
	}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// api returns the API's client with the key of that hash, or with none. Its calls end with the program or by the
// timeout, so they take no context.
func (c *client) api(sum string) *api.Client {
	return &api.Client{Base: base, Key: c.keys.get(sum), HTTP: c.http}
}

// send sends an operation and returns the answer. An error other than api.ErrNoAnswer is a fault of the answer.
func (c *client) send(s *shard, o *op, times int) (api.Answer, error) {
	switch {
	case o.Kind == trash:
		return c.deleteProject(s, o)
	case o.Kind == takeBack:
		return c.takeProjectBack(s, o)
	case o.Kind == imports:
		return c.sendExport(s, o)
	case o.Ticketed:
		return c.sendByTicket(s, o)
	case o.plays():
		return c.play(s, o)
	}
	r, err := s.request(o, times)
	if err != nil {
		return api.Answer{}, err
	}
	a, err := c.api(s.key(o)).Send(context.Background(), r)
	return a, c.refusedOf(o, err)
}

// deleteProject deletes the project of an operation.
func (c *client) deleteProject(s *shard, o *op) (a api.Answer, err error) {
	id := s.project(o.Account, o.Project).ID
	req, err := http.NewRequest(http.MethodDelete, base.JoinPath("v1", "project", id).String(),
		strings.NewReader(fmt.Sprintf(`{"confirm":%q}`, id)))
	if err != nil {
		return a, err
	}
	req.Header.Set("Authorization", "Bearer "+c.keys.get(s.key(o)))
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return a, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	text, err := readAll(resp.Body)
	if err != nil {
		return a, err
	}
	a.Status = resp.StatusCode
	return a, json.Unmarshal(text, &a)
}

// get fetches an address.
func (c *client) get(url string) (status int, served file, err error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0, file{}, err
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; crash-bot/1.0)") // its loads are no plays
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, file{}, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	defer resp.Body.Close()
	if served, err = readFile(resp.Body); err != nil {
		return 0, file{}, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	return resp.StatusCode, served, nil
}

// readAll returns a whole body or api.ErrNoAnswer.
func readAll(body io.ReadCloser) ([]byte, error) {
	defer body.Close()
	b, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	return b, nil
}
