package content

import (
	"fmt"
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

// badEscape refuses the escape at that byte of the window.
func (p *parser) badEscape(reason Reason, n int) *Error {
	at := p.offset() + int64(n) + 1
	if reason == Surrogate {
		return p.faultAt(at, Surrogate, "an escape is half of a surrogate pair")
	}
	return p.faultAt(at, Syntax, "an escape of a string is malformed")
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
