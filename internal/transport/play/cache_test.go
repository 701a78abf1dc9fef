package play

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/testenv"
)

func TestCacheIsFilledOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t)
		f := s.file("index.html", page("one"))
		s.put(gameID, f)
		s.gate = make(chan struct{})
		h := newHandler(s, "localhost")
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if res := get(h, "/"); res.StatusCode != 200 || bodyOf(t, res) != page("one") {
					t.Errorf("%d", res.StatusCode)
				}
			})
		}
		synctest.Wait()
		close(s.gate)
		wg.Wait()
		if s.lists != 1 || s.opens[f.Content.Ref] != 1 {
			t.Errorf("100 askers: %d lists, %d opens", s.lists, s.opens[f.Content.Ref])
		}
	})
}

func TestFillsAreBoundedInNumberAndTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t)
		h := newHandler(s, "localhost")
		const projects = 3 * fillSlots
		for i := range projects {
			s.put(projectN(i), s.file("index.html", fmt.Sprint("<p>", i)))
			h.ServeOrigin(newRecorder(), request("GET", "/", "If-None-Match: *"), string(projectN(i))) // so that its list is there
		}
		s.gate = make(chan struct{})
		start := time.Now()
		codes := make(chan int, projects)
		for i := range projects {
			go func() {
				w := newRecorder()
				h.ServeOrigin(w, request("GET", "/"), string(projectN(i)))
				codes <- w.Code
			}()
		}
		synctest.Wait()
		if got := len(h.cache.slots); got != fillSlots {
			t.Errorf("%d fills at once, want %d", got, fillSlots)
		}
		for range projects {
			if got := <-codes; got != 503 {
				t.Errorf("a store that hangs: %d", got)
			}
		}
		if took := time.Since(start); took != fillTime {
			t.Errorf("after %v", took)
		}
	})
}

// projectN is one of many projects.
func projectN(i int) sandlot.ProjectID { return sandlot.ProjectID(fmt.Sprintf("many-%06d", i)) }

func TestVariantsAreUsedASecondAfterTheyAreMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t)
		s.plain = true
		s.put(gameID, s.file("index.html", page("one")))
		h := newHandler(s, "localhost")
		encoding := func() string { return get(h, "/", "Accept-Encoding: gzip").Header.Get("Content-Encoding") }
		if got := encoding(); got != "" {
			t.Errorf("before: %q", got)
		}
		s.squeeze(gameID)
		testenv.Pass(unsettled)
		if got := encoding(); got != "gzip" {
			t.Errorf("after: %q", got)
		}
		testenv.Pass(time.Hour)
		if encoding(); s.lists != 2 {
			t.Errorf("%d lists: a settled one is asked for again", s.lists)
		}
	})
}

// TestAListIsServedWhileItCannotBeReadAgain: what may have come to it since are other forms of the same bytes.
func TestAListIsServedWhileItCannotBeReadAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(gate chan bool) (error, error){
		"the store fails":           func(chan bool) (error, error) { return sandlot.ErrUnavailable, nil },
		"the store does not answer": func(gate chan bool) (error, error) { <-gate; return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newWorld(t)
				s.plain = true
				s.put(gameID, s.file("index.html", page("one")))
				h := newHandler(s, "localhost")
				get(h, "/")
				gate := make(chan bool)
				s.Faults.Step = func(step string) (error, error) {
					if step != "Files" {
						return nil, nil
					}
					return fault(gate)
				}
				for range 20 {
					testenv.Pass(unsettled)
					asked := h.Now()
					if res := get(h, "/"); res.StatusCode != 200 || h.Now().Sub(asked) > refreshTime {
						t.Fatalf("%d, after %v", res.StatusCode, h.Now().Sub(asked))
					}
				}
				close(gate)
				synctest.Wait()
				s.Faults.Step = s.step
				s.squeeze(gameID)
				testenv.Pass(unsettled)
				if got := get(h, "/", "Accept-Encoding: gzip").Header.Get("Content-Encoding"); got != "gzip" {
					t.Errorf("when it can be read again: %q", got)
				}
			})
		})
	}
}

func TestCacheIsBoundedByWeight(t *testing.T) {
	t.Parallel()
	const bound = 1 << 20
	s := newWorld(t)
	h := newHandler(s, "localhost", func(c *Config) { c.CacheBytes = bound })
	for i := range 100 {
		id := projectN(i)
		s.put(id, s.file("index.html", fmt.Sprint(i, strings.Repeat("x", 60_000))))
		w := newRecorder()
		h.ServeOrigin(w, request("GET", "/"), string(id))
		if w.Code != 200 {
			t.Fatal(w.Code)
		}
	}
	h.cache.entries.CleanUp()
	if got := h.cache.entries.WeightedSize(); got > bound || got < bound/4 {
		t.Errorf("%d bytes, want up to %d", got, bound)
	}
}

// sink is a ResponseWriter that counts.
type sink struct {
	header http.Header
	status int
	n      int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { s.n += len(b); return len(b), nil }

// BenchmarkServe measures the handler alone, with what a browser sends.
func BenchmarkServe(b *testing.B) {
	s := newWorld(b)
	s.put(gameID, s.file("index.html", strings.Repeat(page("one"), 4)), s.file("main.js", strings.Repeat("let a = 1;\n", 900)))
	h := newHandler(s, "localhost:8080")
	etag := get(h, "/main.js", "Accept-Encoding: gzip, deflate, br, zstd").Header.Get("Etag")
	for name, r := range map[string]*http.Request{
		"plain":      request("GET", "/main.js"),
		"packed":     request("GET", "/main.js", "Accept-Encoding: gzip, deflate, br, zstd"),
		"304":        request("GET", "/main.js", "Accept-Encoding: gzip, deflate, br, zstd", "If-None-Match: "+etag),
		"navigation": request("GET", "/", document, "Accept-Encoding: gzip, deflate, br, zstd", "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"),
		"range":      request("GET", "/main.js", "Range: bytes=100-199"),
		"404":        request("GET", "/none"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			w := &sink{header: http.Header{}}
			for b.Loop() {
				clear(w.header)
				label, _ := h.Label("chess-abc234.localhost:8080")
				h.ServeOrigin(w, r, label)
			}
		})
	}
}
