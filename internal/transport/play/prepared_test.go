package play

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// preparedRecorder takes prepared answers, and makes of them what a client would read.
type preparedRecorder struct {
	*httptest.ResponseRecorder
	answers int
}

func (r *preparedRecorder) WritePrepared(status int, shared, own, body []byte) bool {
	if len(r.Header()) > 0 {
		return false
	}
	text := fmt.Appendf(nil, "HTTP/1.1 %d x\r\n%s%s\r\n", status, shared, own)
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(append(text, body...))), nil)
	if err != nil {
		panic(err)
	}
	for name, values := range res.Header {
		r.Header()[name] = values
	}
	r.ResponseRecorder.WriteHeader(status)
	_, _ = r.ResponseRecorder.Write(body)
	r.answers++
	return true
}

func TestPreparedAnswersEqualUnpreparedOnes(t *testing.T) {
	t.Parallel()
	type seen struct {
		Status int
		Header http.Header
		Body   string
	}
	browser := []string{"Sec-Fetch-Dest: document", "Accept-Encoding: gzip, br"}
	for _, c := range []struct {
		name, path string
		headers    []string
		prepared   bool
	}{
		{"plain", "/", nil, true},
		{"gzip", "/", []string{"Accept-Encoding: gzip"}, true},
		{"br", "/", []string{"Accept-Encoding: gzip, br"}, true},
		{"not modified", "/", []string{"If-None-Match: *"}, true},
		{"not modified, gzip", "/", []string{"If-None-Match: *", "Accept-Encoding: gzip"}, true},
		{"a file that is not the primary one", "/game.js", []string{"Accept-Encoding: gzip"}, true},
		{"a file that is never compressed", "/logo.png", nil, true},
		{"an empty file", "/empty.txt", nil, true},
		{"a page followed by the script", "/", browser, false},
		{"a range", "/game.js", []string{"Range: bytes=1-2"}, false},
		{"the project's own page for what is not there", "/none", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, verified := range []bool{false, true} {
				s := newWorld(t)
				s.put(gameID, s.file("index.html", page("a")), s.file("game.js", page("b")), s.file("logo.png", "png"), s.file("empty.txt", ""), s.file("404.html", "no"))
				if verified {
					s.verify()
				}
				h := newHandler(s, "localhost")
				var got [3]seen
				answers := 0
				for i := range got {
					var w interface {
						http.ResponseWriter
						Result() *http.Response
					} = httptest.NewRecorder()
					rec := &preparedRecorder{ResponseRecorder: httptest.NewRecorder()}
					if i > 0 { // the second has its lines from the first
						w = rec
					}
					h.ServeOrigin(w, request("GET", c.path, c.headers...), string(gameID))
					res := w.Result()
					body, err := io.ReadAll(res.Body)
					if err != nil {
						t.Fatal(err)
					}
					got[i] = seen{res.StatusCode, res.Header, string(body)}
					answers += rec.answers
				}
				if d := cmp.Diff(got[0], got[1]) + cmp.Diff(got[0], got[2]); d != "" {
					t.Errorf("verified %v: ordinary - prepared +\n%s", verified, d)
				}
				if (answers == 2) != c.prepared {
					t.Errorf("%d of 2 were prepared", answers)
				}
			}
		})
	}
}
