package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
)

// TestWhatAPageSaysIsShownAsOneLine: nothing of it steers a terminal or a reader's eye, and no key of the service is shown.
func TestWhatAPageSaysIsShownAsOneLine(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"one\ntwo\tthree\r":                           "one two three",
		"\x1b[31mred\x07\x00\u009b":                   "[31mred",
		"\u202eeman\u2066\u2069\u200e\u200f":          "eman",
		"\u061can Arabic mark":                        "an Arabic mark",
		"line\u2028separator\u2029paragraph":          "line separator paragraph",
		"\ufeffa mark of order":                       "a mark of order",
		"tags \U000e0041\U000e007f that nobody sees":  "tags  that nobody sees",
		"\U0001f469\u200d\U0001f52c is one character": "\U0001f469\u200d\U0001f52c is one character",
		"\xff\xfe": "\ufffd",
		"key sla_0123456789abcdefghijABCDEFGHIJ here": "key <key> here",
		"%73la_0123456789abcdefghijABCDEFGHIJ":        "<key>",
		"/pong--v3-0123456789/a.js":                   "/pong--v3-<secret>/a.js",
	} {
		expect.Equal(t, "what is shown of "+strings.ToValidUTF8(said, "?"), plainText(said, 100), want)
	}
	expect.Equal(t, "the length of a long one", len(plainText(strings.Repeat("\u00e9", 1<<20), 101)), 100)
	cut := plainText(strings.Repeat("x", 90)+" slp_0123456789abcdefghijABCDEFGHIJ", 100)
	expect.Equal(t, "what is shown of a key at the end", strings.Contains(cut, "slp_"), false)
}

// TestWhatAPageAsksForIsBounded: however much it asks for, in number and in length.
func TestWhatAPageAsksForIsBounded(t *testing.T) {
	t.Parallel()
	missing := answers(func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	o := newOrigin(missing, trial.Due{Project: "pong"}, time.Minute)
	ask := func(url string) int {
		w := httptest.NewRecorder()
		o.proxy(w, httptest.NewRequest(http.MethodGet, url, nil))
		return w.Code
	}
	many := strings.Repeat("x", 30)
	for range mostRequests {
		many += "x"
		if ask("http://pong.localhost/"+many[:min(len(many), 9000)]+"%1b%E2%80%AE%0a") != http.StatusNotFound {
			t.Fatal("a request was not answered")
		}
		ask("http://" + many[:min(len(many), 9000)] + ".example/")
	}
	expect.Equal(t, "the status of one more", ask("http://pong.localhost/"), http.StatusTooManyRequests)
	var s trial.Seen
	o.note(&s)
	expect.Equal(t, "requests that failed", len(s.Failed), trial.MostEntries)
	expect.Equal(t, "other hosts", len(s.Elsewhere), trial.MostEntries)
	for _, f := range s.Failed {
		if len(f.Path) > trial.MostText {
			t.Errorf("a path has %d bytes", len(f.Path))
		}
	}
	for _, host := range s.Elsewhere {
		if len(host) > trial.MostHost {
			t.Errorf("a host has %d bytes", len(host))
		}
	}
}
