package content

import (
	"errors"
	"fmt"
	"strings"
)

// files reads the array of many files, each of which is an object.
func (p *parser) files(kind Kind) error {
	switch kind {
	case 0:
		return p.syntax("a value")
	case Null:
		return p.passOver()
	}
	p.form.HasFiles = true
	if kind != Array {
		if err := p.putOff(wrongType("files", kind.String(), wantFiles)); err != nil {
			return err
		}
		return p.small("files") // its names are good for a hint
	}
	if empty, err := p.enter(2, ']'); empty || err != nil {
		return err
	}
	for n := 0; ; n++ {
		if err := p.file(n); err != nil {
			return err
		}
		if more, err := p.separator(']'); !more || err != nil {
			return err
		}
	}
}

const wantFiles = "an array of objects with filename and text or content"

// file reads the n-th of many files. It has some room of its own for what it takes beside its bytes.
func (p *parser) file(n int) (err error) {
	c, err := p.skip()
	if err != nil {
		return err
	}
	body, names, field, received := p.form, p.names, p.field, p.received
	p.outer = p.came
	p.item = fmt.Sprintf("files[%d]", n)
	defer func() {
		err = p.about(err)
		p.form, p.came, p.names, p.item, p.field, p.received = body, p.outer, names, "", field, received
	}()
	if kindOf(c) != Object {
		return p.noFile(kindOf(c))
	}
	p.form, p.came, p.names = Form{}, "", max(0, p.lim.Names-fileNames)
	p.told, p.toldAt, p.received = neutral, 0, 0
	left := p.end - p.offset()
	p.limit(left + fileRest)
	if err := p.object(3, p.fileMember); err != nil {
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

// noFile passes over a value that is no object.
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
	case name == "content":
		return p.content(kindOf(c))
	case name == "text":
		return p.plainText(kindOf(c))
	}
	return p.small(name)
}

// about is an error of what is read now: inside many files it tells which of them.
func (p *parser) about(err error) error {
	var e *Error
	if p.item == "" || !errors.As(err, &e) || e.Field == "files" && strings.Contains(e.Message, p.item) || e.Kind == InvalidJSON && e.Field == "files" {
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

// putOff is that of refusal, with the file at fault told.
func (p *parser) putOff(err error) error { return p.refusal.putOff(p.about(err)) }
