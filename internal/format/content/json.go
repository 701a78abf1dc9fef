package content

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// A parser reads one JSON object by the strict grammar of RFC 8259, and also refuses texts that two readers might read
// differently: duplicate names, lone surrogates, bytes that are not UTF-8.
type parser struct {
	scanner
	refusal
	lim      Limits
	sink     func(io.Reader) error
	also     More
	form     Form
	came     string // the member that brought the bytes
	item     string // the current one of many files, for messages
	outer    string // the value of came for the body, during one of many files
	names    int
	kept     []byte // unescaped blocks of a string
	out      []byte // decoded blocks of base64
	shownAt  int64  // the character of content that showed its alphabet
	shown    alphabet
	received int64 // bytes of content
}

// document reads the whole body.
func (p *parser) document() error {
	p.skipMark()
	if p.wide() {
		return &Error{Kind: InvalidJSON, Reason: Wide, At: 1, Message: "the body is in UTF-16, wanted JSON in UTF-8"}
	}
	c, err := p.skip()
	if err != nil {
		if p.err == io.EOF && p.r == p.w {
			return ErrEmpty
		}
		return err
	}
	if c != '{' {
		return p.notObject()
	}
	if err := p.object(1, p.member); err != nil {
		return err
	}
	p.field = ""
	if err := p.atEnd(); err != nil {
		return err
	}
	p.form.Whole = true
	return p.settle()
}

// skipMark skips a byte order mark. It drops an error, which the next read returns again.
func (p *parser) skipMark() {
	mark := []byte("\xef\xbb\xbf")
	for len(p.seen()) < len(mark) && bytes.HasPrefix(mark, p.seen()) {
		if p.more() != nil {
			return
		}
	}
	if bytes.HasPrefix(p.seen(), mark) {
		p.take(len(mark))
	}
}

// wide reports whether the body is in UTF-16: by its mark, or by a first character of ASCII beside a zero byte, which
// never begins JSON.
func (p *parser) wide() bool {
	for len(p.seen()) < 2 {
		if p.more() != nil {
			return false
		}
	}
	a, b := p.seen()[0], p.seen()[1]
	return a == 0xff && b == 0xfe || a == 0xfe && b == 0xff || a == 0 && b != 0 || a != 0 && b == 0
}

// skip consumes white space and returns the byte after it.
func (p *parser) skip() (byte, error) {
	for {
		c, err := p.peek()
		if err != nil || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c, err
		}
		p.take(1)
	}
}

func (p *parser) notObject() error {
	kind, _, err := p.value(0)
	if err != nil {
		return err
	}
	return &Error{
		Kind: InvalidJSON, Reason: NotObject, Want: "an object",
		Message: fmt.Sprintf("the body is %s, wanted one JSON object", kind),
	}
}

// atEnd checks that only white space follows.
func (p *parser) atEnd() error {
	_, err := p.skip()
	switch {
	case err == nil:
		return &Error{
			Kind: InvalidJSON, Reason: TrailingData, At: p.offset() + 1,
			Message: fmt.Sprintf("something follows the JSON object at byte %d of the body", p.offset()+1),
		}
	case p.err == io.EOF && p.v == p.w:
		return nil
	}
	return err
}

// object reads an object whose brace is next, and calls member to read each value.
func (p *parser) object(depth int, member func(name string) error) error {
	if empty, err := p.enter(depth, '}'); empty || err != nil {
		return err
	}
	seen := make(map[string]bool)
	for {
		name, err := p.name(seen)
		if err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
		if more, err := p.separator('}'); !more || err != nil {
			return err
		}
	}
}

// enter consumes the bracket that opens an object or array, and the one that closes it if nothing is between them.
func (p *parser) enter(depth int, closing byte) (empty bool, err error) {
	if depth > p.lim.Depth {
		return false, p.fault(TooDeep, "objects and arrays lie more than %d deep", p.lim.Depth)
	}
	p.take(1)
	c, err := p.skip()
	if err != nil || c != closing {
		return false, err
	}
	p.take(1)
	return true, nil
}

// separator reads the separator after a value: a comma, or the bracket that closes.
func (p *parser) separator(closing byte) (more bool, err error) {
	c, err := p.skip()
	if err != nil {
		return false, err
	}
	if c != ',' && c != closing {
		return false, p.syntax("a comma or " + quoted(rune(closing)))
	}
	p.take(1)
	return c == ',', nil
}

// name reads the name of a member and its colon.
func (p *parser) name(seen map[string]bool) (string, error) {
	c, err := p.skip()
	if err != nil {
		return "", err
	}
	if c != '"' {
		return "", p.syntax("a name in double quotes")
	}
	at := p.offset() + 1
	name, err := p.text()
	if err != nil {
		return "", err
	}
	if p.names++; p.names > p.lim.Names {
		return "", p.faultAt(at, TooManyNames, "there are more than %d names", p.lim.Names)
	}
	if seen[name] {
		if err := p.putOff(duplicate(name, at)); err != nil {
			return "", err
		}
	}
	seen[name] = true
	if c, err = p.skip(); err != nil {
		return "", err
	}
	if c != ':' {
		return "", p.syntax("a colon")
	}
	p.take(1)
	return name, nil
}

func (p *parser) array(depth int) error {
	if empty, err := p.enter(depth, ']'); empty || err != nil {
		return err
	}
	for {
		if _, err := p.skip(); err != nil {
			return err
		}
		if _, _, err := p.value(depth); err != nil {
			return err
		}
		if more, err := p.separator(']'); !more || err != nil {
			return err
		}
	}
}

// value reads the value that begins with the next byte, inside depth objects and arrays. The text is set for a string.
func (p *parser) value(depth int) (Kind, string, error) {
	c := p.buf[p.r]
	kind := kindOf(c)
	switch kind {
	case String:
		s, err := p.text()
		return kind, s, err
	case Object:
		return kind, "", p.object(depth+1, func(string) error {
			if _, err := p.skip(); err != nil {
				return err
			}
			_, _, err := p.value(depth + 1)
			return err
		})
	case Array:
		return kind, "", p.array(depth + 1)
	case Number:
		return kind, "", p.word(isNumberByte)
	case Bool, Null:
		return kind, "", p.word(isLetter)
	}
	return 0, "", p.syntax("a value")
}

// kindOf returns the kind of value that begins with c, 0 if none does.
func kindOf(c byte) Kind {
	switch {
	case c == '"':
		return String
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == 't' || c == 'f':
		return Bool
	case c == 'n':
		return Null
	case c == '-' || isDigit(c):
		return Number
	}
	return 0
}

// word reads all bytes that belong to a number or literal, and checks them.
func (p *parser) word(belongs func(byte) bool) error {
	start, at := len(p.tok), p.offset()+1
	for {
		c, err := p.peek()
		if err != nil && !json.Valid(p.tok[start:]) {
			return err
		}
		if err != nil || !belongs(c) {
			break
		}
		p.take(1)
	}
	if !json.Valid(p.tok[start:]) {
		return p.syntaxAt(at, "a value")
	}
	return nil
}

func isNumberByte(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}
