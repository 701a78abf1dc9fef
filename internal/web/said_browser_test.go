package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/publish"
	"sandlot/internal/testenv"
)

// A desk is the pages for kim in a browser: what she does is remembered by the service.
type desk struct {
	*service
	mu   sync.Mutex
	site string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{service: &service{}}
	var h *Pages
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		r.AddCookie(&http.Cookie{Name: cookieName, Value: "kim"})
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	d.site = "http://localhost" + srv.URL[strings.LastIndexByte(srv.URL, ':'):]
	base, err := url.Parse(d.site)
	if err != nil {
		t.Fatal(err)
	}
	h = New(Config{Service: d.service, Sessions: d.service, Account: d.service, Logins: d.service, Contents: d.service, Gallery: d.service, Places: publish.Places{Base: base, Content: base.Host}, Log: slog.New(slog.DiscardHandler), RequestID: func(context.Context) string { return "" }, VisitorID: byAddress})
	return d
}

// did is what was done with the project so far.
func (d *desk) did() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.acts, "; ")
}

func (d *desk) refuse(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refusal = err
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
	ctx, d := testenv.Browser(t), newDesk(t)
	run(t, ctx, chromedp.Navigate(d.site+ownAt))
	run(t, ctx, chromedp.Evaluate[bool](typeBeside))
	for i := range 2 { // the second by the form that came with the first
		run(t, ctx, chromedp.Evaluate[bool](`document.querySelector('#said')?.remove(); true`))
		run(t, ctx, chromedp.Evaluate[bool](sendFile))
		await(t, ctx, `document.activeElement.id === 'said' && document.activeElement.textContent === '1 fichier a été envoyé.'`)
		if !run(t, ctx, chromedp.Evaluate[bool](isKept)) {
			t.Error("what was typed beside is gone")
		}
		if n := strings.Count(d.did(), "lib/new.js=x"); n != i+1 {
			t.Errorf("%d uploads did %s", i+1, d.did())
		}
	}
	d.refuse(publish.Refuse(publish.CodeInvalidFilename, "no"))
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
	ctx, d := testenv.Browser(t), newDesk(t)
	run(t, ctx, chromedp.Navigate(d.site+ownAt+"/remove?file=a.js"))
	run(t, ctx, chromedp.Click("main form button"))
	await(t, ctx, `document.activeElement.id === 'said'`)
	if d.did() != "remove a.js" {
		t.Errorf("it did %q", d.did())
	}
	run(t, ctx, chromedp.Reload())
	await(t, ctx, `document.readyState === 'complete'`)
	if run(t, ctx, chromedp.Evaluate[bool](`!!document.querySelector('#said')`)) {
		t.Error("a reload says it again")
	}
}
