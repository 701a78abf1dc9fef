package main

import (
	"net/http"
	"testing"

	"sandlot/internal/testkit/testenv"
)

// TestRegression11KeysStayWithTheirSender guesses another sender's values, by the real program behind a proxy.
func TestRegression11KeysStayWithTheirSender(t *testing.T) {
	t.Parallel()
	const victim, neighbour, stranger, private = "203.0.113.1", "2001:db8:1:1::1", "203.0.113.2", "10.1.2.3"
	s := everybodys(t, "--trusted-proxies", "127.0.0.1")
	page := map[string]any{"content": "PGgxPkhpPC9oMT4=", "email": "me@mail.internal"}
	under := func(key string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }
	}
	for _, key := range []string{"game-1", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"} {
		t.Run("Idempotency-Key "+key[:6], func(t *testing.T) {
			first := from(t, s, victim, "POST", "/v1/publish", "", page, under(key))
			again := from(t, s, victim, "POST", "/v1/publish", "", page, under(key))
			if first.StatusCode != 201 || again.body["api_key"] != first.body["api_key"] {
				t.Fatalf("%d, then %d", first.StatusCode, again.StatusCode)
			}
			for _, addr := range []string{stranger, neighbour, private} {
				got := from(t, s, addr, "POST", "/v1/publish", "", page, under(key))
				if got.StatusCode != 409 || got.body["error"] != "replayed_elsewhere" || got.body["api_key"] != nil {
					t.Errorf("from %s: %d %v", addr, got.StatusCode, got.body)
				}
			}
		})
	}
	t.Run("an IPv6 network of 64 bits is one sender", func(t *testing.T) {
		first := from(t, s, neighbour, "POST", "/v1/signup", "", map[string]any{}, under("v6"))
		again := from(t, s, "2001:db8:1:1:9::9", "POST", "/v1/signup", "", map[string]any{}, under("v6"))
		other := from(t, s, "2001:db8:1:2::1", "POST", "/v1/signup", "", map[string]any{}, under("v6"))
		if first.StatusCode != 201 || again.body["api_key"] != first.body["api_key"] || other.body["error"] != "replayed_elsewhere" {
			t.Errorf("%d, %d, %d", first.StatusCode, again.StatusCode, other.StatusCode)
		}
	})
	part := func(n int, more map[string]any) map[string]any {
		fields := map[string]any{"upload_id": "my-game-in-parts-0123456789", "part": n, "content": "PGgxPkhpPC9oMT4=", "email": "me@mail.internal"}
		for name, v := range more {
			fields[name] = v
		}
		return fields
	}
	t.Run("upload_id", func(t *testing.T) {
		first := from(t, s, victim, "POST", "/v1/publish", "", part(1, nil))
		token, _ := first.body["upload_token"].(string)
		if first.StatusCode != 202 || len(token) != 40 {
			t.Fatalf("%d %v", first.StatusCode, first.body["error"])
		}
		theirs := from(t, s, stranger, "POST", "/v1/publish", "", part(1, map[string]any{"content": "PGgxPmV2aWw8L2gxPg=="}))
		if theirs.StatusCode != 202 || theirs.body["upload_token"] == token {
			t.Errorf("a stranger's part 1: %d", theirs.StatusCode)
		}
		last := from(t, s, "198.51.100.9", "POST", "/v1/publish", token, part(2, map[string]any{"last": true}))
		if last.StatusCode != 201 || last.body["files"].([]any)[0].(map[string]any)["size"] != 22.0 {
			t.Fatalf("%d %v", last.StatusCode, last.body["error"])
		}
		again := from(t, s, "198.51.100.10", "POST", "/v1/publish", token, part(2, map[string]any{"last": true}))
		if again.StatusCode != 201 || again.body["api_key"] != last.body["api_key"] {
			t.Errorf("the completing part again: %d", again.StatusCode)
		}
	})
	t.Run("a private peer without a proxy's word gets no keys again", func(t *testing.T) {
		s := everybodys(t) // the proxy was not named, so nobody knows who comes by it
		first := from(t, s, victim, "POST", "/v1/publish", "", page, under("a"))
		again := from(t, s, stranger, "POST", "/v1/publish", "", page, under("a"))
		if first.StatusCode != 201 || again.body["error"] != "replayed_elsewhere" {
			t.Errorf("%d, %d", first.StatusCode, again.StatusCode)
		}
	})
	t.Run("where base-url is local, a private address is a sender's own", func(t *testing.T) {
		s := testenv.Start(t, testenv.Binary(t), "--trusted-proxies", "127.0.0.1")
		first := from(t, s, private, "POST", "/v1/publish", "", page, under("a"))
		again := from(t, s, private, "POST", "/v1/publish", "", page, under("a"))
		if first.StatusCode != 201 || again.body["api_key"] != first.body["api_key"] {
			t.Errorf("%d, %d", first.StatusCode, again.StatusCode)
		}
	})
}
