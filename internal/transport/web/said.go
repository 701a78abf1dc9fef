package web

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
)

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
