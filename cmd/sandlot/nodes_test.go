package main

import (
	"bytes"
	"net/http"
	"net/url"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// fullSet is where nodes of a test's own installation keep everything: a database, a bucket and a server for what they share quickly.
func fullSet(t *testing.T) (flags []string) {
	t.Helper()
	bucket := testenv.S3(t)
	at := url.URL{Scheme: "s3", Host: bucket.Name, Path: "/files", RawQuery: url.Values{"endpoint": {bucket.Endpoint}, "region": {bucket.Region}, "path-style": {"true"}}.Encode()}
	return []string{"--database-url", testenv.Postgres(t), "--blob-url", at.String(), "--redis-url", redistest.Database(t)}
}

// within is how long what one node wrote may take to be seen at another, with slack for a busy machine.
const within = fivefold * time.Second

// sees waits until a node answers a GET as it should.
func sees(t *testing.T, s *testenv.Server, address string, status int, body []byte) {
	t.Helper()
	var got int
	var have []byte
	if !testenv.Poll(within, func() bool {
		got, have = open(t, s, address)
		return got == status && (body == nil || bytes.Equal(have, body))
	}) {
		t.Errorf("%s is %d with %d bytes at %s, and should be %d with %d", address, got, len(have), s.Addr(), status, len(body))
	}
}

func TestThreeNodesAreOneService(t *testing.T) {
	t.Parallel()
	set := fullSet(t)
	var nodes []*testenv.Server
	for range 3 {
		nodes = append(nodes, testenv.Start(t, testenv.Binary(t), append([]string{"--base-url", "http://sandlot.test"}, set...)...))
	}
	key := signUp(t, nodes[0])
	first, second := page(3<<20), page(100<<10)
	status, p := call(t, nodes[0], "POST", "/v1/publish", key, map[string]any{"content": first})
	expect.Equal(t, "publish", status, http.StatusCreated)
	at, id := p["url"].(string), p["project_id"].(string)
	for _, s := range nodes {
		sees(t, s, at, http.StatusOK, first)
	}

	t.Run("a change is seen at once where it was made and soon at the others", func(t *testing.T) {
		status, _ := call(t, nodes[1], "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "index.html", "content": second})
		expect.Equal(t, "update", status, http.StatusOK)
		if status, body := open(t, nodes[1], at); status != http.StatusOK || !bytes.Equal(body, second) {
			t.Errorf("the node that made the change answers %d with %d bytes", status, len(body))
		}
		for _, s := range nodes {
			sees(t, s, at, http.StatusOK, second)
		}
	})

	t.Run("the parts of an upload may come to different nodes", func(t *testing.T) {
		whole := append(append([]byte{}, first...), second...)
		parts := [][]byte{whole[:1<<20], whole[1<<20 : 2<<20], whole[2<<20:]}
		var made map[string]any
		for i, part := range parts {
			fields := map[string]any{"upload_id": "an-upload-at-three-nodes", "part": i + 1, "total_parts": len(parts), "content": part}
			status, made = call(t, nodes[i], "POST", "/v1/publish", key, fields)
			expect.Equal(t, "part", status, map[bool]int{false: http.StatusAccepted, true: http.StatusCreated}[i == len(parts)-1])
		}
		for _, s := range nodes {
			sees(t, s, made["url"].(string), http.StatusOK, whole)
		}
	})

	t.Run("a call sent again to another node has one effect", func(t *testing.T) {
		published := func(s *testenv.Server) any {
			return from(t, s, "", "POST", "/v1/publish", key, map[string]any{"content": second}, func(r *http.Request) { r.Header.Set("Idempotency-Key", "once-and-for-all") }).body["project_id"]
		}
		made := published(nodes[2])
		expect.Equal(t, "the project of the second call", published(nodes[0]), made)
	})

	t.Run("a visitor's loads at all nodes are one play", func(t *testing.T) {
		status, p := call(t, nodes[0], "POST", "/v1/publish", key, map[string]any{"content": second})
		expect.Equal(t, "publish", status, http.StatusCreated)
		at, stats := p["url"].(string), "/v1/project/"+p["project_id"].(string)+"/stats"
		for range 2 {
			for _, s := range nodes {
				sees(t, s, at, http.StatusOK, second)
			}
		}
		for _, s := range nodes { // which writes what it has counted
			s.Stop(t)
			s.Restart(t)
		}
		for _, s := range nodes {
			_, stats := call(t, s, "GET", stats, key, nil)
			expect.Equal(t, "plays", stats["plays"], any(1.0))
		}
	})

	t.Run("what a killed node took is there", func(t *testing.T) {
		status, p := call(t, nodes[0], "POST", "/v1/publish", key, map[string]any{"content": first})
		expect.Equal(t, "publish", status, http.StatusCreated)
		nodes[0].Kill(t)
		for _, s := range nodes[1:] {
			sees(t, s, p["url"].(string), http.StatusOK, first)
		}
		nodes[0].Restart(t)
		sees(t, nodes[0], p["url"].(string), http.StatusOK, first)
	})
}
