package web

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/web/stencil"
	"sandlot/internal/transport/web/texts"
)

// A visit is one request for a page, and its answer.
type visit struct {
	*site
	texts.Voice // returns the texts in the language of the page
	w           http.ResponseWriter
	r           *http.Request
	theme       string // one of themes; empty: the system's
	chosen      bool   // whether the visitor has chosen the language
	accepted    bool   // whether the browser prefers one of ours
	by          sandlot.Caller
	me          *login // nil without a login
	grant       *admission.Grant
	said        template.HTML // the message of the form before this page
	heard       bool          // whether the browser still has that message
	anybody     bool          // whether the page is cached for all visitors
	turn        turn          // for a page that is rendered from a list of files
	appeal      string        // where the owner of the refused project objects; empty: no project was refused
	place       bool          // whether the query only holds a place in a list: the page shows none of its words
}

// A login is a browser's session and its account.
type login struct {
	sandlot.Session
	Account sandlot.Account
}

// enter answers for a route, if the visitor may go there.
func (v *visit) enter(r route) error {
	if r.access != stranger {
		v.recall()
		if err := v.recognise(); err != nil {
			return err
		}
		v.hear()
		v.keepOpener()
	}
	// Rooms accept the address of a project as its id. Here an id goes into paths and names of files, so addresses are
	// refused.
	if id := v.r.PathValue("id"); id != "" && !names.ValidProjectID(id) {
		return sandlot.ErrNotFound
	}
	if (r.access == owner || r.access == recent) && v.me == nil || r.access == recent && !v.fresh() {
		return v.toLogin()
	}
	if r.access == moderator {
		switch {
		case v.me == nil:
			return v.toLogin()
		case sandlot.Authorize(v.by, sandlot.ActModerate, nil) != nil:
			return sandlot.ErrNotFound
		case v.now().Sub(v.me.ProvedAt).Abs() >= desk.LoginAge:
			return v.toLogin()
		}
	}
	if err := v.admit(r.operation); err != nil {
		return err
	}
	defer v.grant.Done()
	defer v.turn.end()
	return r.handle(v)
}

// admit admits the visitor to the operation of a route, before any of a body is read. The grant's Done must be called
// when the request is over.
func (v *visit) admit(op admission.Operation) (err error) {
	control := http.NewResponseController(v.w)
	v.grant, err = v.limits.Admit(v.origin(), op, admission.Body{
		Length: v.r.ContentLength,
		Stop:   func() { _ = control.SetReadDeadline(time.Unix(1, 0)) }, // a connection without deadlines continues until it stalls
	})
	return err
}

// origin returns the visitor's network address, with the account once that is known.
func (v *visit) origin() admission.Origin { return admission.From(v.r.RemoteAddr, v.by) }

// speak sets the visit's language to that of the content, if there is a catalog for it, unless the visitor has chosen
// one, or the browser prefers one of the catalogs.
func (v *visit) speak(lang string) {
	if v.chosen || v.accepted || v.me != nil && v.me.Account.Lang != "" {
		return
	}
	if found, ok := texts.Open().Nearest(lang); ok {
		v.Lang = found
	}
}

// show sends a page. The template's dot is a view: its Data is data.
func (v *visit) show(status int, template, title string, data any) error {
	body := bodies.Get().(*bytes.Buffer)
	body.Reset()
	err := v.render(body, template, title, data)
	if err == nil {
		v.answer(status, body.Bytes())
	}
	if body.Cap() <= keptBody {
		bodies.Put(body)
	}
	return err
}

// fillIn sends a cached page with its holes filled; fill may be nil if the page has only the holes of every page. A
// page of any length is compressed: its compressed pieces contain nothing from the query.
func (v *visit) fillIn(page stencil.Stencil, fill stencil.Filler) error {
	own := view{visit: v}
	who, err := own.Who()
	if err != nil {
		return err
	}
	all := func(to *bytes.Buffer, name string) {
		switch name {
		case themeHole:
			to.WriteString(string(own.Theme()))
		case whoHole:
			to.WriteString(string(who))
		default:
			fill(to, name)
		}
	}
	body := bodies.Get().(*bytes.Buffer)
	body.Reset()
	if takesGzip(v.r.Header.Get("Accept-Encoding")) {
		page.Pack(body, all)
		v.w.Header().Set("Content-Encoding", "gzip")
	} else {
		page.Write(body, all)
	}
	v.sendPage(http.StatusOK, body.Bytes())
	if body.Cap() <= keptBody {
		bodies.Put(body)
	}
	return nil
}

// bodies pools the buffers of pages that are sent and not cached: allocating one for each page, of some 30 KB, took
// several copies of it.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keptBody is the capacity of the largest pooled buffer in bytes: a page has more only if an owner has many files.
const keptBody = 128 << 10

func (v *visit) render(to *bytes.Buffer, template, title string, data any) error {
	return v.templates.ExecuteTemplate(to, template, view{visit: v, Title: title, Data: data})
}

// packFrom is the size in bytes from which a page is sent with gzip: lists of an owner that would take longer than a
// page may. Most pages are far shorter.
const packFrom = 32 << 10

// packs reports whether a page is sent with gzip. If an attacker could have put words into the address, the length of
// the answer would reveal its other content; a place in a list is not in the answer.
func (v *visit) packs(body []byte) bool {
	safe := (v.r.URL.RawQuery == "" || v.place) && v.r.Method != http.MethodPost
	return len(body) > packFrom && safe && takesGzip(v.r.Header.Get("Accept-Encoding"))
}

// answer sends a page that was rendered in the visit's language.
func (v *visit) answer(status int, body []byte) {
	if v.packs(body) {
		body = packed(body)
		v.w.Header().Set("Content-Encoding", "gzip")
	}
	v.sendPage(status, body)
}

// sendPage sends the bytes of a page.
func (v *visit) sendPage(status int, body []byte) {
	if v.heard {
		v.setCookie(saidCookie, "", -1)
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", v.Lang)
	h.Add("Vary", "Accept-Language")
	h.Add("Vary", "Cookie")
	h.Add("Vary", "Accept-Encoding")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	v.turn.end() // from here on the server waits for the visitor
	v.w.WriteHeader(status)
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(body) // the browser is gone if this fails
	}
}

// redirect redirects to a path of the website, after a form as well.
func (v *visit) redirect(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// toLogin redirects to the login, which leads back afterwards: to the page of a form, because the content of the form
// is lost, and is not sent again by itself.
func (v *visit) toLogin() error {
	back := v.r.URL.RequestURI()
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead {
		back = "/account"
		if from, err := url.Parse(v.r.Referer()); err == nil && from.Host == v.places.Base.Host {
			back = localPath(from.RequestURI())
		}
	}
	return v.redirect("/login?to=" + url.QueryEscape(back))
}

// problem shows an error page with the texts name.title and name.text. It returns nil, as an answer was given.
func (v *visit) problem(status int, name string) error {
	err := v.show(status, "error.html", v.T(name+".title"), newMishap(v, status, name))
	if err != nil {
		v.log.Error("error page not shown", "error", err)
	}
	return nil
}

// retryAfter sets the header with the time of the next try.
func retryAfter(v *visit, e *sandlot.Error) {
	if e.RetryAfter > 0 {
		v.w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds()+0.5)))
	}
}

// downName returns the name of the texts about a project that is taken down or held.
func downName(err error) string {
	switch sandlot.HeldRule(err) {
	case sandlot.NotHeld:
		return "error.taken-down"
	case sandlot.HeldFields:
		return "error.held-fields"
	}
	return "error.held"
}

// appealOf returns the address at which the owner of a refused project objects, "" if the refusal names no project.
func appealOf(v *visit, err error) string {
	e := sandlot.AsError(err)
	if e == nil {
		return ""
	}
	for _, d := range e.Details {
		if id, ok := d.Value.(string); ok && d.Name == sandlot.DetailProject {
			return v.places.Appeal(sandlot.ProjectID(id))
		}
	}
	return ""
}

// fail shows the page of an error.
func (v *visit) fail(err error) {
	status, name := http.StatusInternalServerError, "error.fault"
	var kind sandlot.Kind
	busy := false
	if e := sandlot.AsError(err); e != nil {
		kind = sandlot.Codes[e.Code]
		busy = kind == sandlot.KindUnavailable && e.RetryAfter > 0 && e.Cause() == nil
		retryAfter(v, e)
	}
	switch {
	case refusedToken(err):
		status, name = http.StatusBadRequest, "error.form"
	case errors.Is(err, sandlot.ErrNotFound), kind == sandlot.KindMissing, errors.Is(err, sandlot.CodeInvalidFilename):
		status, name = http.StatusNotFound, "error.missing"
	case kind == sandlot.KindTakenDown:
		status, name = http.StatusUnavailableForLegalReasons, downName(err)
		v.appeal = appealOf(v, err)
	case kind == sandlot.KindTooMany:
		status, name = http.StatusTooManyRequests, "error.too-many"
	case errors.Is(err, sandlot.CodeAccountSuspended):
		status, name = http.StatusForbidden, "error.suspended"
	case kind == sandlot.KindForbidden:
		status, name = http.StatusForbidden, "error.refused"
	case kind == sandlot.KindFull:
		status, name = http.StatusInsufficientStorage, "error.full"
	case kind == sandlot.KindUnavailable,
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		// A busy service is no fault, and neither is a visitor who left.
		status, name = http.StatusServiceUnavailable, "error.later"
	}
	if status >= http.StatusInternalServerError && !busy && !errors.Is(err, context.Canceled) {
		v.log.Error("page failed", "request_id", v.requestID(v.r.Context()), "path", v.r.URL.Path, "error", err)
	}
	_ = v.problem(status, name)
}
