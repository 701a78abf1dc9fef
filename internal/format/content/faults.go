package content

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

func duplicate(name string, at int64) *Error {
	return &Error{
		Kind: InvalidJSON, Reason: DuplicateName, Field: plainName(name), At: at,
		Message: fmt.Sprintf("%s is there twice, the second time at byte %d of the body", nameOr(name, "one name"), at),
	}
}

// fault refuses the body at the current position.
func (p *parser) fault(reason Reason, format string, args ...any) *Error {
	return p.faultAt(p.offset()+1, reason, format, args...)
}

func (p *parser) faultAt(at int64, reason Reason, format string, args ...any) *Error {
	return &Error{
		Kind: InvalidJSON, Reason: reason, Field: plainName(p.field), At: at,
		Message: fmt.Sprintf("%s, at byte %d of the body", p.subject()+fmt.Sprintf(format, args...), at),
	}
}

// subject returns the beginning of a message: the current member.
func (p *parser) subject() string {
	if name := plainName(p.field); name != "" {
		return "in " + name + " "
	}
	return ""
}

func (p *parser) syntax(wanted string) *Error { return p.syntaxAt(p.offset()+1, wanted) }

func (p *parser) syntaxAt(at int64, wanted string) *Error {
	return p.faultAt(at, Syntax, "the JSON is malformed, wanted %s", wanted)
}

func (p *parser) badEscape(reason Reason) *Error {
	if reason == Surrogate {
		return p.fault(Surrogate, "an escape is half of a surrogate pair")
	}
	return p.fault(Syntax, "an escape of a string is malformed")
}

func (p *parser) control(r rune) *Error {
	return p.fault(Control, "a string holds the control character %s, wanted its escape", quoted(r))
}

// contentError refuses the text of content at one of its characters.
func contentError(reason Reason, at int64, format string, args ...any) *Error {
	return &Error{
		Kind: InvalidContent, Reason: reason, Field: "content", At: at,
		Message: fmt.Sprintf(format, args...),
	}
}

// rawControl refuses an unescaped control character in content, at b.raw[i]: JSON does not allow it.
func rawControl(b *block, i int) *Error {
	at := b.off + int64(i) + 1
	return &Error{
		Kind: InvalidJSON, Reason: Control, Field: "content", At: at,
		Message: fmt.Sprintf("content holds the control character %s without an escape, at byte %d of the body", quoted(rune(b.raw[i])), at),
	}
}

// rawTextBefore is the position before which a character that base64 does not have indicates text that was never
// encoded, rather than a damaged encoding: 64 characters of prose or code without a blank, a bracket, a dot or a comma
// are rare.
const rawTextBefore = 64

// refuse returns the fault of text[k], which base64 does not have.
func (u *unpacker) refuse(b *block, k int) *Error {
	at, i := b.at(k)
	if b.raw[i] < ' ' {
		return rawControl(b, i)
	}
	r, size := utf8.DecodeRune(b.text[k:])
	before := u.done + int64(k)
	switch {
	case r == utf8.RuneError && size == 1:
		return &Error{
			Kind: InvalidJSON, Reason: UTF8, Field: "content", At: b.off + int64(i) + 1,
			Message: fmt.Sprintf("content is not valid UTF-8 at byte %d of the body", b.off+int64(i)+1),
		}
	case r == ':' && before == 4 && strings.EqualFold(string(u.head[:4]), "data"):
		return contentError(DataPrefix, 1, "content begins with a data: prefix; send only the base64 after the comma")
	case r == ' ' || r == '\t':
		return contentError(Blank, at, "content has a blank at character %d, which base64 does not allow", at)
	case r == '<' && before == 0:
		return contentError(RawHTML, at, "content begins with '<' at character %d: that is the file itself; send it as base64", at)
	case r == '%':
		return contentError(PercentEncoded, at, "content has '%%' at character %d: it is URL-encoded; send plain base64", at)
	case before < rawTextBefore && unicode.IsPrint(r):
		return contentError(RawText, at, "content has %s at character %d, which base64 does not have: it looks like text that was not encoded", quoted(r), at)
	}
	return contentError(BadCharacter, at, "content has %s at character %d, which base64 does not have", quoted(r), at)
}

// twoSources refuses a second member that brings bytes.
func twoSources(one, other string) *Error {
	return &Error{
		Kind: InvalidField, Reason: TwoSources, Field: plainName(other),
		Message: fmt.Sprintf("%s is there beside %s, and a call takes one of them", other, one),
	}
}

func textEncoded() *Error {
	return &Error{
		Kind: InvalidField, Reason: TextEncoded, Field: "content_encoding",
		Message: "content_encoding is there beside text, which is stored as it is",
	}
}

func duplicatePart(name string) *Error {
	return &Error{
		Kind: InvalidJSON, Reason: DuplicateName, Field: plainName(name),
		Message: nameOr(name, "one name") + " is there twice in the multipart body",
	}
}

func restTooLarge() *Error {
	return &Error{Kind: InvalidJSON, Reason: RestTooLarge, Message: "the body holds too many bytes beside content"}
}

func badMultipart(message string) *Error {
	return &Error{Kind: InvalidJSON, Reason: BadMultipart, Message: message}
}

// invalidText refuses a text of a multipart body.
func invalidText(what, field string) *Error {
	return &Error{Kind: InvalidJSON, Reason: UTF8, Field: field, Message: what + " is not valid UTF-8"}
}

// truncated refuses a body that ends after n bytes, inside field.
func truncated(field string, n int64) *Error {
	where := ""
	if field != "" {
		where = "inside " + field + ", "
	}
	return &Error{
		Kind: InvalidJSON, Reason: Truncated, Field: field, At: n + 1,
		Message: fmt.Sprintf("the body ends too early, %safter %d bytes", where, n),
	}
}
