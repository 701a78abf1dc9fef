package check

import (
	"bytes"
	"html"
)

// page scans an HTML document from tag to tag, like browsers as far as it matters here.
func (s *scanner) page() {
	head := bytes.ToLower(bytes.TrimSpace(s.text[:min(len(s.text), 100)]))
	s.document = bytes.HasPrefix(head, []byte("<!doctype")) || bytes.HasPrefix(head, []byte("<html"))
	opened, headed, closed, last := false, false, false, 0
	for i := 0; i >= 0 && i < len(s.text); {
		n := bytes.IndexByte(s.text[i:], '<')
		if n < 0 {
			break
		}
		at := i + n
		i = at + 1
		switch next := at1(s.text, i); {
		case next == '!':
			i = s.declaration(at)
		case next == '/':
			name, end := s.endTag(i + 1)
			i = end
			headed = headed || name == "head" // an author who ends the head with a tag ends the body with one
			closed = closed || name == "html" || name == "body"
			s.svg = s.svg && name != "svg"
		case next|0x20 >= 'a' && next|0x20 <= 'z':
			var t tag
			t, i = s.startTag(at)
			opened = opened || t.is("body")
			s.active = s.active || t.is("style") || t.is("canvas") || t.is("link") && bytes.EqualFold(t.rel, []byte("stylesheet"))
			if i >= 0 {
				i = s.element(&t, i)
			}
		}
		if i > 0 {
			last = i
		}
	}
	s.body = opened && headed
	if ends := bytes.TrimSpace(s.text[min(last, len(s.text)):]); opened && headed && !closed && len(ends) > 0 {
		s.cutOff("in the middle of the text of the page")
	}
}

// at1 returns the byte at i, 0 after the end.
func at1(text []byte, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}

// declaration skips the comment or doctype at an offset. A negative result is the end of the text.
func (s *scanner) declaration(at int) int {
	end, open := ">", at+2
	if bytes.HasPrefix(s.text[at:], []byte("<!--")) {
		end, open = "-->", at+2 // <!--> is a whole comment
	}
	if n := bytes.Index(s.text[open:], []byte(end)); n >= 0 {
		return open + n + len(end)
	}
	s.cutOff("inside a comment or a declaration")
	return -1
}

// endTag reads the end tag whose name begins at an offset.
func (s *scanner) endTag(at int) (name string, next int) {
	n := bytes.IndexByte(s.text[at:], '>')
	if n < 0 {
		s.cutOff("inside an end tag")
		return "", -1
	}
	switch name := bytes.TrimSpace(s.text[at : at+n]); {
	case bytes.EqualFold(name, []byte("html")):
		return "html", at + n + 1
	case bytes.EqualFold(name, []byte("body")):
		return "body", at + n + 1
	case bytes.EqualFold(name, []byte("head")):
		return "head", at + n + 1
	case bytes.EqualFold(name, []byte("svg")):
		return "svg", at + n + 1
	}
	return "", at + n + 1
}

// A tag is a start tag, with the attributes that matter here.
type tag struct {
	at   int
	name [12]byte // in lower case; a longer name is cut
	n    int

	src, href, srcset, poster, data, style, rel, kind, meta, content []byte

	autoplay, muted, nomodule bool
}

func (t *tag) is(name string) bool { return string(t.name[:t.n]) == name }

// startTag reads the tag at an offset. A negative result is the end of the text.
func (s *scanner) startTag(at int) (t tag, next int) {
	t.at = at
	i := at + 1
	for ; i < len(s.text) && !endsName[s.text[i]]; i++ {
		if t.n < len(t.name) {
			t.name[t.n] = lower(s.text[i])
			t.n++
		}
	}
	for {
		for i < len(s.text) && (s.text[i] <= ' ' || s.text[i] == '/') {
			i++
		}
		if i >= len(s.text) {
			s.cutOff("inside a tag")
			return t, -1
		}
		if s.text[i] == '>' {
			return t, i + 1
		}
		if i = s.attribute(&t, i); i < 0 {
			s.cutOff("inside a tag")
			return t, -1
		}
	}
}

var endsName = func() (ends [256]bool) {
	for c := range 33 {
		ends[c] = true
	}
	ends['>'], ends['/'] = true, true
	return ends
}()

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// attribute reads one attribute of a tag.
func (s *scanner) attribute(t *tag, i int) (next int) {
	text := s.text
	from := i
	for i++; i < len(text) && text[i] != '=' && !endsName[text[i]]; i++ {
	}
	name := text[from:i]
	for i < len(text) && text[i] <= ' ' {
		i++
	}
	if at1(text, i) != '=' {
		t.set(name, nil)
		return i
	}
	for i++; i < len(text) && text[i] <= ' '; i++ {
	}
	if quote := at1(text, i); quote == '"' || quote == '\'' {
		n := bytes.IndexByte(text[i+1:], quote)
		if n < 0 {
			return -1
		}
		t.set(name, text[i+1:i+1+n])
		return i + n + 2
	}
	from = i
	for i < len(text) && text[i] > ' ' && text[i] != '>' {
		i++
	}
	t.set(name, text[from:i])
	return i
}

// set keeps an attribute that matters.
func (t *tag) set(name, value []byte) {
	if len(name) < 3 || len(name) > 11 {
		return
	}
	var low [11]byte
	for i, c := range name {
		low[i] = lower(c)
	}
	switch string(low[:len(name)]) {
	case "src":
		t.src = plain(value)
	case "href", "xlink:href":
		t.href = plain(value)
	case "srcset", "imagesrcset":
		t.srcset = plain(value)
	case "poster":
		t.poster = plain(value)
	case "data":
		t.data = plain(value)
	case "style":
		t.style = value
	case "rel":
		t.rel = value
	case "type":
		t.kind = value
	case "name":
		t.meta = value
	case "content":
		t.content = value
	case "autoplay":
		t.autoplay = true
	case "muted":
		t.muted = true
	case "nomodule":
		t.nomodule = true
	}
}

// plain returns the value of an attribute with its character references decoded.
func plain(value []byte) []byte {
	if len(value) > longestRef || bytes.IndexByte(value, '&') < 0 {
		return value
	}
	return []byte(html.UnescapeString(string(value)))
}

// raw finds the end of an element whose content has no tags: the end of the content and the offset after the end tag.
func (s *scanner) raw(name string, from int) (end, next int) {
	for i := from; ; {
		n := bytes.IndexByte(s.text[i:], '<')
		if n < 0 {
			s.cutOff("inside <" + name + ">")
			return len(s.text), -1
		}
		i += n + 1
		if at1(s.text, i) == '/' && i+1+len(name) <= len(s.text) && foldedIs(s.text[i+1:i+1+len(name)], name) {
			if close := bytes.IndexByte(s.text[i:], '>'); close >= 0 {
				return i - 1, i + close + 1
			}
			s.cutOff("inside an end tag")
			return i - 1, -1
		}
	}
}

// foldedIs reports whether text is name, which is in lower case.
func foldedIs(text []byte, name string) bool {
	for i, c := range text {
		if lower(c) != name[i] {
			return false
		}
	}
	return true
}
