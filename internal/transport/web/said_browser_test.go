package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/testenv"
)

// newDesk is the pages of a house for kim in a browser, and where they are.
func newDesk(t *testing.T) (*world, string) {
	t.Helper()
	var h *world
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.AddCookie(&http.Cookie{Name: cookieName, Value: "kim"})
		h.ServeHTTP(w, r)
	}))
	at := listens(srv)
	h = house(t, at)
	h.put(gameID, 3, "a.js", "")
	srv.Start()
	t.Cleanup(srv.Close)
	return h, h.places.Base.String()
}

const (
	typeBeside = `document.querySelector('[name=title]').value = 'Unsaved'; document.querySelector('[name=description]').value = 'words';
document.querySelector('.own-files [name=to]').value = 'renamed.js'; document.querySelector('[name=folder]').value = 'lib'; true`
	isKept = `document.querySelector('[name=title]').value === 'Unsaved' && document.querySelector('[name=description]').value === 'words' &&
document.querySelector('.own-files [name=to]').value === 'renamed.js' && document.querySelector('[name=folder]').value === 'lib'`
	sendFile = `(() => { const files = new DataTransfer(); files.items.add(new File(['x'], 'new.js'));
const field = document.querySelector('[name=files]'); field.files = files.files; field.form.requestSubmit(); return true })()`
)

// TestRegression29AnUploadKeepsWhatIsTypedBeside: the page was loaded again, and what stood in its other fields was gone.
func TestRegression29AnUploadKeepsWhatIsTypedBeside(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	h, site := newDesk(t)
	run(t, ctx, chromedp.Navigate(site+ownAt))
	run(t, ctx, chromedp.Evaluate[bool](typeBeside))
	for i := range 2 { // the second by the form that came with the first
		run(t, ctx, chromedp.Evaluate[bool](`document.querySelector('#said')?.remove(); true`))
		run(t, ctx, chromedp.Evaluate[bool](sendFile))
		await(t, ctx, `document.activeElement.id === 'said' && document.activeElement.textContent === '1 fichier a été envoyé.'`)
		if !run(t, ctx, chromedp.Evaluate[bool](isKept)) {
			t.Error("what was typed beside is gone")
		}
		if want := fmt.Sprintf("%d index.html [<b>.js a.js index.html lib/new.js]", 4+i+1); !strings.HasPrefix(h.state(), want) {
			t.Errorf("%d uploads did %s", i+1, h.state())
		}
	}
	h.suspend(gameID)
	run(t, ctx, chromedp.Evaluate[bool](sendFile))
	await(t, ctx, `document.querySelector('[role=alert]').textContent.trim() !== ''`)
	if !run(t, ctx, chromedp.Evaluate[bool](isKept+` && document.querySelector('[name=files]').files.length === 1`)) {
		t.Error("a refused upload loses what was typed")
	}
	run(t, ctx, chromedp.Reload())
	if run(t, ctx, chromedp.Evaluate[bool](`!!document.querySelector('#said')`)) {
		t.Error("a reload says it again")
	}
}

// TestRegression29WhatAFormDidIsWhereTheReaderIs: it has the focus, so a screen reader reads it.
func TestRegression29WhatAFormDidIsWhereTheReaderIs(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	h, site := newDesk(t)
	run(t, ctx, chromedp.Navigate(site+ownAt+"/remove?file=a.js"))
	run(t, ctx, chromedp.Click("main form button"))
	await(t, ctx, `document.activeElement.id === 'said'`)
	if !strings.HasPrefix(h.state(), "5 index.html [<b>.js index.html]") {
		t.Errorf("it is now %s", h.state())
	}
	run(t, ctx, chromedp.Reload())
	await(t, ctx, `document.readyState === 'complete'`)
	if run(t, ctx, chromedp.Evaluate[bool](`!!document.querySelector('#said')`)) {
		t.Error("a reload says it again")
	}
}
