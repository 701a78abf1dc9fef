package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// baseURL is what the program makes its addresses from. It stays the same while
// the port changes with each start, so that acknowledged addresses do too.
const baseURL = "http://localhost:8080"

// errDead means that no whole answer came: the program was killed.
var errDead = errors.New("no answer")

// keyring keeps the keys in memory, for the ledger has only their hashes.
type keyring struct {
	mu   sync.Mutex
	keys map[string]string
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

// A client talks to the program that runs now.
type client struct {
	http *http.Client
	keys *keyring
}

// newClient makes a client whose every connection goes to addr, whatever host an
// address names.
func newClient(addr string, keys *keyring) *client {
	var d net.Dialer
	return &client{keys: keys, http: &http.Client{
		Timeout: time.Minute, // a publish takes milliseconds; what hangs so long is an error
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return d.DialContext(ctx, network, addr)
			},
			DisableCompression: true, MaxIdleConnsPerHost: 64,
		},
	}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// answer is all that an answer may say.
type answer struct {
	Status     int  `json:"-"`
	Replayed   bool `json:"-"`
	URL        string
	VersionURL string `json:"version_url"`
	Title      string
	Version    int
	Previous   int `json:"previous_version"`
	Handle     string
	APIKey     string `json:"api_key"`
	ProjectKey string `json:"project_api_key"`
	Email      string
	Filename   string
	Size       int64
	SHA256     string
	Deleted    string
	Files      []fileView
	Received   []int  `json:"received_parts"`
	Missing    []int  `json:"missing_parts"`
	Project    string `json:"project_id"`
	Error      string
	Message    string
}

type fileView struct {
	Filename string
	Size     int64
	SHA256   string
	URL      string
	Content  *string
}

// send sends an operation and returns the answer. An error that is not errDead
// is the answer's fault.
func (c *client) send(s *shard, o *op, times int) (answer, error) {
	path, contentType, body, err := s.request(o, times)
	if err != nil {
		return answer{}, err
	}
	req, err := http.NewRequest(http.MethodPost, baseURL+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", contentType)
	if o.Once != "" {
		req.Header.Set("Idempotency-Key", o.Once)
	}
	c.authorize(req, s.key(o))
	resp, text, err := c.do(req)
	if err != nil {
		return answer{}, err
	}
	a := answer{Status: resp.StatusCode, Replayed: resp.Header.Get("Idempotent-Replayed") == "true"}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("the answer %d is not JSON: %w", a.Status, err)
	}
	return a, nil
}

// authorize adds the key of that hash.
func (c *client) authorize(req *http.Request, sum string) {
	if sum != "" {
		req.Header.Set("Authorization", "Bearer "+c.keys.get(sum))
	}
}

// do returns the whole answer or errDead.
func (c *client) do(req *http.Request) (*http.Response, []byte, error) {
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; crash-bot/1.0)") // what it opens is not played
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errDead, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errDead, err)
	}
	return resp, text, nil
}

// get fetches an address with the key of that hash, or none.
func (c *client) get(url, sum string) (status int, body []byte, err error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	c.authorize(req, sum)
	resp, body, err := c.do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("GET %s: %w", url, err)
	}
	return resp.StatusCode, body, nil
}

// read fetches an answer of the API, which must be 200.
func (c *client) read(path, sum string, into any) error {
	status, body, err := c.get(baseURL+path, sum)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("GET %s: %d %.300s", path, status, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	return nil
}
