package content

import "io"

// content passes the value of the member content to sink.
func (p *parser) content(kind Kind) error {
	return p.bytes("content", kind, "a string of base64", func() error {
		p.form.HasContent = true
		r := newBase64Reader(p, "content", p.form.Encoding, p.lim.Content)
		return p.read(r, p.sink, func() { p.received = r.total; p.note(r) })
	})
}

// plainText passes the value of the member text to sink.
func (p *parser) plainText(kind Kind) error {
	return p.bytes("text", kind, "a string", func() error {
		p.form.HasContent, p.form.FromText = true, true
		return p.read(newTextReader(p, "text"), p.sink, func() {})
	})
}

// html passes the value of the member html to More.HTML. It may stand beside any other member.
func (p *parser) html(kind Kind) error {
	return p.bytes("html", kind, "a string", func() error {
		p.form.HasHTML = true
		return p.read(newTextReader(p, "html"), p.also.HTML, func() {})
	})
}

// archive passes the value of the member archive to More.Archive.
func (p *parser) archive(kind Kind) error {
	return p.bytes("archive", kind, "a string of base64", func() error {
		p.form.HasArchive = true
		r := newBase64Reader(p, "archive", Encoding{Declared: "base64", Either: true}, p.lim.Archive)
		return p.read(r, p.also.Archive, func() {})
	})
}

// bytes lets read consume the string of a member, without counting it as the rest of the body. It consumes the closing
// quote itself.
func (p *parser) bytes(name string, kind Kind, want string, read func() error) error {
	switch kind {
	case 0:
		return p.syntax("a value")
	case Null: // like a missing member
		return p.passOver()
	}
	if name != "html" {
		if err := p.putOff(p.claim(name)); err != nil {
			return err
		}
	}
	if kind != String {
		if err := p.putOff(wrongType(name, kind.String(), want)); err != nil {
			return err
		}
		return p.passOver()
	}
	p.take(1)
	left := p.unlimited()
	if err := read(); err != nil {
		return err
	}
	p.limit(left)
	if _, err := p.peek(); err != nil {
		return err
	}
	p.take(1)
	p.tok = p.tok[:0]
	return nil
}

// claim records the member that brings the bytes; only one may.
func (p *parser) claim(name string) error {
	if p.item != "" && p.outer != "" && p.outer != "files" {
		return twoSources(p.outer, "files")
	}
	if p.came != "" && p.came != name {
		return twoSources(p.came, name)
	}
	p.came = name
	return nil
}

// passOver reads a value and drops it.
func (p *parser) passOver() error {
	_, _, err := p.value(1)
	p.tok = p.tok[:0]
	return err
}

// read passes the bytes of r to sink and reads the rest of it, or skips it if the body is refused already.
func (p *parser) read(r *memberReader, sink func(io.Reader) error, done func()) error {
	if p.first == nil {
		err := sink(r)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err == nil {
			done()
			return nil
		}
		if err = p.putOff(err); err != nil {
			return err
		}
	}
	return r.text.skip()
}
