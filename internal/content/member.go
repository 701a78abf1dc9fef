package content

import (
	"io"
)

// member reads the value of a member of the body.
func (p *parser) member(name string) error {
	p.field = name
	defer func() { p.field = "" }()
	c, err := p.skip()
	if err != nil {
		return err
	}
	if name == "content" {
		return p.content(kindOf(c))
	}
	p.tok = p.tok[:0]
	kind, s, err := p.value(1)
	if err != nil {
		return err
	}
	f := Field{Name: name, Kind: kind, Text: s, Raw: string(p.tok)}
	p.tok = p.tok[:0]
	p.form.fields = append(p.form.fields, f)
	if name == "content_encoding" {
		return p.putOff(p.declare(f))
	}
	return nil
}

// declare takes the member content_encoding, which may come before or after content.
func (p *parser) declare(f Field) error {
	if f.Kind == Null {
		return nil
	}
	e, err := parseEncoding(f)
	if err != nil {
		return err
	}
	if p.told != neutral && e.alphabet() != neutral && p.told != e.alphabet() {
		return e.wrongAlphabet(p.toldAt)
	}
	if e.Either {
		e.URL = p.told == urlSafe
	}
	found := p.form.Encoding
	e.Magic, e.Base64, e.Data, e.DataType = found.Magic, found.Base64, found.Data, found.DataType
	p.form.Encoding = e
	return nil
}

// content hands the value of the member content to sink.
func (p *parser) content(kind Kind) error {
	switch kind {
	case 0:
		return p.syntax("a value")
	case String:
	case Null: // as if it were not there
		_, _, err := p.value(1)
		p.tok = p.tok[:0]
		return err
	default:
		if err := p.putOff(wrongType("content", kind.String(), "a string of base64")); err != nil {
			return err
		}
		_, _, err := p.value(1)
		p.tok = p.tok[:0]
		return err
	}
	p.take(1)
	left := p.unlimited()
	p.form.HasContent = true
	r := newContentReader(p)
	defer r.close()
	if err := p.read(r); err != nil {
		return err
	}
	p.limit(left)
	if _, err := p.peek(); err != nil {
		return err
	}
	p.take(1)
	return nil
}

// read hands content to sink and reads the rest of it, or passes over it if the body is refused already.
func (p *parser) read(r *contentReader) error {
	if p.first == nil {
		err := p.sink(r)
		if err == nil {
			_, err = r.WriteTo(io.Discard)
		}
		if err == nil {
			p.note(r)
			return nil
		}
		if err = p.putOff(err); err != nil {
			return err
		}
	}
	return r.text.rest()
}

// note keeps what the content showed.
func (p *parser) note(r *contentReader) {
	p.told, p.toldAt, p.received = r.unpack.told, r.unpack.toldAt, r.total
	p.form.Encoding.Base64 = true
	p.form.Encoding.Magic = isMagic(r.first)
	p.form.Encoding.Data, p.form.Encoding.DataType = r.text.data, r.text.dataType
	if p.form.Encoding.alphabet() == neutral {
		p.form.Encoding.URL = p.told == urlSafe
	}
}

// settle checks what only the whole body tells: that content which was let pass for its gzip magic was gzip.
func (p *parser) settle() error {
	if p.received > p.lim.Content && !p.form.Encoding.Gzip {
		return contentTooLarge(p.lim.Content)
	}
	return nil
}
