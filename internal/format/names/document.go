package names

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// DocumentTitle returns the text of the first <title> of an HTML document that begins with head, as it was written,
// or "" if head holds no whole one. A <title> inside an <svg> is not one of the document.
func DocumentTitle(head []byte) (title string) {
	inHead(head, func(z *html.Tokenizer, tag atom.Atom, _ bool) (done bool) {
		if tag == atom.Title && z.Next() == html.TextToken {
			title = strings.TrimSpace(string(z.Text()))
			if z.Next() != html.EndTagToken { // head cuts it off
				title = ""
			}
		}
		return tag == atom.Title || tag == atom.Svg
	})
	return title
}

// DocumentIcon returns the address of the first <link rel="icon"> of an HTML document that begins with head, as it was
// written, or "" if head holds none.
func DocumentIcon(head []byte) (href string) {
	inHead(head, func(z *html.Tokenizer, tag atom.Atom, more bool) (done bool) {
		if tag == atom.Link {
			href = iconOf(z, more)
		}
		return href != ""
	})
	return href
}

// inHead calls each for the start tags before the body of a document, until one returns true; more reports whether the
// tag has attributes.
func inHead(head []byte, each func(z *html.Tokenizer, tag atom.Atom, more bool) (done bool)) {
	z := html.NewTokenizer(bytes.NewReader(head))
	z.SetMaxBuf(len(head) + 1)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if tag := atom.Lookup(name); tag == atom.Body || each(z, tag, more) {
				return
			}
		}
	}
}

// iconOf reads the attributes of a <link> and returns its address if it is an icon.
func iconOf(z *html.Tokenizer, more bool) (href string) {
	icon := false
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch atom.Lookup(key) {
		case atom.Href:
			href = strings.TrimSpace(string(value))
		case atom.Rel:
			icon = slices.Contains(strings.Fields(strings.ToLower(string(value))), "icon")
		}
	}
	if !icon {
		return ""
	}
	return href
}
