package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestRegressionM39AFormIsCheckedBeforeItSaysWhoseItIs: what a publish would warn of was told only after the button was pressed, for the
// check asked for an address that was still being typed.
func TestRegressionM39AFormIsCheckedBeforeItSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.written()
	form := url.Values{"file@index.html": {"<!doctype html><title>A</title><script src=gone.js></script>"}, "dry_run": {"true"}}
	resp, page := publishes(w, "/new", form)
	_, notes, _ := strings.Cut(page, `data-part="notes"`)
	notes, _, _ = strings.Cut(notes, "</div>")
	if resp.StatusCode != http.StatusOK || !strings.Contains(notes, "gone.js") {
		t.Errorf("the check: %d %s", resp.StatusCode, page)
	}
	form.Del("dry_run")
	if resp, page := publishes(w, "/new", form); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, `data-code="email_required"`) {
		t.Errorf("the publish: %d %s", resp.StatusCode, page)
	}
	expect.Equal(t, "what was written", w.written(), before)
}
