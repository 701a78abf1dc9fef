package faults

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
)

// Kinds are the kinds of errors. It never changes.
var Kinds = []string{"error", "rejection", "resource", "webgl", "ready"}

// A Report is an error that a page threw.
type Report struct {
	Kind    string // error, rejection, resource, webgl, ready
	Message string
	Source  string // the address of the file
	Line    int
	Column  int
	Stack   string
}

// Report counts errors of a page that was loaded age ago, in a browser with that User-Agent. They are written within
// seconds; a crash may lose them. It counts the first MaxReports, without errors of a browser's extensions. Admission limits
// the reports of a network.
func (s *Service) Report(ctx context.Context, by sandlot.Caller, v players.Visit, agent string, age time.Duration, list []Report) error {
	if err := cmp.Or(sandlot.Authorize(by, sandlot.ActLook, &v.Project), v.Changes()); err != nil {
		return err
	}
	list = list[:min(len(list), MaxReports)]
	if err := check(list); err != nil {
		return err
	}
	now, version := s.Now(), v.Project.Version
	if version > 1 && now.Add(-max(age, 0)).Before(v.Project.UpdatedAt) {
		version--
	}
	for _, r := range list {
		if !ofExtension(r) {
			s.Pending.add([]Counted{counted(v.Project, version, family(agent), now, r)})
		}
	}
	return nil
}

func check(list []Report) error {
	for _, r := range list {
		if !slices.Contains(Kinds, r.Kind) {
			return sandlot.Refuse(sandlot.CodeInvalidField, "The kind of an error is not one of %s.", strings.Join(Kinds, ", ")).
				In("kind").With(sandlot.OpNothing).Note("Send an uncaught exception as error.")
		}
	}
	return nil
}

// counted returns the group of one error.
func counted(p sandlot.Project, version int, browser string, now time.Time, r Report) Counted {
	c := cleaner{p}
	g := Group{
		Version: version, Kind: r.Kind, Message: c.line(r.Message, mostMessage), Place: c.place(r), Stack: c.stack(r.Stack),
		Browsers: map[string]int64{browser: 1}, Count: 1, FirstAt: now, LastAt: now,
	}
	equal := fmt.Sprintf("%s\n%s\n%s", g.Kind, digits.ReplaceAllString(g.Message, "0"), g.Place)
	return Counted{p.ID, sha256.Sum256([]byte(equal)), g}
}

var digits = regexp.MustCompile(`[0-9]+`)

// family returns the family of a browser by its User-Agent.
func family(agent string) string {
	for _, f := range [...][2]string{
		{"Edg", "edge"}, {"Firefox/", "firefox"}, {"FxiOS/", "firefox"}, {"Chrome/", "chrome"}, {"CriOS/", "chrome"}, {"Safari/", "safari"},
	} {
		if strings.Contains(agent, f[0]) {
			return f[1]
		}
	}
	return "other"
}

// Families are the families of browsers. It never changes.
var Families = []string{"chrome", "firefox", "safari", "edge", "other"}
