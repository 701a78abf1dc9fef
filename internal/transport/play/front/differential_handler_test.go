package front

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// act does what a handler may do, in the order that its seed gives.
func act(w http.ResponseWriter, r *http.Request) {
	seed, _ := strconv.ParseUint(r.URL.Path[1:], 10, 64)
	w.Header()["X-Method"] = []string{r.Method}
	w.Header().Set("Content-Type", "text/html") // which the front doesn't guess
	do, begun := rand.New(rand.NewPCG(seed, 2)), false
	for {
		step := do.IntN(9)
		if begun && (step <= 3 || step == 7) {
			continue // fields come before the status
		}
		begun = begun || step > 2 && step < 7
		switch step {
		case 0:
			w.Header().Set("X-A", pick(do, []string{"a", "b\r\nX-B: c", "", " d "}))
		case 1:
			w.Header().Set("Content-Type", pick(do, []string{"text/plain", "image/png"}))
		case 2:
			w.Header().Set("Content-Length", pick(do, []string{"0", "5", "100", "70000"}))
		case 3:
			w.WriteHeader([]int{200, 204, 304, 404, 500, 206, 416, 301}[do.IntN(8)])
		case 4, 5:
			_, _ = w.Write([]byte(strings.Repeat("<html>", do.IntN(20))))
		case 6:
			_, _ = w.Write([]byte(strings.Repeat("0123456789", []int{0, 1, 10, 1000, 3000, 7000}[do.IntN(6)])))
		case 7:
			w.Header().Set("Connection", "close")
		case 8:
			if do.IntN(8) == 0 && r.Method != http.MethodHead {
				panic(http.ErrAbortHandler)
			}
			return
		}
	}
}

// TestNoHandlerIsAnsweredDifferently leaves out how a length is told: net/http has chunks.
func TestNoHandlerIsAnsweredDifferently(t *testing.T) {
	t.Parallel()
	front, alone, _ := serve(t, http.HandlerFunc(act))
	for seed := range 1500 {
		method := []string{"GET", "GET", "HEAD"}[seed%3]
		sent := fmt.Appendf(nil, "%s /%d HTTP/1.1\r\n%s\r\n", method, seed, wanted)
		want, wantEnd := converse(t, alone, sent, len(sent))
		got, gotEnd := converse(t, front, sent, len(sent))
		for _, all := range [][]reply{want, got} {
			for i := range all {
				delete(all[i].Header, "Content-Length")
				delete(all[i].Header, "Connection")
				all[i].Closes = false
			}
		}
		if wantEnd != "" {
			continue // broken midway: see TestAnswersThatFail
		}
		if d := cmp.Diff(want, got); d != "" || wantEnd != gotEnd {
			t.Fatalf("seed %d: net/http - (%.300q) and front + (%.300q):\n%s", seed, wantEnd, gotEnd, d)
			return
		}
	}
}
