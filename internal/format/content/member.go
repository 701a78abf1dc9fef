package content

// member reads the value of a member of the body.
func (p *parser) member(name string) error {
	p.field = name
	defer func() { p.field = "" }()
	c, err := p.skip()
	if err != nil {
		return err
	}
	if open := p.opens(name); open != nil {
		return open(kindOf(c))
	}
	return p.small(name)
}

// opens returns the method that reads a member with bytes; nil for any other.
func (p *parser) opens(name string) func(Kind) error {
	switch {
	case name == "content":
		return p.content
	case name == "text" && p.also.Text:
		return p.plainText
	case name == "html" && p.also.HTML != nil:
		return p.html
	case name == "files" && p.also.Place != nil:
		return p.files
	case name == "archive" && p.also.Archive != nil:
		return p.archive
	}
	return nil
}

// small reads a member of the Form.
func (p *parser) small(name string) error {
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

// declare handles the member content_encoding, which may come before or after content.
func (p *parser) declare(f Field) error {
	if f.Kind == Null {
		return nil
	}
	e, err := parseEncoding(f)
	if err != nil {
		return err
	}
	if p.shown != neutral && e.alphabet() != neutral && p.shown != e.alphabet() {
		return e.wrongAlphabet(p.shownAt)
	}
	if e.Either {
		e.URL = p.shown == urlSafe
	}
	found := p.form.Encoding
	e.Magic, e.Base64, e.Data, e.DataType = found.Magic, found.Base64, found.Data, found.DataType
	p.form.Encoding = e
	return nil
}

// note records the detected encoding of content.
func (p *parser) note(r *memberReader) {
	p.shown, p.shownAt = r.unpack.shown, r.unpack.shownAt
	p.form.Encoding.Base64 = true
	p.form.Encoding.Magic = isMagic(r.first)
	p.form.Encoding.Data, p.form.Encoding.DataType = r.data, r.dataType
	if p.form.Encoding.alphabet() == neutral {
		p.form.Encoding.URL = p.shown == urlSafe
	}
}

// settle makes the checks that need the whole body, or all of a file: that content beyond the limit with a gzip magic
// was gzip, and that no encoding is declared for a text.
func (p *parser) settle() error {
	switch {
	case p.form.FromText && p.form.Encoding.Declared != "":
		return textEncoded()
	case p.received > p.lim.Content && !p.form.Encoding.Gzip:
		return fieldTooLarge("content", p.lim.Content)
	}
	return nil
}
