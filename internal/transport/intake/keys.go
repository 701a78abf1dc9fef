package intake

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// keyNames are the names under which clients try to send a key outside the header.
var keyNames = map[string]bool{
	"api_key": true, "project_api_key": true, "authorization": true,
	"access_token": true, "token": true, "key": true, "upload_token": true, "ticket": true,
}

// KeyInAddress refuses a key in the address of a request, where every log and history on the way may have kept it.
func KeyInAddress(r *http.Request) error {
	if r.URL.User != nil || keyInUserinfo(r.Header.Get("Authorization")) {
		return leaked("", "A key was sent as the user name or password of the address.")
	}
	// The loop splits the query by hand: url.ParseQuery drops unreadable pairs, and those hold keys as well.
	for pair := range strings.FieldsFuncSeq(r.URL.RawQuery, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if name = strings.ToLower(strings.TrimSpace(name)); keyNames[name] {
			return leaked(name, "A key was sent in the query of the address, as "+name+".")
		}
	}
	if inspect.HoldsKey(r.URL.RawQuery) {
		return leaked("", "A key was sent in the query of the address.")
	}
	if inspect.HoldsKey(r.URL.Path) || inspect.HoldsKey(r.URL.RawPath) {
		return leaked("", "A key was sent in the address.")
	}
	return nil
}

// keyInUserinfo recognizes the header that curl and others make of https://KEY@host/.
func keyInUserinfo(header string) bool {
	scheme, rest, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return false
	}
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
	return err == nil && inspect.HoldsKey(string(plain))
}

func leaked(field, message string) error {
	return sandlot.Refuse(sandlot.CodeKeyNotInHeader, "%s A key is taken only from the header Authorization: Bearer <api_key>.", message).
		In(field).With(sandlot.OpRotate)
}
