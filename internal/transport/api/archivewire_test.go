package api

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

// linked is a tar whose first entry is a link, and whose second has so many bytes that do not compress.
func linked(t *testing.T, rest int) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	expect.OK(t, w.WriteHeader(&tar.Header{Name: "a.html", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}))
	expect.OK(t, w.WriteHeader(&tar.Header{Name: "index.html", Size: int64(rest), Mode: 0o644}))
	_, err := io.WriteString(w, noise(rest))
	expect.OK(t, err)
	expect.OK(t, w.Close())
	return b.String()
}

func zstded(t *testing.T, text string) string {
	return packed(t, func(w io.Writer) io.WriteCloser { z, err := zstd.NewWriter(w); expect.OK(t, err); return z }, text)
}

const archiveHeaders = "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nAuthorization: Bearer %s\r\n"

// badArchives are refused at their beginning, whatever follows.
func badArchives(t *testing.T, rest int) map[string]string {
	bad := linked(t, rest)
	return map[string]string{"application/x-tar": bad, "application/gzip": gzipped(t, bad), "application/zstd": zstded(t, bad)}
}

func TestAnArchiveThatIsRefusedMidwayIsAnswered(t *testing.T) {
	t.Parallel()
	w := settled(t)
	small, large := badArchives(t, 50_000), badArchives(t, 700_000)
	small["application/zip"] = noise(50_000)
	for kind, bad := range small {
		t.Run("a short rest is thrown away, and the connection goes on/"+kind, func(t *testing.T) {
			w := w.in(t)
			w.unchanged(func() {
				c := w.dial()
				for range 2 {
					c.write(archiveHeaders+"Content-Length: %d\r\n\r\n%s", kind, w.account, len(bad), bad)
					c.wants(422, sandlot.CodeInvalidArchive)
				}
				c.write("GET /v1/whoami HTTP/1.1\r\nHost: localhost\r\n\r\n")
				c.wants(401, sandlot.CodeKeyRequired)
				// Nobody knows how much more of this one comes: the connection may end, but not before the answer.
				c.write(archiveHeaders+"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", kind, w.account, len(bad), bad)
				if res := c.wants(422, sandlot.CodeInvalidArchive); res.Close {
					if _, err := c.r.ReadByte(); err == nil {
						t.Error("something follows the answer")
					}
				}
			})
		})
	}
	for kind, bad := range large {
		for what, sent := range map[string]string{"all": bad, "a part": bad[:200_000]} {
			if what == "a part" && kind != "application/gzip" {
				continue // it waits two seconds for the rest
			}
			t.Run("who sends "+what+" sees the answer, and then the end/"+kind, func(t *testing.T) {
				w := w.in(t)
				w.unchanged(func() {
					c := w.dial()
					c.write(archiveHeaders+"Content-Length: %d\r\n\r\n%s", kind, w.account, len(bad), sent)
					if res := c.wants(422, sandlot.CodeInvalidArchive); !res.Close {
						t.Error("the connection is kept")
					}
					if _, err := c.r.ReadByte(); err == nil {
						t.Error("something follows the answer")
					}
				})
			})
		}
	}
}

func TestExpectWithAnArchive(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for name, key := range map[string]string{"sla_0123": "invalid_key", w.project: "account_key_required"} {
		c := w.dial()
		c.write(archiveHeaders+"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n", "application/zip", name)
		if res, text := c.answer(); res.StatusCode < 400 || !strings.Contains(text, key) {
			t.Errorf("%s: got %d %s", key, res.StatusCode, text)
		}
	}
	for kind, body := range map[string]string{"application/zip": treeZIP(t), "application/x-tar": treeTar(t)} {
		c := w.dial()
		c.write(archiveHeaders+"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", kind, w.account, len(body))
		if line, err := c.r.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
			t.Fatalf("%q %v", line, err)
		}
		c.r.ReadString('\n')
		c.write("%s", body)
		if res, text := c.answer(); res.StatusCode != 201 || res.Close {
			t.Errorf("%s", text)
		}
	}
}

func TestAnArchiveWithoutALengthIsPublished(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for name, way := range waysOf(t, tree) {
		text, raw := way.body.(string)
		if !raw {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			w.post("/v1/publish", w.account, struct{ io.Reader }{strings.NewReader(text)}, with("Content-Type", way.kind), lax).wants(201)
		})
	}
}

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

// TestAnArchiveIsChargedForWhatItBecomes, before that is spent: its bytes, and what each file costs to keep.
func TestAnArchiveIsChargedForWhatItBecomes(t *testing.T) {
	t.Parallel()
	many := [][2]string{{"index.html", page}}
	for i := range 300 {
		many = append(many, [2]string{fmt.Sprintf("%d.js", i), ""})
	}
	for what, files := range map[string][][2]string{
		"bytes": {{"index.html", page}, {"a", strings.Repeat("x", 900_000)}},
		"files": many,
	} {
		for name, send := range senders(t) {
			if name == "an upload in parts" || name == "a ticket" { // which are charged in each call
				continue
			}
			t.Run(what+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := limitedWorld(t, admission.Config{Bytes: admission.Rate{Count: 1, Per: time.Hour, Burst: 200_000}})
				w.account = w.post("/v1/signup", "", obj{}).wants(201).str("api_key")
				w.unchanged(func() { send(w, files).refused(429, sandlot.CodeRateLimited) })
			})
		}
	}
}

func TestReplaceMakesTheProjectWhatWasSentInEveryForm(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for name, way := range waysOf(t, tree) {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			made := w.post("/v1/publish", w.account, obj{"files": []obj{{"filename": "index.html", "text": page}, {"filename": "old.js", "text": "1"}}}).wants(201)
			id := made.str("project_id")
			body, query := way.body, "replace=true&project_id="+id
			if fields, ok := body.(obj); ok {
				query = ""
				fields["replace"], fields["project_id"] = true, id
			} else if strings.HasPrefix(way.kind, "multipart") {
				query = ""
				body = asField(way, "replace", "true") + asField(way, "project_id", id) + body.(string)
			}
			got := w.post("/v1/update?"+query, w.account, body, with("Content-Type", way.kind), lax).wants(200)
			if got.body["removed"] != 1.0 || len(filesOf(w.get("/v1/project/"+id, w.account).wants(200))) != len(tree) {
				t.Errorf("got %s", got.text)
			}
		})
	}
}

// asField is a field before the parts of a form.
func asField(form way, name, value string) string {
	_, boundary, _ := strings.Cut(form.kind, "boundary=")
	return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
}
