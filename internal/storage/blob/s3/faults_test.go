package s3

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// hurried waits for as long as a test can.
func hurried() limits {
	l := quick
	l.firstByte, l.stall, l.rate, l.call = 500*time.Millisecond, 500*time.Millisecond, 1<<20, 5*time.Second
	return l
}

func TestWhatPassesIsRepeated(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fault{
		"500": refuse(500, "InternalError"), "503": refuse(503, "SlowDown"), "a reset": reset, "a lost answer": lost,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBucket(t)
			p := proxied(t, b)
			s := b.open(t)
			p.set(allBut(3, f)) // two of three
			for _, n := range []int{1000, partSize + 5} {
				data := noise(n)
				blob := put(t, s, data)
				holds(t, cached(t, s, testenv.MemoryDir(t)), blob, data)
				expect.Same(t, "listed", names(t, s, soon()), []sandlot.BlobRef{blob.Ref})
				expect.OK(t, s.Delete(t.Context(), blob.Ref))
			}
			expect.Same(t, "left", names(t, s, soon()), nil)
		})
	}
}

func TestEveryLostAnswerToAPutIsMadeGood(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	p := proxied(t, b)
	s := b.open(t)
	data := noise(partSize + 5)
	for name, is := range map[string]func(*http.Request) bool{
		"the beginning": func(r *http.Request) bool { return posts(r) && r.URL.Query().Has("uploads") },
		"a part":        puts,
		"the end":       func(r *http.Request) bool { return posts(r) && r.URL.Query().Has("uploadId") },
	} {
		p.set(first(1, is, lost))
		blob := put(t, s, data)
		p.set(nil)
		t.Log(name)
		holds(t, cached(t, s, ""), blob, data)
	}
	// Some stores know an upload no more once it is an object.
	ended := false
	p.set(func(p *proxy, w http.ResponseWriter, r *http.Request, n int) bool {
		if !posts(r) || !r.URL.Query().Has("uploadId") {
			return false
		}
		if ended {
			return refuse(404, "NoSuchUpload")(p, w, r, n)
		}
		ended = true
		return lost(p, w, r, n)
	})
	blob := put(t, s, data)
	p.set(nil)
	holds(t, cached(t, s, ""), blob, data)
	p.set(first(always, func(r *http.Request) bool { return posts(r) && r.URL.Query().Has("uploadId") }, refuse(404, "NoSuchUpload")))
	_, err := s.Put(t.Context(), s.Name(), bytes.NewReader(data))
	expect.Is(t, "an upload that the store forgot", err, sandlot.ErrUnavailable)
	p.set(first(1, puts, lost))
	small := put(t, s, data[:100])
	expect.Equal(t, "requests for a small one", p.requests(), 2)
	holds(t, cached(t, s, ""), small, data[:100])
	// Of the answer to the beginning an upload without parts is left.
	expect.Equal(t, "uploads", uploads(t, s), 1)
	s.now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	names(t, s, soon())
	expect.Equal(t, "uploads a day later", uploads(t, s), 0)
}

func TestAStoreThatIsDownIsNotAskedAgainAndAgain(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	p := proxied(t, b)
	s := b.open(t)
	p.set(first(always, all, refuse(503, "SlowDown")))
	const calls = 60
	for range calls {
		_, err := s.Put(t.Context(), s.Name(), bytes.NewReader([]byte("x")))
		expect.Is(t, "Put", err, sandlot.ErrUnavailable)
		expect.Contains(t, "Put", err.Error(), "is overloaded")
	}
	// One per call, and the retries of the budget.
	if n := p.requests(); n > calls+retryTokens/5+10 {
		t.Errorf("%d requests for %d calls", n, calls)
	}
	p.set(nil)
	expect.Same(t, "stored", names(t, s, soon()), nil)
}

func TestAPartThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	p := proxied(t, b)
	s := b.open(t)
	p.set(first(always, func(r *http.Request) bool { return puts(r) && r.URL.Query().Get("partNumber") == "2" }, refuse(500, "InternalError")))
	_, err := s.Put(t.Context(), s.Name(), bytes.NewReader(noise(partSize+5)))
	expect.Is(t, "Put", err, sandlot.ErrUnavailable)
	p.set(nil)
	expect.Equal(t, "uploads left", uploads(t, s), 0)
	expect.Same(t, "stored", names(t, s, soon()), nil)
}

func TestRefusalsSayWhichAndTellNoKeys(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	p := proxied(t, b)
	s := b.open(t)
	clock := time.Now()
	s.now = func() time.Time { return clock }
	for _, c := range []struct {
		status int
		code   string
		want   error
		says   string
	}{
		{403, "AccessDenied", sandlot.ErrUnavailable, "the keys may not do this"},
		{403, "SignatureDoesNotMatch", sandlot.ErrUnavailable, "they are wrong"},
		{404, "NoSuchBucket", sandlot.ErrUnavailable, "does not exist"},
		{404, "NoSuchUser", sandlot.ErrUnavailable, "answers with status 404"},
		{507, "Anything", sandlot.ErrFull, "has no room"},
		{400, "QuotaExceeded", sandlot.ErrFull, "has no room"},
		{418, "Teapot", sandlot.ErrUnavailable, "answers with status 418"},
	} {
		p.set(first(always, puts, refuse(c.status, c.code)))
		for _, n := range []int{5, partSize + 5} {
			_, err := s.Put(t.Context(), s.Name(), bytes.NewReader(noise(n)))
			refused(t, b, c.code, err, c.want, c.says)
		}
		clock = clock.Add(time.Minute)
		refused(t, b, c.code+", Ping", s.Ping(t.Context()), c.want, c.says)
		p.set(first(always, gets, refuse(c.status, c.code)))
		_, err := read(t, cached(t, s, ""), described(sandlot.Blob{Ref: s.Name(), Size: 5}, noise(5)), 0, -1)
		refused(t, b, c.code+", Open", err, c.want, c.says)
	}
	p.set(nil)
	expect.Equal(t, "uploads left", uploads(t, s), 0)
}

func refused(t *testing.T, b *bucket, what string, err, want error, says string) {
	t.Helper()
	expect.Is(t, what, err, want)
	expect.Contains(t, what, err.Error(), says)
	for _, secret := range []string{b.Secret, b.Key} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v tells %q", what, err, secret)
		}
	}
}

// wrongBytes changes one byte of a store's answer.
func wrongBytes(_ http.Header, body []byte) []byte {
	if len(body) > 0 {
		body[len(body)/2] ^= 1
	}
	return body
}

func TestAReaderGetsTheRightBytesOrAnError(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	p := proxied(t, b)
	s := b.openAt(t, b.config(), hurried())
	for _, size := range []int{40_000, mebi + 40_000} {
		data := noise(size)
		blob := put(t, s, data)
		bare := blob
		bare.Checkpoints = ""
		for name, c := range map[string]struct {
			fault fault
			once  bool // it does no harm if it happens once
			want  error
		}{
			"a reset amid an answer":      {cut(0), true, sandlot.ErrUnavailable},
			"an answer that breaks off":   {cut(-1), true, sandlot.ErrUnavailable},
			"other bytes":                 {another(wrongBytes), true, sandlot.ErrCorrupt},
			"fewer bytes":                 {another(func(h http.Header, body []byte) []byte { return body[:len(body)-1] }), true, nil},
			"more bytes":                  {another(func(h http.Header, body []byte) []byte { return append(body, 'x') }), true, sandlot.ErrCorrupt},
			"another object's size":       {another(func(h http.Header, body []byte) []byte { h.Set("Content-Range", longer(h)); return body }), true, nil},
			"no connection":               {reset, true, sandlot.ErrUnavailable},
			"no object":                   {refuse(404, "NoSuchKey"), false, sandlot.ErrNotFound},
			"nothing but an error of 503": {refuse(503, "SlowDown"), true, sandlot.ErrUnavailable},
		} {
			for _, of := range []sandlot.Blob{blob, bare} {
				t.Run(fmt.Sprintf("%s, %d bytes, %d checkpoints", name, size, len(of.Checkpoints)/32), func(t *testing.T) {
					p.set(nil)
					s := b.openAt(t, s.config, hurried()) // with a budget of its own
					for from, folder := range map[int64]string{0: testenv.MemoryDir(t), int64(size) - 10: ""} {
						blobs := cached(t, s, folder)
						if c.once {
							p.set(first(1, gets, c.fault))
							got, err := read(t, blobs, of, from, -1)
							if err != nil || !bytes.Equal(got, data[from:]) {
								t.Errorf("once, folder %q, from %d: %d bytes, %v", folder, from, len(got), err)
							}
							blobs = cached(t, s, "")
						}
						p.set(first(always, gets, c.fault))
						want := c.want
						if name == "another object's size" && size > mebi { // it stands in answers to ranges alone
							want = sandlot.ErrCorrupt
						}
						rightOrAnError(t, blobs, of, data, from, want)
					}
				})
			}
		}
	}
}

// longer is a range of an object that is a byte longer.
func longer(h http.Header) string {
	from, to, size := 0, 0, 0
	if _, err := fmt.Sscanf(h.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &size); err != nil {
		return h.Get("Content-Range")
	}
	return fmt.Sprintf("bytes %d-%d/%d", from, to, size+1)
}

// rightOrAnError reads a blob of which all is to fail, and wants no byte that is not the blob's.
func rightOrAnError(t *testing.T, blobs sandlot.Blobs, b sandlot.Blob, data []byte, from int64, want error) {
	t.Helper()
	got, err := read(t, blobs, b, from, -1)
	if !bytes.HasPrefix(data[from:], got) {
		t.Errorf("from %d: %d bytes, not those of the blob", from, len(got))
	}
	if err == nil && len(got) != len(data)-int(from) {
		t.Errorf("from %d: %d bytes of %d and no error", from, len(got), len(data)-int(from))
	}
	if want != nil && !errors.Is(err, want) {
		t.Errorf("from %d: %v, want %v", from, err, want)
	}
}

func TestASlowOrSilentStoreIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	p := proxied(t, b)
	well := b.open(t)
	blob := put(t, well, noise(100_000))
	l := quick
	l.connect, l.firstByte, l.stall, l.rate, l.call, l.attempts = 100*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond, 4<<20, 300*time.Millisecond, 2
	s := b.unopened(t, well.config, l)
	for name, f := range map[string]fault{
		"no answer": silent, "an answer that stops": slow(1000, time.Hour), "a few bytes now and then": slow(100, 10*time.Millisecond),
	} {
		t.Run(name, func(t *testing.T) {
			p.set(first(always, all, f))
			l := l
			if name == "an answer that stops" {
				l.rate = 1000 // then it is the stop that ends it, and not the whole time
			}
			s := b.unopened(t, well.config, l)
			begun := time.Now()
			_, err := read(t, cached(t, s, ""), blob, 0, -1)
			expect.Is(t, "read", err, sandlot.ErrUnavailable)
			if took := time.Since(begun); took > 8*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
	hear := make(chan struct{})
	p.set(first(always, puts, func(*proxy, http.ResponseWriter, *http.Request, int) bool { <-hear; return true }))
	_, err := s.Put(t.Context(), s.Name(), bytes.NewReader(noise(partSize)))
	close(hear)
	expect.Is(t, "Put to who does not read", err, sandlot.ErrUnavailable)
	expect.Contains(t, "Put to who does not read", err.Error(), "did not answer in time")
	p.set(first(always, puts, silent))
	for _, n := range []int{10, partSize + 1} {
		_, err := s.Put(t.Context(), s.Name(), bytes.NewReader(noise(n)))
		expect.Is(t, "Put", err, sandlot.ErrUnavailable)
		expect.Contains(t, "Put", err.Error(), "did not answer in time")
	}
	p.set(first(always, all, silent))
	expect.Is(t, "Ping", s.Ping(t.Context()), sandlot.ErrUnavailable)
}

func TestAnAnswerThatBreaksOffIsAskedForFromThere(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	p := proxied(t, b)
	s := b.open(t)
	data := noise(100_000)
	blob := put(t, s, data)
	var ranges []string
	broken := cut(0)
	p.set(func(p *proxy, w http.ResponseWriter, r *http.Request, n int) bool {
		ranges = append(ranges, r.Header.Get("Range"))
		return n == 1 && broken(p, w, r, n)
	})
	holds(t, cached(t, s, ""), blob, data)
	if len(ranges) != 2 || ranges[0] != "" || !strings.HasSuffix(ranges[1], "-99999") || ranges[1] == "bytes=0-99999" {
		t.Errorf("asked for %q", ranges)
	}
}

func TestAListingThatLiesIsAnError(t *testing.T) {
	t.Parallel()
	b := newBucket(t)
	p := proxied(t, b)
	s := b.open(t)
	blob := put(t, s, []byte("x"))
	lists := func(r *http.Request) bool { return r.URL.Query().Get("list-type") == "2" }
	for name, body := range map[string]string{
		"objects of another prefix": "<ListBucketResult><Contents><Key>other/" + string(blob.Ref[:2]) + "/" + string(blob.Ref) + "</Key></Contents></ListBucketResult>",
		"the same page for ever":    "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
		"no list":                   "<html>Welcome",
	} {
		p.set(first(always, lists, another(func(http.Header, []byte) []byte { return []byte(body) })))
		var last error
		for ref, err := range s.List(t.Context(), soon()) {
			if err == nil {
				t.Errorf("%s: yielded %s", name, ref)
			}
			last = err
		}
		expect.Is(t, name, last, sandlot.ErrUnavailable)
	}
}
