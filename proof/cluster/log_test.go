package cluster

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// A line is one of a node's log.
type line struct {
	Time       time.Time
	Level      string
	Error, Err string // by one of these names
}

// A window is when something was wrong that nodes complain of.
type window struct {
	of         string // database or store
	begun, end time.Time
}

const (
	ofDatabase = "database"
	ofStore    = "store"
)

// aftermath is how long after a fault it may still be heard of: every request that has met it is over by then.
const aftermath = requestWait

// explains are the words by which a line names what was wrong.
func explains() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		ofDatabase: regexp.MustCompile(`connect to the database|store unavailable|SQLSTATE (57P0|08)|outcome.*unknown|` +
			`connection reset|unexpected EOF|conn closed|broken pipe`),
		ofStore: regexp.MustCompile(`StatusCode: (500|0)|InternalError|S3:|operation error|` +
			`exceeded maximum number of attempts|EOF|connection re(set|fused)`),
	}
}

// wrongFor notes that something is wrong until the function is called.
func (r *run) wrongFor(of string) (over func()) {
	begun := time.Now()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.windows = append(r.windows, window{of, begun, time.Now()})
	}
}

// compareLogs looks for errors that no fault explains, and for what no log may hold.
func (r *run) compareLogs() {
	words := explains()
	for i, n := range r.nodes {
		unexplained := 0
		for text := range strings.Lines(n.log()) {
			if strings.Contains(text, "DATA RACE") || strings.Contains(text, "panic") {
				r.t.Errorf("node %d: %s", i+1, text)
			}
			var l line
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				r.t.Errorf("node %d: a line of the log is no JSON: %q", i+1, text)
				continue
			}
			if l.Level != "ERROR" {
				continue
			}
			r.errors++
			if !r.explained(words, l, n.ahead) {
				if unexplained++; unexplained <= 5 {
					r.t.Errorf("node %d: no fault explains %s", i+1, text)
				}
			}
		}
		if unexplained > 5 {
			r.t.Errorf("node %d: %d such lines in all", i+1, unexplained)
		}
	}
}

func (r *run) explained(words map[string]*regexp.Regexp, l line, ahead time.Duration) bool {
	at := l.Time.Add(-ahead)
	for _, w := range r.windows {
		if words[w.of].MatchString(l.Error+l.Err) && at.After(w.begun) && at.Before(w.end.Add(aftermath)) {
			return true
		}
	}
	return false
}
