package web

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"html/template"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"sandlot"
)

// maxForm bounds a form of a few words, in bytes.
const maxForm = 4 << 10

// form returns a handler that parses a form of at most limit bytes into PostForm. Each field must be there once; a
// field with a "?" after its name may be absent, like a checkbox without a tick; one with a "*" may be there several
// times. A form that our pages cannot have sent is rejected, so that a field that got lost is not taken for a choice.
func form(limit int64, handle func(*visit) error, fields ...string) func(*visit) error {
	return func(v *visit) error {
		if status, name := v.readForm(limit, fields); status != 0 {
			return v.problem(status, name)
		}
		return handle(v)
	}
}

// readForm returns the status and the error page for a bad form; status 0 means that the form is good.
func (v *visit) readForm(limit int64, fields []string) (status int, name string) {
	if kind, _, _ := mime.ParseMediaType(v.r.Header.Get("Content-Type")); kind != "" && kind != "application/x-www-form-urlencoded" {
		return http.StatusUnsupportedMediaType, "error.form"
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, limit)
	var large *http.MaxBytesError
	switch err := v.r.ParseForm(); {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, "error.too-much"
	case err != nil || slices.ContainsFunc(fields, v.lacks):
		return http.StatusBadRequest, "error.form"
	}
	return 0, ""
}

// lacks reports whether a field of the form differs from everything that a browser would send.
func (v *visit) lacks(field string) bool {
	field, optional := strings.CutSuffix(field, "?")
	field, several := strings.CutSuffix(field, "*")
	values := v.r.PostForm[field]
	if len(values) == 0 {
		return !optional
	}
	damaged := func(value string) bool { return !utf8.ValidString(value) || strings.ContainsRune(value, 0) }
	return len(values) > 1 && !several || slices.ContainsFunc(values, damaged)
}

// refusedToken reports whether a form was rejected for its form token: every form of ours has a good one.
func refusedToken(err error) bool {
	var e *sandlot.Error
	return errors.As(err, &e) && e.Field == "form_token"
}

// askPage asks once for confirmation of a step that cannot be undone, or that would use another name than the typed
// one. It works without scripts, and nothing else asks again.
type askPage struct {
	Leads  []any  // a string, or HTML
	Action string // the address of the form
	Fields []askField
	Yes    string
	Back   string // the link for no
}

type askField struct{ Name, Value string }

func (v *visit) ask(title string, page askPage) error {
	return v.show(http.StatusOK, "ask.html", title, page)
}

// query returns a parameter of the address, cleaned like a field of a form.
func (v *visit) query(name string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(v.r.URL.Query().Get(name), "\x00", ""), "")
}

// A successful form redirects to a page, and that page reports once the effect of the form. The message travels in a
// cookie that the page deletes: the server stores nothing of it, it is in no address, and it names a text of ours and
// never brings its own.
const (
	saidCookie  = "__Host-said"
	saidSeconds = 60      // enough for a slow redirect
	maxSaid     = 3_000   // bytes: a name of 512 in JSON and base64, twice; browsers take 4,096
	saidTexts   = "said." // the prefix of the texts' names
	saidPlace   = "#said" // the place of the message on the page, which gets the focus
)

// done redirects to a path whose page shows the effect of a form: the text of that name.
func (v *visit) done(path, name string, args ...any) error {
	if value := saidValue(append([]any{name}, args...)); len(value) <= maxSaid {
		v.setCookie(saidCookie, value, saidSeconds)
	}
	return v.redirect(path + saidPlace)
}

// doneIf is done for a successful form, and returns the error of any other.
func (v *visit) doneIf(err error, path, name string, args ...any) error {
	if err != nil {
		return err
	}
	return v.done(path, name, args...)
}

// saidValue encodes the name of a text and its arguments for a cookie.
func saidValue(said []any) string {
	text, err := json.Marshal(said)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// hear reads the message of the form before, for the page that comes now.
func (v *visit) hear() {
	value := v.cookie(saidCookie)
	if value == "" || v.r.Method != http.MethodGet {
		return
	}
	text, err := base64.RawURLEncoding.DecodeString(value)
	var said []any
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil || len(said) == 0 || len(value) > maxSaid {
		return
	}
	for i, one := range said {
		switch one := one.(type) {
		case float64:
			said[i] = int64(one)
		case string:
			if i > 0 && i%2 == 0 {
				said[i] = template.HTML("<bdi>" + esc(one) + "</bdi>") // a name in any script
			}
		default:
			return // done encodes nothing else
		}
	}
	v.heard = true
	if name, _ := said[0].(string); strings.HasPrefix(name, saidTexts) && v.Complete(name, said[1:]...) {
		v.said = v.Rich(name, said[1:]...)
	}
}

// Said returns the message of the form that led to this page; empty if there is none.
func (v view) Said() template.HTML { return v.said }

// writes has the operation of each form that changes a project, by its path after the project's. It never changes.
var writes = map[string]sandlot.Op{
	"":           sandlot.OpAmend,
	"/runtime":   sandlot.OpAmend,
	"/files":     sandlot.OpUpdate,
	"/move":      sandlot.OpUpdate,
	"/primary":   sandlot.OpUpdate,
	"/remove":    sandlot.OpDeleteFile,
	"/restore":   sandlot.OpRestore,
	"/delete":    sandlot.OpDeleteProject,
	newPath:      sandlot.OpPublish,
	examplesPath: sandlot.OpPublish,
}

// newPath is the form that publishes a project.
const newPath = "/new"

// Operation returns the operation of a form that is sent to a path, OpNone if it changes no project.
func Operation(path string) sandlot.Op {
	rest, ofProject := strings.CutPrefix(path, "/account/projects/")
	if !ofProject {
		if path == newPath || path == examplesPath {
			return writes[path]
		}
		return sandlot.OpNone
	}
	_, rest, nested := strings.Cut(rest, "/")
	if nested {
		rest = "/" + rest
	}
	return writes[rest]
}
