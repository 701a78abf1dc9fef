package names

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// DocumentTitle returns the text of the first <title> of an HTML document that begins with head, as it was written,
// or "" if head holds no whole one. A <title> inside an <svg> is not one of the document.
func DocumentTitle(head []byte) string {
	z := html.NewTokenizer(bytes.NewReader(head))
	z.SetMaxBuf(len(head) + 1)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			switch name, _ := z.TagName(); atom.Lookup(name) {
			case atom.Title:
				return titleText(z)
			case atom.Body, atom.Svg:
				return ""
			}
		}
	}
}

// titleText returns the text up to the end tag, or "" if head ends before it.
func titleText(z *html.Tokenizer) string {
	if z.Next() != html.TextToken {
		return ""
	}
	text := strings.TrimSpace(string(z.Text()))
	if z.Next() != html.EndTagToken {
		return ""
	}
	return text
}
