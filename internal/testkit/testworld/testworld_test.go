package testworld

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sandlot/internal/domain/publish"
)

func TestAKeyInTheLogFailsTheTest(t *testing.T) {
	n := &noting{TB: t}
	w := New(n)
	p := w.PublishPage(Nobody(), "<p>")
	w.Log.Info("made", "key", string(p.Keys.Account.Reveal()))
	n.end()
	if !strings.HasPrefix(n.said, "a key is in the log:") {
		t.Errorf("it said %q", n.said)
	}
}

// TestWhatIsWrittenIsSeen: a refused call that wrote something, and rows of an account that stayed, would be passed over otherwise.
func TestWhatIsWrittenIsSeen(t *testing.T) {
	t.Parallel()
	for name, set := range Sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := New(t, set)
			large := strings.Repeat("x", 2*InlineMax)
			nothing := w.Written()
			p := w.PublishPage(Nobody(), large)
			if sizes := w.Sizes(); sizes["projects"] != 1 || sizes["blobs on disk"] != 1 || len(w.Rows()["projects"]) != 1 ||
				w.Written() == nothing {
				t.Errorf("it keeps %v", sizes)
			}
			if of := w.RowsOf(p.Project.Account); len(of["accounts"]) != 1 || len(of["projects by account"]) != 1 ||
				len(of["versions by project"]) != 1 {
				t.Errorf("of the account it keeps %v", of)
			}
			before := w.Written()
			if w.Exec("DELETE FROM handles WHERE account > ?", 0); w.Written() == before || len(w.Rows()["handles"]) != 0 {
				t.Error("that rows are gone is not seen")
			}
		})
	}
}

func TestFaults(t *testing.T) {
	broken := errors.New("broken")
	t.Run("a step fails before it happens, or after", func(t *testing.T) {
		w := New(t)
		by := w.NewAccount()
		for want, fault := range map[int]func(string) (error, error){
			0: func(string) (error, error) { return broken, nil },
			1: func(string) (error, error) { return nil, broken },
		} {
			before := w.Sizes()["projects"]
			w.Faults.Step = fault
			_, _, err := w.Publish.Publish(t.Context(), by, publish.PublishInput{Content: w.Stage("<p>")})
			if w.Faults.Step = nil; !errors.Is(err, broken) || w.Sizes()["projects"] != before+want {
				t.Errorf("%v; there are %d projects more, want %d", err, w.Sizes()["projects"]-before, want)
			}
		}
	})
}

// noting notes the error of a test, and ends when it is told to.
type noting struct {
	testing.TB
	said string
	last []func()
}

func (n *noting) Errorf(format string, args ...any) { n.said = fmt.Sprintf(format, args...) }

func (n *noting) Cleanup(f func()) { n.last = append(n.last, f) }

func (n *noting) end() {
	for i := len(n.last) - 1; i >= 0; i-- {
		n.last[i]()
	}
}
