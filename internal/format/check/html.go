package check

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// A pager reads the tokens of an HTML document.
type pager struct {
	*scanner
	tokens   *html.Tokenizer
	from, at int // the bounds of the last token
}

// next reads the next token.
func (p *pager) next() html.TokenType {
	kind := p.tokens.Next()
	p.from, p.at = p.at, p.at+len(p.tokens.Raw())
	return kind
}

// raw are the elements whose content has no tags. It never changes.
var raw = map[string]bool{
	"iframe": true, "noembed": true, "noframes": true, "noscript": true, "plaintext": true, "script": true, "style": true,
	"textarea": true, "title": true, "xmp": true,
}

// longText is the length of a text from which it is skipped: to begin anew behind it costs as much as to read it.
const longText = 2 << 10

// skipText skips a long text, which the tokenizer would read byte by byte.
func (p *pager) skipText() {
	rest := p.text[p.at:]
	n := bytes.IndexByte(rest, '<')
	if n < 0 {
		n = len(rest)
	}
	if n >= longText {
		p.at += n
		p.tokens = html.NewTokenizer(bytes.NewReader(p.text[p.at:]))
	}
}

// page scans an HTML document from tag to tag.
func (s *scanner) page() {
	head := bytes.ToLower(bytes.TrimSpace(s.text[:min(len(s.text), 100)]))
	s.document = bytes.HasPrefix(head, []byte("<!doctype")) || bytes.HasPrefix(head, []byte("<html"))
	p := &pager{scanner: s, tokens: html.NewTokenizer(bytes.NewReader(s.text))}
	opened, headed, closed, last := false, false, false, 0
	for kind := p.next(); kind != html.ErrorToken; kind = p.next() {
		switch kind {
		case html.TextToken:
			continue
		case html.CommentToken, html.DoctypeToken:
			if s.text[p.at-1] != '>' && bytes.HasPrefix(s.text[p.from:], []byte("<!")) {
				s.cutOff("inside a comment or a declaration")
			}
		case html.EndTagToken:
			name, _ := p.tokens.TagName()
			headed = headed || string(name) == "head" // an author who ends the head with a tag ends the body with one
			closed = closed || string(name) == "html" || string(name) == "body"
			s.svg = s.svg && string(name) != "svg"
		default:
			t := tag{p.tokens.Token(), p.from}
			opened = opened || t.Data == "body"
			styles := t.Data == "style" || t.Data == "link" && strings.EqualFold(t.attr("rel"), "stylesheet")
			s.active = s.active || styles || t.Data == "canvas"
			p.element(&t)
			if raw[t.Data] {
				last = p.at
				continue
			}
		}
		last = p.at
		p.skipText()
	}
	switch {
	case bytes.HasPrefix(s.text[p.from:], []byte("</")):
		s.cutOff("inside an end tag")
	case bytes.HasPrefix(s.text[p.from:], []byte("<")):
		s.cutOff("inside a tag")
	}
	if opened && headed && !closed && len(bytes.TrimSpace(s.text[last:])) > 0 {
		s.cutOff("in the middle of the text of the page")
	}
}

// content reads up to the end tag of an element whose content has no tags, and returns the bounds of that. ended is
// false if the text ends first.
func (p *pager) content(name string) (from, to int, ended bool) {
	from = p.at
	kind := p.next()
	if to = p.from; kind == html.TextToken {
		to = p.at
		kind = p.next()
	}
	if ended = kind == html.EndTagToken; !ended {
		p.cutOff("inside <" + name + ">")
	}
	return from, to, ended
}

// A tag is a start tag, at an offset.
type tag struct {
	html.Token
	at int
}

// attr returns the value of an attribute, or "".
func (t *tag) attr(name string) string {
	value, _ := t.find(name)
	return value
}

// find returns the value of an attribute, and whether it is there.
func (t *tag) find(name string) (value string, ok bool) {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}
