package lure

import (
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

// A page is read tag by tag.
type page struct {
	*Look
	depth  int
	xml    bool
	base   string
	said   string         // the visible text before the tag at hand
	label  bool           // the text at hand is that of a label
	filled bool           // the page has a field to be filled
	after  bool           // the text at hand is the first behind a field
	away   bool           // the form at hand sends elsewhere
	alike  map[string]int // fields by name, without digits
	wallet func() bool    // reports whether the page is about wallets
}

// mostSaid is how much of the text before a field is looked at.
const mostSaid = 400

// page reads markup. In xml no element hides tags.
func (l *Look) page(text string, depth int, xml bool) {
	if depth > mostDepth {
		return
	}
	p := &page{Look: l, depth: depth, xml: xml, alike: map[string]int{}}
	p.wallet = sync.OnceValue(func() bool { return containsAny(folded(text), walletWords) })
	tokens := html.NewTokenizer(strings.NewReader(text))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			p.count()
			return
		case html.TextToken:
			p.text(string(tokens.Text()))
		case html.EndTagToken:
			name, _ := tokens.TagName()
			p.end(local(string(name)))
		case html.StartTagToken, html.SelfClosingTagToken:
			t := tokens.Token()
			t.Data = local(t.Data)
			p.tag(&t)
			p.inside(tokens, &t)
		}
	}
}

// local returns the name of an element without the prefix of its space.
func local(name string) string { return name[strings.IndexByte(name, ':')+1:] }

// inside reads the content of an element that has no tags.
func (p *page) inside(tokens *html.Tokenizer, t *html.Token) {
	switch t.Data {
	case "script", "style", "noscript", "iframe", "noembed", "noframes", "xmp", "plaintext", "textarea", "title":
	default:
		return
	}
	if t.Type == html.SelfClosingTagToken && t.Data != "script" || tokens.Next() != html.TextToken {
		return
	}
	text := string(tokens.Raw())
	switch {
	case t.Data == "script" && !strings.HasPrefix(strings.TrimSpace(text), "<") || t.Data == "script" && p.xml:
		p.script(text, p.depth)
	case t.Data == "style":
		p.masked(text)
	case t.Data == "script" || t.Data == "noscript" || p.xml:
		p.page(text, p.depth+1, p.xml)
	}
}

func attr(t *html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// tag looks at a start tag.
func (p *page) tag(t *html.Token) {
	for _, a := range t.Attr {
		p.attribute(a.Key, a.Val)
	}
	switch t.Data {
	case "input", "textarea", "select":
		p.input(t)
	case "form":
		p.away = p.elsewhere(p.base, attr(t, "action"))
	case "button":
		p.sends(t)
	case "base":
		p.base = attr(t, "href")
	case "label":
		p.label = true
	case "meta":
		if _, to, ok := strings.Cut(attr(t, "content"), "="); ok {
			p.attribute("content", strings.Trim(to, "'\" "))
		}
	}
}

// attribute looks at the value of an attribute of any element: code, a page, or a style.
func (p *page) attribute(name, v string) {
	start := strings.ToLower(strings.TrimLeft(v[:min(len(v), 32)], " \t\r\n"))
	switch {
	case len(v) < 8:
	case strings.HasPrefix(name, "on"), strings.HasPrefix(start, "javascript:"):
		if p.spend(len(v)) && p.depth < mostDepth {
			p.script(v, p.depth+1)
		}
	case name == "srcdoc" && p.spend(len(v)):
		p.page(v, p.depth+1, false)
	case strings.HasPrefix(start, "data:"):
		p.examine(v, p.depth)
	case name == "style":
		p.masked(v)
	case strings.HasPrefix(name, "data-"):
		p.examine(v, p.depth+1)
	}
}

// masked looks for a style that shows dots for letters, as a field for a password does.
func (p *page) masked(style string) {
	_, value, ok := strings.Cut(strings.ToLower(style), "text-security")
	value = strings.TrimLeft(value[:min(len(value), 64)], " \t\r\n:")
	if ok && !strings.HasPrefix(value, "none") {
		p.maybe(Password)
	}
}

// end looks at an end tag.
func (p *page) end(name string) {
	switch name {
	case "form":
		p.away = false
	case "label":
		p.label = false
	}
}

// text looks at visible text.
func (p *page) text(text string) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return
	}
	if (p.label || p.after) && len(trimmed) < 200 {
		p.labelled(trimmed)
	}
	p.after = false
	p.said += " " + trimmed[max(0, len(trimmed)-mostSaid):]
	p.said = p.said[max(0, len(p.said)-mostSaid):]
}

// input looks at a field.
func (p *page) input(t *html.Token) {
	kind := strings.ToLower(strings.TrimSpace(attr(t, "type")))
	if t.Data != "input" {
		kind = ""
	}
	switch kind {
	case "password":
		p.sign(Password)
	case "hidden", "button", "reset", "checkbox", "radio", "range", "color", "file":
		return
	case "submit", "image":
		p.sends(t)
		return
	}
	p.filled, p.after = true, true
	p.field = true
	if p.away {
		p.sign(Sends)
	}
	p.completes(attr(t, "autocomplete"))
	p.named(attr(t, "name"))
	p.named(attr(t, "id"))
	labels := p.said
	for _, name := range []string{"placeholder", "aria-label", "title", "label", "name", "id"} {
		p.labelled(attr(t, name))
		labels += " " + attr(t, name)
	}
	p.spoken(labels)
	if length := attr(t, "maxlength"); t.Data == "input" && length != "1" && length != "2" {
		p.alike[withoutDigits(attr(t, "name")+attr(t, "id")+attr(t, "placeholder"))]++
	}
}

// sends looks at a button that sends its form.
func (p *page) sends(t *html.Token) {
	if p.elsewhere(p.base, attr(t, "formaction")) {
		p.maybe(Sends)
	}
}

// elsewhere reports whether a form with that action sends to another host, or by mail.
func (l *Look) elsewhere(base, action string) bool {
	to, err := url.Parse(strings.TrimSpace(action))
	if err != nil {
		return strings.Contains(action, "//")
	}
	if from, err := url.Parse(strings.TrimSpace(base)); err == nil && base != "" && action != "" {
		to = from.ResolveReference(to)
	}
	switch strings.ToLower(to.Scheme) {
	case "mailto":
		return true
	case "", "http", "https":
		return to.Host != "" && !strings.EqualFold(to.Hostname(), l.Own)
	}
	return false
}

// count looks at how many fields alike the page has: as many as a recovery phrase has words.
func (p *page) count() {
	for _, n := range p.alike {
		if (n == 12 || n == 15 || n == 18 || n == 21 || n == 24) && p.wallet() {
			p.sign(Seed)
		}
	}
}
