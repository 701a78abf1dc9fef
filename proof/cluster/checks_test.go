package cluster

import (
	"strings"
	"testing"
	"time"

	api "sandlot/internal/client/client"
)

// written is a project whose primary file was "a", then "b", and has got a second file in version 3; "c" is on its way.
func written(t *testing.T, acked time.Time) *project {
	t.Helper()
	p := &project{sent: map[string]int{}, files: map[string]string{}}
	for n, f := range [][2]string{{primary, "a"}, {primary, "b"}, {"data.txt", "d"}} {
		p.sending(f[0], f[1])
		made := api.Answer{Change: api.Change{ProjectID: "p", Version: n + 1, Previous: n}}
		if p.id = "p"; p.acked(made) != nil {
			t.Fatal("an answer that is the next is refused")
		}
		p.versions[n].acked = acked
	}
	p.sending(primary, "c")
	return p
}

// TestTheLedgerFindsWhatIsWrong tries the checks themselves.
func TestTheLedgerFindsWhatIsWrong(t *testing.T) {
	now := time.Now()
	t.Run("a read", func(t *testing.T) {
		for name, c := range map[string]struct {
			hash  string
			stale time.Duration
			wrong bool
		}{
			"the newest":             {"b", 0, false},
			"one that is sent":       {"c", 0, false},
			"an older one":           {"a", 2 * time.Second, false},
			"what nobody has sent":   {"x", 0, true},
			"a file of another sort": {"d", 0, true},
		} {
			if _, stale, _, err := written(t, now.Add(-2*time.Second)).judge(0, now, c.hash); stale != c.stale || err != nil != c.wrong {
				t.Errorf("%s: it is out of date by %v, %v", name, stale, err)
			}
		}
	})
	t.Run("a change", func(t *testing.T) {
		for name, a := range map[string]api.Change{
			"a version that comes twice":   {ProjectID: "p", Version: 3, Previous: 2},
			"a version that is skipped":    {ProjectID: "p", Version: 5, Previous: 4},
			"a version after another":      {ProjectID: "p", Version: 4, Previous: 2},
			"a version of another project": {ProjectID: "q", Version: 4, Previous: 3},
		} {
			if written(t, now).acked(api.Answer{Change: a}) == nil {
				t.Errorf("%s is not found", name)
			}
		}
	})
	t.Run("a list", func(t *testing.T) {
		for name, c := range map[string]struct {
			version int
			files   string // NAME=HASH
			right   bool
		}{
			"of the newest":                        {3, primary + "=b data.txt=d", true},
			"of what is sent":                      {4, primary + "=c data.txt=d", true},
			"out of date":                          {2, primary + "=b", false},
			"of a version that nobody has sent":    {5, primary + "=c data.txt=d", false},
			"that has a file of another version":   {3, primary + "=c data.txt=d", false},
			"that lacks a file":                    {3, primary + "=b", false},
			"that has a file that was never there": {3, primary + "=b data.txt=d more.txt=e", false},
		} {
			said := api.Project{ID: "p", Version: c.version}
			for _, f := range strings.Fields(c.files) {
				file, hash, _ := strings.Cut(f, "=")
				said.Files = append(said.Files, api.File{Filename: file, SHA256: hash})
			}
			if err := written(t, now).judgeList(3, said); err == nil != c.right {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestANodeMayBeAloneOnlyAfterAReadThatTookLong tries when a read is not held to the second.
func TestANodeMayBeAloneOnlyAfterAReadThatTookLong(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		other [2]time.Duration // when another read began and ended, before now
		took  time.Duration    // of this one
		want  bool
	}{
		"beside nothing":                         {[2]time.Duration{5 * ms, 4 * ms}, 10 * ms, false},
		"that took as long itself":               {[2]time.Duration{5 * ms, 4 * ms}, askLimit + 50*ms, true},
		"soon after one that took as long":       {[2]time.Duration{askLimit + 650*ms, 600 * ms}, 10 * ms, true},
		"long after one that took as long":       {[2]time.Duration{askLimit + 1550*ms, 1500 * ms}, 10 * ms, false},
		"beside one that is under way as long":   {[2]time.Duration{askLimit + 150*ms, -1}, 10 * ms, true},
		"beside one that is under way for short": {[2]time.Duration{askLimit - 150*ms, -1}, 10 * ms, false},
	} {
		w, now := &watch{}, time.Now()
		other, s := w.begin(), w.begin()
		other.begun, s.begun = now.Add(-c.other[0]), now.Add(-c.took)
		if c.other[1] >= 0 {
			other.ended = now.Add(-c.other[1])
		}
		if alone := w.end(s); alone != c.want {
			t.Errorf("a read %s: %v", name, alone)
		}
	}
}

// TestOnlyAFaultExplainsAnError tries what a node may complain of.
func TestOnlyAFaultExplainsAnError(t *testing.T) {
	began := time.Now().Add(-time.Hour)
	r := &run{windows: []window{{ofStore, began, began.Add(time.Second)}}}
	const text, ahead = "operation error S3: PutObject, StatusCode: 500", 4 * time.Minute
	for name, c := range map[string]struct {
		after time.Duration
		text  string
		want  bool
	}{
		"of the fault":         {500 * time.Millisecond, text, true},
		"soon after it":        {10 * time.Second, text, true},
		"before it":            {-time.Second, text, false},
		"long after it":        {10 * time.Minute, text, false},
		"of another server":    {500 * time.Millisecond, "SQLSTATE 57P01", false},
		"of the node's making": {500 * time.Millisecond, "index out of range", false},
	} {
		l := line{Time: began.Add(c.after).Add(ahead), Level: "ERROR", Error: c.text}
		if got := r.explained(explains(), l, ahead); got != c.want {
			t.Errorf("an error %s: %v", name, got)
		}
	}
}
