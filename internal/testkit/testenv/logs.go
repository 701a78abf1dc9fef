package testenv

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"
)

// maxLogs bounds what is kept of one server's output: far more than any test makes a server log, far less than would hurt the machine.
const maxLogs = 64 << 20

// logs collects what a server prints and announces the address in its "listening" line. It may be written and read at once.
type logs struct {
	mu    sync.Mutex
	all   bytes.Buffer
	next  int         // where in all the first unread line begins
	found chan string // receives the address once, then never again
	done  bool
}

func newLogs() *logs { return &logs{found: make(chan string, 1)} }

// Write never fails: output beyond maxLogs is dropped, for a full pipe would stop the server.
func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Write(p[:min(len(p), maxLogs-l.all.Len())])
	for !l.done {
		line, _, whole := bytes.Cut(l.all.Bytes()[l.next:], []byte("\n"))
		if !whole {
			break
		}
		l.next += len(line) + 1
		if addr, ok := listeningAddr(line); ok {
			l.found <- addr
			l.done = true
		}
	}
	return len(p), nil
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

var (
	textListening = regexp.MustCompile(`(?:^| )msg=listening(?: |$)`)
	textAddr      = regexp.MustCompile(`(?:^| )addr="?([^\s",]+)`)
)

// listeningAddr returns the addr attribute of a log line whose message is "listening", in either form in which slog writes it.
func listeningAddr(line []byte) (string, bool) {
	if bytes.HasPrefix(line, []byte("{")) {
		var rec struct{ Msg, Addr string }
		err := json.Unmarshal(line, &rec)
		return rec.Addr, err == nil && rec.Msg == "listening" && rec.Addr != ""
	}
	m := textAddr.FindSubmatch(line)
	if m == nil || !textListening.Match(line) {
		return "", false
	}
	return string(m[1]), true
}
