package api

import (
	"net"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

const archiveHeaders = "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nAuthorization: Bearer %s\r\n"

func TestAnArchiveThatBreaksOffLeavesNothing(t *testing.T) {
	t.Parallel()
	w := settled(t)
	w.unchanged(func() {
		for _, way := range waysOf(t, tree) {
			if text, raw := way.body.(string); raw {
				c := w.dial()
				c.write(archiveHeaders+"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s", way.kind, w.account, len(text), text[:len(text)/2])
				expect.OK(t, c.Conn.(*net.TCPConn).SetLinger(0)) // a reset, not a clean end
				c.Close()
			}
		}
		w.server.Close() // waits for the handlers
	})
}

// A sender publishes files in one of the ways.
type sender func(w *world, files [][2]string) answer

// senders are all ways in which files come, those of several calls too.
func senders(t *testing.T) map[string]sender {
	all := map[string]sender{
		"an upload in parts": func(w *world, files [][2]string) answer {
			whole := zipped(w.t, flat(files)...)
			half := len(whole) / 2
			first := obj{"upload_id": w.t.Name(), "part": 1, "total_parts": 2, "archive_format": "zip", "content": b64(whole[:half])}
			if got := w.post("/v1/publish", w.account, first); got.status != 202 {
				return got
			}
			return w.post("/v1/publish", w.account, obj{"upload_id": w.t.Name(), "part": 2, "content": b64(whole[half:])})
		},
		"a ticket": func(w *world, files [][2]string) answer {
			return w.bytes(w.ticket(w.account, obj{"archive_format": "zip"}), zipped(w.t, flat(files)...))
		},
	}
	for name := range waysOf(t, tree) {
		all[name] = func(w *world, files [][2]string) answer {
			way := waysOf(w.t, files)[name]
			return w.post("/v1/publish?"+way.query, w.account, way.body, with("Content-Type", way.kind), lax)
		}
	}
	return all
}

func flat(files [][2]string) (list []string) {
	for _, f := range files {
		list = append(list, f[0], f[1])
	}
	return list
}

// TestEveryWayHasTheLimitsOfTheUnpackedFiles: whatever the files came in, what counts is what they are.
func TestEveryWayHasTheLimitsOfTheUnpackedFiles(t *testing.T) {
	t.Parallel()
	const one, all, most = 8 << 10, 20 << 10, 4
	w := settled(t, func(s *settings) { s.cfg.MaxContent, s.cfg.MaxFile, s.cfg.MaxFiles = one, all, most })
	file := func(name string, size int) [2]string { return [2]string{name, strings.Repeat("x", size)} }
	index := [2]string{"index.html", page}
	for what, c := range map[string]struct {
		files  [][2]string
		status int
	}{
		"a file of the limit":     {[][2]string{index, file("a", one)}, 201},
		"a file over it":          {[][2]string{index, file("a", one+1)}, 413},
		"all of the limit":        {[][2]string{index, file("a", one), file("b", one), file("c", all-2*one-len(page))}, 201},
		"all over it":             {[][2]string{index, file("a", one), file("b", one), file("c", all-2*one-len(page)+1)}, 413},
		"as many as there may be": {[][2]string{index, file("a", 1), file("b", 1), file("c", 1)}, 201},
		"one too many":            {[][2]string{index, file("a", 1), file("b", 1), file("c", 1), file("d", 1)}, 413},
	} {
		for name, send := range senders(t) {
			t.Run(what+"/"+name, func(t *testing.T) {
				w := w.in(t)
				before := w.projects()
				got := send(w, c.files)
				if got.status != c.status || c.status == 413 && got.str("error") != "content_too_large" {
					t.Errorf("got %d, want %d: %.300s", got.status, c.status, got.text)
				}
				if made := w.projects() - before; made != 0 != (c.status == 201) {
					t.Errorf("%d projects were made", made)
				}
			})
		}
	}
}

// projects counts those that are there.
func (w *world) projects() int {
	w.t.Helper()
	return len(w.get("/v1/whoami?limit=1000", w.account).wants(200).body["projects"].([]any))
}
