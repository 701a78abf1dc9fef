package content

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// An ErrorKind is the class of an Error: its error code in the contract.
type ErrorKind string

// The kinds of Error.
const (
	InvalidJSON    ErrorKind = "invalid_json"           // the body is not one strict JSON object, or not a whole multipart body
	InvalidField   ErrorKind = "invalid_field"          // a member has the wrong type or a value that is not allowed
	InvalidContent ErrorKind = "invalid_content"        // content is not base64, or not gzip where gzip was declared
	TooLarge       ErrorKind = "content_too_large"      // content decodes to more bytes than the limit
	Unsupported    ErrorKind = "unsupported_media_type" // a form of multipart body that is not read here
)

// A Reason is the exact fault, so that a hint can be built for it.
type Reason string

// Reasons of InvalidJSON.
const (
	Empty         Reason = "empty"          // nothing but white space; whether that stands for {} is the caller's decision
	NotObject     Reason = "not_object"     // JSON, but not an object
	Syntax        Reason = "syntax"         // not JSON
	Truncated     Reason = "truncated"      // the body ends too early
	TrailingData  Reason = "trailing_data"  // something follows the object
	DuplicateName Reason = "duplicate_name" // an object has two members of one name, or a multipart body two such parts
	TooDeep       Reason = "too_deep"       // more objects and arrays inside one another than Limits.Depth
	TooManyNames  Reason = "too_many_names" // more than Limits.Names
	RestTooLarge  Reason = "rest_too_large" // more bytes outside content than Limits.Rest
	Wide          Reason = "wide"           // the body is in UTF-16
	UTF8          Reason = "utf8"           // a string is not valid UTF-8
	Surrogate     Reason = "surrogate"      // an escaped half of a surrogate pair stands alone
	Control       Reason = "control"        // a control character stands in a string without an escape
	BadMultipart  Reason = "bad_multipart"  // boundaries or headers of parts are malformed
)

// Reasons of InvalidField, Unsupported and TooLarge.
const (
	WrongType    Reason = "wrong_type"    // another type; Error.Want is the right one
	BadEncoding  Reason = "bad_encoding"  // an unknown content_encoding; Error.Want lists the four
	NotInForm    Reason = "not_in_form"   // content_encoding in a multipart body
	Nested       Reason = "nested"        // a part that is itself multipart
	PartEncoding Reason = "part_encoding" // a part with a Content-Transfer-Encoding that changes its bytes
	OverLimit    Reason = "over_limit"    // content of more bytes than the limit
	TwoSources   Reason = "two_sources"   // two of content, text, files and archive
	TextEncoded  Reason = "text_encoded"  // content_encoding beside text
)

// Reasons of InvalidContent.
const (
	DataPrefix     Reason = "data_prefix"     // a data: URL instead of the base64 text in it
	DataText       Reason = "data_text"       // a data: URL that does not say base64
	RawHTML        Reason = "raw_html"        // content begins with <
	RawText        Reason = "raw_text"        // a character that base64 does not have among the first 64: most likely plain text
	BadCharacter   Reason = "bad_character"   // such a character later on, or a control character
	Blank          Reason = "blank"           // a space or a tab
	MixedAlphabets Reason = "mixed_alphabets" // + or / as well as - or _
	WrongAlphabet  Reason = "wrong_alphabet"  // the other alphabet than content_encoding says; Error.Want is the right value
	PercentEncoded Reason = "percent_encoded" // a %, as of URL encoding
	Padding        Reason = "padding"         // one = of two, or one too many
	AfterPadding   Reason = "after_padding"   // text behind the padding
	Length         Reason = "length"          // one character more than whole bytes need: most likely text was cut off
	TrailingBits   Reason = "trailing_bits"   // bits behind the last byte that are not zero: most likely text was cut off
	BadGzip        Reason = "bad_gzip"        // no gzip, damaged, or its checksum or length is wrong
	TruncatedGzip  Reason = "truncated_gzip"  // the gzip stream ends too early
	GzipTrailing   Reason = "gzip_trailing"   // bytes that are no gzip follow the last member; Error.At is the first of them
)

// ErrEmpty is matched, by errors.Is, by the error of a body that is empty or only white space.
var ErrEmpty error = &Error{Kind: InvalidJSON, Reason: Empty, Message: "the body is empty, wanted one JSON object"}

// An Error refuses a body, for a fault of the client.
type Error struct {
	Kind   ErrorKind
	Reason Reason
	// Field is the member at fault, "" for the body as a whole. A name that is not plain, or longer than 32 characters,
	// is left out: it may be a key in the wrong place, and the client and logs see this name again.
	Field string
	// At is a position counted from 1, or 0. For InvalidContent of base64 it counts the characters of content as they
	// are after JSON unescaping, line breaks included; for gzip the bytes of the gzip stream; for the other kinds the
	// bytes of the body.
	At int64
	// Message is one sentence for the sender. It names the field and never repeats more of the body than one character.
	Message string
	// Want is the value or type that would have been right, where there is one.
	Want string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Is reports whether target is an *Error of the same kind and reason.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Reason == e.Reason
}

// plainName returns name if it is short and consists of letters, digits, - and _ only, else "".
func plainName(name string) string {
	if len(name) > 32 {
		return ""
	}
	for _, c := range []byte(name) {
		if !isLetter(c) && !isDigit(c) && c != '_' && c != '-' {
			return ""
		}
	}
	return name
}

// nameOr returns the name of a member for a message.
func nameOr(name, otherwise string) string {
	if name = plainName(name); name != "" {
		return name
	}
	return otherwise
}

// quoted shows one character: itself if it is visible, else its number.
func quoted(r rune) string {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return fmt.Sprintf("U+%04X", r)
	}
	return strconv.QuoteRune(r)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
