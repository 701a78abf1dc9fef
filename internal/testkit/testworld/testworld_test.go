package testworld

import (
	"strings"
	"testing"
)

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
