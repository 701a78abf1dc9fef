package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// popular is a project of a public instance, behind a proxy that the test plays.
type popular struct {
	*testenv.Server
	t    *testing.T
	id   string
	host string // of the project
}

const popularBase = "sandlot.example.com"

func newPopular(t *testing.T) *popular {
	t.Helper()
	s := testenv.Start(t, testenv.Binary(t), "--trusted-proxies", "127.0.0.1", "--base-url", "http://"+popularBase, "--content-host", "games.example.net", "--path-form", "on")
	made := from(t, s, "198.51.100.1", "POST", "/v1/publish", "", map[string]any{"content": page(100), "email": "me@mail.internal"})
	if made.StatusCode != http.StatusCreated {
		t.Fatalf("publish: %d %v", made.StatusCode, made.body)
	}
	id := made.body["project_id"].(string)
	return &popular{s, t, id, id + ".games.example.net"}
}

// ask sends a request from an address as the proxy passes it on, and returns the status.
func (p *popular) ask(addr, method, host, path, body string, header ...string) int {
	p.t.Helper()
	req, err := http.NewRequest(method, p.URL()+path, strings.NewReader(body))
	expect.OK(p.t, err)
	req.Host = host
	req.Header.Set("X-Forwarded-For", addr)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := *p.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	expect.OK(p.t, err)
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

func (p *popular) wantStats(what string, plays, players, likes float64) {
	p.t.Helper()
	got := from(p.t, p.Server, "198.51.100.1", "GET", "/v1/project/"+p.id+"/stats", "", nil).body
	if got["plays"] != plays || got["player_count"] != players || got["likes"] != likes {
		p.t.Errorf("%s: %v, want %v plays, %v players, %v likes", what, got, plays, players, likes)
	}
}

// TestRegression06PopularityCannotBeMadeUp sends what made a project popular in seconds to the real program, on every way in.
func TestRegression06PopularityCannotBeMadeUp(t *testing.T) {
	t.Parallel()
	const one, other, neighbour = "203.0.113.7", "203.0.113.8", "2001:db8::7"
	t.Run("plays by varying the User-Agent", func(t *testing.T) {
		t.Parallel()
		p := newPopular(t)
		for i := range 120 {
			agent := fmt.Sprint("browser ", i)
			host, path, header := p.host, "/", []string{"User-Agent", agent}
			switch i % 3 {
			case 1: // net/http's, for what is not plain
				header = append(header, "Te", "trailers")
			case 2:
				host, path = popularBase, "/~/"+p.id+"/"
			}
			if status := p.ask(one, "GET", host, path, "", header...); status != http.StatusOK {
				t.Fatalf("load %d is not served: %d", i, status)
			}
		}
		p.wantStats("one address", 60, 0, 0)
		p.ask(other, "GET", p.host, "/", "", "User-Agent", "browser")
		p.ask(neighbour, "GET", p.host, "/", "", "User-Agent", "browser")
		p.wantStats("with two neighbours", 62, 0, 0)
	})
	t.Run("plays by If-None-Match: *", func(t *testing.T) {
		t.Parallel()
		p := newPopular(t)
		for i := range 10 {
			for _, header := range [][]string{{}, {"Te", "trailers"}} {
				header = append(header, "User-Agent", fmt.Sprint("browser ", i), "If-None-Match", "*")
				if status := p.ask(one, "GET", p.host, "/", "", header...); status != http.StatusNotModified {
					t.Fatalf("*: %d", status)
				}
			}
		}
		p.wantStats("304 to *", 0, 0, 0)
	})
	t.Run("players by making up ids", func(t *testing.T) {
		t.Parallel()
		p := newPopular(t)
		for i := range 100 {
			beat, host, path := fmt.Sprintf(`{"player":"p%d"}`, i), p.host, "/.sandlot/heartbeat"
			switch i % 3 {
			case 1:
				host, path = popularBase, "/p/"+p.id+"/heartbeat"
			case 2:
				host, path = popularBase, "/~/"+p.id+"/.sandlot/heartbeat"
			}
			if status := p.ask(one, "POST", host, path, beat); status != http.StatusNoContent {
				t.Fatalf("heartbeat %d: %d", i, status)
			}
		}
		p.wantStats("one address", 0, 50, 0)
		p.ask(other, "POST", p.host, "/.sandlot/heartbeat", `{"player":"q"}`)
		p.wantStats("with a neighbour", 0, 51, 0)
	})
	t.Run("likes by leaving the cookie away", func(t *testing.T) {
		t.Parallel()
		p := newPopular(t)
		like := func(addr string, i int) {
			form := url.Values{"like": {"1"}}.Encode()
			if status := p.ask(addr, "POST", popularBase, "/p/"+p.id+"/like", form, "Content-Type", "application/x-www-form-urlencoded", "User-Agent", fmt.Sprint("browser ", i)); status != http.StatusSeeOther {
				t.Fatalf("like %d: %d", i, status)
			}
		}
		for i := range 40 {
			like(one, i)
		}
		p.wantStats("one address", 0, 0, 20)
		like(other, 0)
		p.wantStats("with a neighbour", 0, 0, 21)
	})
}
