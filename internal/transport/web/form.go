package web

import (
	"errors"
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
			v.problem(status, name)
			return nil
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
