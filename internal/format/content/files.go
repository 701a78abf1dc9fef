package content

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// files reads the member files: an array of objects, or an object with the bytes of each file under its name.
func (p *parser) files(kind Kind) error {
	switch kind {
	case 0:
		return p.syntax("a value")
	case Null:
		return p.passOver()
	}
	p.form.HasFiles = true
	switch kind {
	case Array:
		return p.fileList()
	case Object:
		p.form.FilesByName = true
		return p.object(2, p.namedFile)
	}
	if err := p.putOff(wrongType("files", kind.String(), wantFiles)); err != nil {
		return err
	}
	return p.small("files")
}

const wantFiles = "an array of objects with filename and text or content"

// fileList reads the array of many files.
func (p *parser) fileList() error {
	if empty, err := p.enter(2, ']'); empty || err != nil {
		return err
	}
	for n := 0; ; n++ {
		c, err := p.skip()
		if err != nil {
			return err
		}
		item := fmt.Sprintf("files[%d]", n)
		switch kindOf(c) {
		case Object:
			err = p.file(item, nil, func() error { return p.object(3, p.fileMember) })
		default:
			p.item = item
			err = p.about(p.noFile(kindOf(c)))
			p.item = ""
		}
		if err != nil {
			return err
		}
		if more, err := p.separator(']'); !more || err != nil {
			return err
		}
	}
}

// namedFile reads the value of a member of an object of files: the text of the file of that name, or its members.
func (p *parser) namedFile(name string) error {
	p.names-- // it counts as the name of a file
	c, err := p.skip()
	if err != nil {
		return err
	}
	item, called := fmt.Sprintf("files[%q]", name), []Field{{Name: "filename", Kind: String, Text: name}}
	switch kind := kindOf(c); kind {
	case String:
		return p.file(item, called, func() error { return p.plainText(kind) })
	case Object:
		return p.file(item, called, func() error { return p.object(3, p.fileMember) })
	case 0:
		return p.syntax("a value")
	default:
		if err := p.putOff(wrongType("files", kind.String(), "the text of each file under its name")); err != nil {
			return err
		}
		return p.passOver()
	}
}

// file reads one of many files, which has some fields already. It has an allowance of its own for the members beside
// its bytes.
func (p *parser) file(item string, fields []Field, read func() error) (err error) {
	body, names, field, received := p.form, p.names, p.field, p.received
	p.outer = p.came
	p.item = item
	defer func() {
		err = p.about(err)
		p.form, p.came, p.names, p.item, p.field, p.received = body, p.outer, names, "", field, received
	}()
	p.form, p.came, p.names = Form{fields: fields}, "", max(0, p.lim.Names-fileNames)
	p.shown, p.shownAt, p.received = neutral, 0, 0
	left := p.end - p.offset()
	p.limit(left + fileRest)
	if err := read(); err != nil {
		return err
	}
	if p.came != "" {
		p.outer = "files"
	}
	p.tok = p.tok[:0]
	p.limit(min(left, p.end-p.offset()))
	if err := p.putOff(p.settle()); err != nil || p.first != nil {
		return err
	}
	p.form.Whole = true
	return p.putOff(p.also.Place(p.form))
}

// noFile skips a value that is no object.
func (p *parser) noFile(kind Kind) error {
	switch kind {
	case 0:
		return p.syntax("a value")
	case String: // a name without its bytes
		s, err := p.text()
		if p.tok = p.tok[:0]; err != nil || p.first != nil {
			return err
		}
		return p.putOff(p.also.Place(Form{fields: []Field{{Name: "filename", Kind: String, Text: s}}}))
	}
	if err := p.putOff(wrongType("files", kind.String(), wantFiles)); err != nil {
		return err
	}
	return p.passOver()
}

// fileMember reads a member of one of many files.
func (p *parser) fileMember(name string) error {
	c, err := p.skip()
	if err != nil {
		return err
	}
	switch {
	case name == "content" && kindOf(c) == String && p.form.Encoding.Declared == "" && p.showsText():
		p.form.RawText = true
		return p.plainText(String)
	case name == "content":
		return p.content(kindOf(c))
	case name == "text":
		return p.plainText(kindOf(c))
	}
	return p.small(name)
}

// textSeen is how many bytes of content are checked for its kind.
const textSeen = 512

// showsText reports whether the next string is plain text: one of its first characters cannot be in base64, not even by
// a slip of the hand.
func (p *parser) showsText() bool {
	for {
		seen := p.seen()
		seen = seen[:min(len(seen), textSeen)]
		if bytes.HasPrefix(seen, []byte(`"data:`)) {
			return false
		}
		found, ended := textIn(seen)
		if found || ended || len(seen) == textSeen || len(seen) == p.max || p.more() != nil {
			return found
		}
	}
}

// textIn searches the beginning of a string with its quote for a character of text, and for the end of the string.
func textIn(begin []byte) (found, ended bool) {
	for i := 1; i < len(begin); i++ {
		switch c := begin[i]; {
		case c == '"':
			return false, true
		case bytes.IndexByte([]byte("<>{}()[];',"), c) >= 0:
			return true, false
		case c == '\\' && i+1 < len(begin):
			i++
			if begin[i] == '"' || bytes.HasPrefix(begin[i:], []byte("u003c")) {
				return true, false
			}
		}
	}
	return false, false
}

// about adds the current file, if there are many, to an error.
func (p *parser) about(err error) error {
	var e *Error
	if p.item == "" || !errors.As(err, &e) || e.Field == "files" && (e.Kind == InvalidJSON || strings.Contains(e.Message, p.item)) {
		return err
	}
	own := *e
	own.Field = "files"
	switch rest, ok := strings.CutPrefix(e.Message, e.Field+" "); {
	case e.Field == "files" && ok:
		own.Message = p.item + " " + rest
	case e.Field != "" && ok:
		own.Message = p.item + "." + e.Message
	default:
		own.Message = "in " + p.item + " " + e.Message
	}
	return &own
}

// putOff is putOff of refusal, with the file at fault.
func (p *parser) putOff(err error) error { return p.refusal.putOff(p.about(err)) }
