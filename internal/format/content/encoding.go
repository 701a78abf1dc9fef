package content

import (
	"fmt"
	"strings"
	"unicode"
)

// encodings lists the values of content_encoding, as messages show them.
const encodings = "base64, base64url, gzip+base64 or gzip+base64url"

// An Encoding is the encoding of content: as declared by content_encoding, or else as detected.
type Encoding struct {
	Declared string // content_encoding as one of the four values; "" without
	Sent     string // content_encoding as sent, if it was another spelling of Declared
	Either   bool   // the spelling did not name the alphabet, so either is accepted
	Data     bool   // content began with the data: prefix of a URL, which was skipped
	DataType string // the media type in that prefix, "" if it named none
	Gzip     bool   // gzip was declared: the bytes that sink got must be gunzipped
	Magic    bool   // the bytes began with the gzip magic 1f 8b, whatever was declared
	URL      bool   // the alphabet is that of base64url; also false if no character showed it
	Base64   bool   // content was base64 text; false in a multipart body and without content
}

// parseEncoding returns the Encoding that the member content_encoding declares, or an *Error of reason BadEncoding.
func parseEncoding(f Field) (Encoding, error) {
	got := "not one of the values"
	if f.Kind != String {
		got = f.Kind.String()
	} else if f.Text == "" {
		got = "an empty string"
	} else if e, ok := readEncoding(f.Text); ok {
		return e, nil
	}
	return Encoding{}, &Error{
		Kind: InvalidField, Reason: BadEncoding, Field: "content_encoding", Want: encodings,
		Message: fmt.Sprintf("content_encoding is %s, wanted %s", got, encodings),
	}
}

// readEncoding reads one of the four values in any spelling: other case, other separators, another order, or gzip
// alone, since a file in JSON is base64 in any case. It rejects any other word, and gzip twice, as ambiguous.
func readEncoding(sent string) (e Encoding, ok bool) {
	zips, bases := 0, 0
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(sent), between) {
		switch word {
		case "gzip", "gz", "gzipped":
			zips++
		case "base64", "b64":
			bases++
		case "base64url", "b64url", "urlsafe":
			e.URL = true
			bases++
		case "url", "safe":
			e.URL = true
		default:
			return Encoding{}, false
		}
	}
	if zips > 1 || bases == 0 && (zips == 0 || e.URL) {
		return Encoding{}, false
	}
	e.Declared, e.Gzip, e.Either = "base64", zips == 1, bases == 0
	if e.URL {
		e.Declared = "base64url"
	}
	if e.Gzip {
		e.Declared = "gzip+" + e.Declared
	}
	if sent != e.Declared {
		e.Sent = sent
	}
	return e, true
}

// alphabet returns the alphabet that the encoding declares, neutral if it declares none or either.
func (e Encoding) alphabet() alphabet {
	switch {
	case e.Declared == "" || e.Either:
		return neutral
	case e.URL:
		return urlSafe
	}
	return standard
}

// other returns the value of content_encoding for the other alphabet.
func (e Encoding) other() string {
	switch e.Declared {
	case "base64":
		return "base64url"
	case "base64url":
		return "base64"
	case "gzip+base64":
		return "gzip+base64url"
	}
	return "gzip+base64"
}

// wrongAlphabet refuses content whose character at shows another alphabet than the declared one.
func (e Encoding) wrongAlphabet(at int64) *Error {
	return &Error{
		Kind: InvalidContent, Reason: WrongAlphabet, Field: "content", At: at, Want: e.other(),
		Message: fmt.Sprintf("content uses the alphabet of %s from character %d on, but content_encoding says %s",
			e.other(), at, e.Declared),
	}
}

// fieldTooLarge refuses a member of more than most bytes.
func fieldTooLarge(field string, most int64) *Error {
	return &Error{
		Kind: TooLarge, Reason: OverLimit, Field: field,
		Message: fmt.Sprintf("%s is larger than %d bytes", field, most),
	}
}
