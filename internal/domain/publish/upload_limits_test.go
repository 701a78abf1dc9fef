package publish_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/testkit/expect"
)

func TestUploadDeclarations(t *testing.T) {
	t.Parallel()
	sum := func(text string) publish.Declared {
		return publish.Declared{SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}
	}
	whole := page + long("two")
	t.Run("a digest of the part says nothing about the file", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		w.waits(by, part{id: "a", n: 1, text: page, total: 2, declared: sum(page)})
		w.completes(by, part{id: "a", n: 2, text: long("two"), declared: sum(long("two"))})
	})
	t.Run("a digest of the file is checked, with whatever part it came", func(t *testing.T) {
		for n := range 3 {
			w := newWorld(t)
			by := w.account()
			at := func(i int, wrong bool) publish.Declared {
				switch {
				case i != n:
					return publish.Declared{}
				case wrong:
					return sum("something else")
				}
				return sum(whole)
			}
			w.waits(by, part{id: "a", n: 1, text: page, declared: at(0, false)})
			w.waits(by, part{id: "a", n: 2, text: long("two"), declared: at(1, false)})
			w.completes(by, part{id: "a", total: 2, declared: at(2, false)})
			w.waits(by, part{id: "b", n: 1, text: page, declared: at(0, true)})
			w.waits(by, part{id: "b", n: 2, text: long("two"), declared: at(1, true)})
			_, _, err := w.send(by, part{id: "b", total: 2, declared: at(2, true)})
			refused(t, err, sandlot.CodeDigestMismatch)
		}
	})
	t.Run("what was refused is not accepted for being sent again", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		w.waits(by, part{id: "a", n: 1, text: page[:20], total: 2, declared: sum(whole)}) // cut on its way
		for range 3 {
			_, _, err := w.send(by, part{id: "a", n: 2, text: long("two")})
			refused(t, err, sandlot.CodeDigestMismatch)
		}
		out := w.completes(by, part{id: "a", n: 1, text: page})
		expect.Same(t, "content", w.text(out.Project.ID, 1, "index.html"), whole)
	})
	t.Run("a digest of a part that was cut is withdrawn when the part comes whole", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		w.waits(by, part{id: "a", n: 1, text: page, total: 2, declared: sum(page)})
		_, _, err := w.send(by, part{id: "a", n: 2, text: long("two")[:50], declared: sum(long("two"))})
		refused(t, err, sandlot.CodeDigestMismatch)
		out := w.completes(by, part{id: "a", n: 2, text: long("two"), declared: sum(long("two"))})
		expect.Same(t, "content", w.text(out.Project.ID, 1, "index.html"), whole)
	})
	t.Run("a wrong digest can be put right by a call that tells the total", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		w.waits(by, part{id: "a", n: 1, text: page, declared: sum("base64 of it")})
		_, _, err := w.send(by, part{id: "a", n: 2, text: long("two"), last: true})
		refused(t, err, sandlot.CodeDigestMismatch)
		w.completes(by, part{id: "a", total: 2, declared: sum(whole)})
	})
}

func pack(t *testing.T, texts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(text))
		expect.OK(t, err)
		expect.OK(t, z.Close())
	}
	return b.Bytes()
}

func TestUploadOfGzip(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *publish.Config) { c.MaxFile = 2000 })
	by := w.account()
	text := page + long("gzip")
	t.Run("row 70: one stream cut into parts", func(t *testing.T) {
		packed := string(pack(t, text))
		for cut := 1; cut < len(packed); cut += 7 {
			id := fmt.Sprint("cut", cut)
			w.waits(by, part{id: id, n: 1, text: packed[:cut], encoding: "gzip+base64", total: 2})
			out := w.completes(by, part{id: id, n: 2, text: packed[cut:], encoding: "gzip+base64"})
			expect.Same(t, "content", w.text(out.Project.ID, 1, "index.html"), text)
		}
	})
	t.Run("row 70: one member a part", func(t *testing.T) {
		w.waits(by, part{id: "members", n: 1, text: string(pack(t, page)), encoding: "gzip+base64url", total: 2})
		out := w.completes(by, part{id: "members", n: 2, text: string(pack(t, long("gzip")))})
		expect.Same(t, "content", w.text(out.Project.ID, 1, "index.html"), text)
	})
	for name, tt := range map[string]struct {
		two  string
		kind content.ErrorKind
	}{
		"a part that is no gzip": {"plain", content.InvalidContent},
		"a stream cut short":     {string(pack(t, text))[:50], content.InvalidContent},
		"a bomb":                 {string(pack(t, strings.Repeat(" ", 1<<20))), content.TooLarge},
		"one byte too many":      {string(pack(t, strings.Repeat(" ", 2001-len(page)))), content.TooLarge},
	} {
		t.Run(name+" is refused, and the upload goes on", func(t *testing.T) {
			id := fmt.Sprintf("%x", name)
			w.waits(by, part{id: id, n: 1, text: string(pack(t, page)), encoding: "gzip+base64", total: 2})
			n := w.onDisk()
			_, _, err := w.send(by, part{id: id, n: 2, text: tt.two})
			var e *content.Error
			if !errors.As(err, &e) || e.Kind != tt.kind {
				t.Fatalf("got %v", err)
			}
			if got := w.onDisk(); got > n+1 { // part 2 itself, which may be put right
				t.Errorf("%d blobs more", got-n)
			}
			out := w.completes(by, part{id: id, n: 2, text: string(pack(t, "two"))})
			expect.Same(t, "content", w.text(out.Project.ID, 1, "index.html"), page+"two")
		})
	}
	t.Run("exactly the limit is accepted", func(t *testing.T) {
		w.waits(by, part{id: "exact", n: 1, text: string(pack(t, strings.Repeat(" ", 1000))), encoding: "gzip+base64", total: 2})
		if out := w.completes(by, part{id: "exact", n: 2, text: string(pack(t, strings.Repeat(" ", 1000)))}); out.Project.Size != 2000 {
			t.Errorf("size %d", out.Project.Size)
		}
	})
	t.Run("without the encoding HTML that is gzip is double encoded", func(t *testing.T) {
		_, _, err := w.send(by, part{id: "plain", n: 1, text: string(pack(t, page)), total: 1})
		refused(t, err, sandlot.CodeDoubleEncoded)
	})
}

func TestUploadLimits(t *testing.T) {
	t.Parallel()
	const limit = 10 * inlineMax
	w := newWorld(t, func(c *publish.Config) { c.MaxFile, c.MaxUploads = limit, 3 })
	by := w.account()
	half := strings.Repeat("h", limit/2)
	t.Run("the assembled file may have exactly the limit", func(t *testing.T) {
		w.waits(by, part{id: "exact", n: 1, text: half, total: 2})
		if out := w.completes(by, part{id: "exact", n: 2, text: half}); out.Project.Size != limit {
			t.Errorf("size %d", out.Project.Size)
		}
	})
	t.Run("one byte more is refused, and can be put right", func(t *testing.T) {
		w.waits(by, part{id: "over", n: 1, text: half, total: 2})
		_, _, err := w.send(by, part{id: "over", n: 2, text: half + "h"})
		refused(t, err, sandlot.CodeContentTooLarge)
		w.completes(by, part{id: "over", n: 2, text: half})
	})
	t.Run("row 68: parts far over the limit are not kept", func(t *testing.T) {
		w.waits(by, part{id: "far", n: 1, text: half})
		w.unchanged(t, func() {
			_, _, err := w.send(by, part{id: "far", n: 2, text: strings.Repeat("f", limit+1<<20)})
			refused(t, err, sandlot.CodeContentTooLarge)
		})
	})
	t.Run("row 68: only so many uploads may be open", func(t *testing.T) {
		w.waits(by, part{id: "2", n: 1, text: half})
		w.waits(by, part{id: "3", n: 1, text: half})
		w.unchanged(t, func() {
			_, _, err := w.send(by, part{id: "4", n: 1, text: half})
			if e := refused(t, err, sandlot.CodeQuotaExceeded); e.RetryAfter <= 0 {
				t.Error("it does not say when to try again")
			}
		})
		w.waits(w.account(), part{id: "4", n: 1, text: half})
		for i := range 3 { // by the address, whatever the id
			w.waits(nobody(), part{id: fmt.Sprint(longID, i), n: 1, text: half, email: address})
		}
		_, _, err := w.send(nobody(), part{id: shortID, n: 1, text: half, email: address})
		refused(t, err, sandlot.CodeQuotaExceeded)
		w.waits(sandlot.Caller{From: sandlot.Sender{Network: "192.0.2.2"}}, part{id: shortID, n: 1, text: half, email: address})
	})
	t.Run("unfinished uploads expire after 24 hours", func(t *testing.T) {
		w.clock.move(24 * time.Hour)
		_, _, err := w.send(by, part{id: "far", n: 2, text: half})
		refused(t, err, sandlot.CodePart1First)
		w.waits(by, part{id: "far", n: 1, text: half})
	})
}
