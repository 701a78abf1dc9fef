package cli

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"

	"sandlot/internal/testkit/expect"
)

// parts is a server that takes an upload without a key, and loses one answer of each part.
type parts struct {
	lock   sync.Mutex
	bytes  map[int][]byte
	lost   map[int]bool
	tokens map[string]bool
	total  int
}

func (p *parts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(partSize + 1<<20); err != nil {
		panic(err)
	}
	n, _ := strconv.Atoi(r.FormValue("part"))
	f, _, err := r.FormFile("content")
	var content []byte
	if err == nil {
		content, _ = io.ReadAll(f)
	} else {
		content = []byte(r.FormValue("content"))
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.total, _ = strconv.Atoi(r.FormValue("total_parts"))
	p.bytes[n] = content
	p.tokens[r.Header.Get("Authorization")] = true
	if !p.lost[n] {
		p.lost[n] = true
		panic(http.ErrAbortHandler)
	}
	if len(p.bytes) < p.total || len(p.lost) < p.total {
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, `{"upload_token":"slu_1"}`)
		return
	}
	fmt.Fprintf(w, `{"project_id":"a-1","version":1,"project_api_key":%q,"handle":"ada"}`, projectKeyText)
}

func TestALargeFileGoesInPartsAndEachIsSentUntilItIsAnswered(t *testing.T) {
	p := &parts{bytes: map[int][]byte{}, lost: map[int]bool{}, tokens: map[string]bool{}}
	d := newDesk(t, nil)
	page := make([]byte, 2*partSize+3)
	_, err := rand.Read(page)
	expect.OK(t, err)
	expect.OK(t, os.WriteFile("a.html", page, 0o600))
	c := &publishCommand{Path: "a.html", Email: "me@example.com", target: target{host: host{Server: answers(t, p.ServeHTTP)}}}
	expect.OK(t, c.Run(t.Context(), d.Env))
	expect.Equal(t, "parts", p.total, 3)
	if whole := bytes.Join([][]byte{p.bytes[1], p.bytes[2], p.bytes[3]}, nil); !bytes.Equal(whole, page) {
		t.Errorf("%d other bytes came", len(whole))
	}
	expect.Equal(t, "calls with another key than that of the upload", len(p.tokens), 2)
	expect.Equal(t, "whether the last part is printed", bytes.Contains([]byte(d.err.String()), []byte("sent 3 of 3 parts\n")), true)
}
