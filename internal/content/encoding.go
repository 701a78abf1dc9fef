package content

import "fmt"

// encodings lists the values of content_encoding, as messages show them.
const encodings = "base64, base64url, gzip+base64 or gzip+base64url"

// An Encoding is how content was encoded: what content_encoding declared, or else what was found.
type Encoding struct {
	Declared string // content_encoding as sent, "" without
	Gzip     bool   // gzip was declared: the bytes that visit was given must be gunzipped
	Magic    bool   // the bytes began with the gzip magic 1f 8b, whatever was declared
	URL      bool   // the alphabet is that of base64url; false too where no character told
	Base64   bool   // content was base64 text; false in a multipart body and without content
}

// parseEncoding is the Encoding that the member content_encoding declares, or an *Error of reason BadEncoding.
func parseEncoding(f Field) (Encoding, error) {
	e := Encoding{Declared: f.Text}
	got := "not one of the values"
	switch {
	case f.Kind != String:
		got = f.Kind.String()
	case f.Text == "":
		got = "an empty string"
	case f.Text == "base64":
		return e, nil
	case f.Text == "base64url":
		e.URL = true
		return e, nil
	case f.Text == "gzip+base64":
		e.Gzip = true
		return e, nil
	case f.Text == "gzip+base64url":
		e.Gzip, e.URL = true, true
		return e, nil
	}
	return Encoding{}, &Error{
		Kind: InvalidField, Reason: BadEncoding, Field: "content_encoding", Want: encodings,
		Message: fmt.Sprintf("content_encoding is %s, wanted %s", got, encodings),
	}
}

// alphabet is the one the encoding declares, neutral if it declares none.
func (e Encoding) alphabet() alphabet {
	switch {
	case e.Declared == "":
		return neutral
	case e.URL:
		return urlSafe
	}
	return standard
}

// other is the value of content_encoding for the other alphabet.
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
		Message: fmt.Sprintf("content uses the alphabet of %s from character %d on, but content_encoding says %s", e.other(), at, e.Declared),
	}
}

// contentTooLarge refuses content of more than most bytes.
func contentTooLarge(most int64) *Error {
	return &Error{
		Kind: TooLarge, Reason: OverLimit, Field: "content",
		Message: fmt.Sprintf("content is larger than %d bytes", most),
	}
}
