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
	p.wallet = sync.OnceValue(func() bool { return has(folded(text), "walletWords") })
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			p.count()
			return
		case html.TextToken:
			p.text(strings.TrimSpace(string(tokens.Text())))
		case html.EndTagToken:
			name, _ := tokens.TagName()
			p.away, p.label = p.away && local(string(name)) != "form", p.label && local(string(name)) != "label"
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
	case t.Data == "title" && !p.xml:
		p.bait.title += html.UnescapeString(text) + "\n"
	case t.Data == "script" && (p.xml || !strings.HasPrefix(strings.TrimSpace(text), "<")):
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
	p.looked(t)
	switch t.Data {
	case "input":
		p.input(t, strings.ToLower(strings.TrimSpace(attr(t, "type"))))
	case "textarea", "select":
		p.input(t, "")
	case "form":
		p.away = p.elsewhere(p.base, attr(t, "action"))
	case "button":
		p.input(t, "submit")
	case "base":
		p.base = attr(t, "href")
	case "label":
		p.label = true
	case "meta":
		if _, to, ok := strings.Cut(attr(t, "content"), "="); ok {
			to = strings.Trim(to, "'\" ")
			p.attribute("content", to)
			if strings.EqualFold(attr(t, "http-equiv"), "refresh") && p.elsewhere(p.base, to) {
				p.bait.redirects = true
				p.leads()
			}
		}
	}
}

// attribute looks at the value of an attribute of any element: code, a page, or a style.
func (p *page) attribute(name, v string) {
	start := strings.ToLower(strings.TrimLeft(v[:min(len(v), 32)], " \t\r\n"))
	switch {
	case len(v) < 8 || p.depth >= mostDepth || !p.spend(len(v)):
	case strings.HasPrefix(name, "on"), strings.HasPrefix(start, "javascript:"):
		p.script(v, p.depth+1)
	case name == "srcdoc":
		p.page(v, p.depth+1, false)
	case strings.HasPrefix(start, "data:"), strings.HasPrefix(name, "data-"):
		p.examine(v, p.depth+1)
	case name == "style":
		p.masked(v)
	}
	p.field = p.field || name == "contenteditable" && v != "false"
}

// masked looks for a style that shows dots for letters, as a field for a password does.
func (p *page) masked(style string) {
	_, value, ok := strings.Cut(strings.ToLower(style), "text-security")
	if ok && !strings.HasPrefix(strings.TrimLeft(value[:min(len(value), 64)], " \t\r\n:"), "none") {
		p.maybe(Password)
	}
}

// text looks at visible text.
func (p *page) text(text string) {
	if text == "" {
		return
	}
	if (p.label || p.after) && len(text) < mostSaid/2 {
		p.labelled(text)
	}
	p.after = false
	if invisible := strings.Count(text, "\u200b") + strings.Count(text, "\u200c"); invisible >= longSeal {
		p.bait.sealed = true
	} else {
		p.bait.read(text)
	}
	p.said += " " + text[max(0, len(text)-mostSaid):]
	p.said = p.said[max(0, len(p.said)-mostSaid):]
}

// input looks at a field, or at a button that sends its form.
func (p *page) input(t *html.Token, kind string) {
	switch kind {
	case "password":
		p.sign(Password)
	case "hidden", "button", "reset", "checkbox", "radio", "range", "color", "file":
		return
	case "submit", "image":
		if p.elsewhere(p.base, attr(t, "formaction")) {
			p.maybe(Sends)
		}
		return
	}
	p.field, p.after = true, true
	if p.away {
		p.sign(Sends)
	}
	p.completes(attr(t, "autocomplete"))
	labels := p.said
	for _, name := range []string{"placeholder", "aria-label", "title", "label", "name", "id"} {
		p.labelled(attr(t, name))
		labels += " " + attr(t, name)
	}
	p.named(attr(t, "name"))
	p.named(attr(t, "id"))
	if has(folded(p.said[max(0, len(p.said)-90):]), "cardNumbers") {
		p.sign(Card)
	}
	if labels = folded(labels); has(labels, "seedWords") || has(labels, "seedMaybe") && p.wallet() {
		p.sign(Seed)
	}
	if length := attr(t, "maxlength"); t.Data == "input" && length != "1" && length != "2" {
		p.alike[digits.Replace(attr(t, "name")+attr(t, "id")+attr(t, "placeholder"))]++
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

// digits takes the digits out of a name.
var digits = strings.NewReplacer("0", "", "1", "", "2", "", "3", "", "4", "", "5", "", "6", "", "7", "", "8", "", "9", "")

// count compares the number of similar fields of a page with that of the words of a recovery phrase. A script may make them, too.
func (p *page) count() {
	if p.wallet() && has(folded(p.said), "seedWords", "seedMaybe") {
		p.maybe(Seed)
	}
	for _, n := range p.alike {
		if n >= 12 && n <= 24 && n%3 == 0 && p.wallet() {
			p.sign(Seed)
		}
	}
}
