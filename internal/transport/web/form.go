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

// maxForm bounds a form that holds a few words.
const maxForm = 4 << 10

// form reads a form of at most limit bytes for a handler, which finds it in
// PostForm. Each field is there once; one with a "?" behind its name may be
// absent, as a box is that was not ticked. What pages of ours cannot have sent is
// refused, so that nothing is taken for a wish that is only missing. One with a "*" may be there several
// times.
func form(limit int64, handle func(*visit) error, fields ...string) func(*visit) error {
	return func(v *visit) error {
		if status, name := v.readForm(limit, fields); status != 0 {
			return v.problem(status, name)
		}
		return handle(v)
	}
}

// readForm returns the status and the page of what is wrong with a form; 0 is nothing.
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

// lacks reports whether a field of the form is not as a browser would send it.
func (v *visit) lacks(field string) bool {
	field, optional := strings.CutSuffix(field, "?")
	field, several := strings.CutSuffix(field, "*")
	values := v.r.PostForm[field]
	if len(values) == 0 {
		return !optional
	}
	return len(values) > 1 && !several || slices.ContainsFunc(values, func(value string) bool { return !utf8.ValidString(value) || strings.ContainsRune(value, 0) })
}

// refusedToken reports whether a form was refused for its form token:
// every form of ours has a good one.
func refusedToken(err error) bool {
	var e *sandlot.Error
	return errors.As(err, &e) && e.Field == "form_token"
}

// askPage asks once before something is done that cannot be taken back, or under a name
// that is not what was typed. It works without scripts, and nothing else asks again.
type askPage struct {
	Leads  []any  // a string, or HTML
	Action string // where the form is sent
	Fields []askField
	Yes    string
	Back   string // where whoever says no goes
}

type askField struct{ Name, Value string }

func (v *visit) ask(title string, page askPage) error {
	return v.show(http.StatusOK, "ask.html", title, page)
}

// query is a word of the address, as a form would send it.
func (v *visit) query(name string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(v.r.URL.Query().Get(name), "\x00", ""), "")
}

// A form that was taken leads to a page, and that page says once what the form did. The
// way there is a cookie that the page takes away again: nothing is kept of it on the
// server, it is in no address, and it names a text of ours and never brings its own.
const (
	saidCookie  = "__Host-said"
	saidSeconds = 60      // for a redirect that is slow to be followed
	maxSaid     = 3_000   // bytes: a name of 512 in JSON and base64, twice; browsers take 4,096
	saidTexts   = "said." // how the names of the texts begin
	saidPlace   = "#said" // where the page says it, which gets the focus
)

// done leads to a path whose page says what a form did: the text of that name.
func (v *visit) done(path, name string, args ...any) error {
	if value := saidValue(append([]any{name}, args...)); len(value) <= maxSaid {
		v.setCookie(saidCookie, value, saidSeconds)
	}
	return v.redirect(path + saidPlace)
}

// doneIf is done where a form was taken, and returns the error of one that was not.
func (v *visit) doneIf(err error, path, name string, args ...any) error {
	if err != nil {
		return err
	}
	return v.done(path, name, args...)
}

// saidValue is a text's name and its arguments as a cookie has them.
func saidValue(said []any) string {
	text, err := json.Marshal(said)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// hear reads what the form before did, for the page that comes now.
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
				said[i] = template.HTML("<bdi>" + template.HTMLEscapeString(one) + "</bdi>") // a name in any script
			}
		default:
			return // done says nothing else
		}
	}
	v.heard = true
	if name, _ := said[0].(string); strings.HasPrefix(name, saidTexts) && v.Complete(name, said[1:]...) {
		v.said = v.Rich(name, said[1:]...)
	}
}

// Said is what the form that led to this page did; empty where none did.
func (v view) Said() template.HTML { return v.said }
