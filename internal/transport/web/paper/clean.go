package paper

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markup "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// elements lists the elements that a paper may have: text and its structure.
var elements = strings.Fields("h1 h2 h3 h4 h5 h6 p a ul ol li dl dt dd strong em b i u s del ins small sub sup code pre kbd " +
	"blockquote q cite br hr table caption thead tbody tfoot tr th td time address abbr span div section article")

// attributes lists the attributes that its elements may have.
var attributes = strings.Fields("href id lang dir title datetime start reversed colspan rowspan scope")

// schemes lists the schemes of its links; the empty one is an address on this site.
var schemes = []string{"", "http", "https", "mailto", "tel"}

// fromMarkdown returns the HTML of a Markdown text. HTML in it stays, for clean to check.
func fromMarkdown(source string) (string, error) {
	var out strings.Builder
	tables := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)) // any other is a style
	md := goldmark.New(goldmark.WithExtensions(tables, extension.Linkify), goldmark.WithRendererOptions(markup.WithUnsafe()))
	err := md.Convert([]byte(source), &out)
	return out.String(), err
}

// clean returns the text with every element closed, and an error for a node that a paper may not have.
func clean(source string) (Text, error) {
	top := &html.Node{Type: html.ElementNode, Data: "article", DataAtom: atom.Article}
	nodes, err := html.ParseFragment(strings.NewReader(source), top)
	if err != nil {
		return Text{}, err
	}
	var text Text
	var out strings.Builder
	for _, n := range nodes {
		top.AppendChild(n)
	}
	for in := range top.Descendants() {
		if err := allow(in); err != nil {
			return Text{}, err
		}
		if in.DataAtom == atom.H1 && text.Title == "" {
			text.Title = wordsOf(in)
		}
	}
	for _, n := range nodes {
		if err := html.Render(&out, n); err != nil {
			return Text{}, err
		}
	}
	text.Body = template.HTML(out.String())
	return text, nil
}

// allow returns an error for a node that is not plain text, and removes classes, which would only change its looks.
func allow(n *html.Node) error {
	switch n.Type {
	case html.TextNode, html.CommentNode:
		return nil
	case html.ElementNode:
	default:
		return fmt.Errorf("it may hold text alone, not %q", n.Data)
	}
	if n.Namespace != "" || !slices.Contains(elements, n.Data) {
		return fmt.Errorf("<%s> is not allowed in it: a paper has headings, paragraphs, lists, tables and links", n.Data)
	}
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "class" })
	for _, a := range n.Attr {
		if a.Namespace != "" || !slices.Contains(attributes, a.Key) {
			return fmt.Errorf("<%s %s> is not allowed in it", n.Data, a.Key)
		}
		if a.Key != "href" {
			continue
		}
		if u, err := url.Parse(a.Val); err != nil || !slices.Contains(schemes, strings.ToLower(u.Scheme)) {
			return fmt.Errorf("a link leads to %q, and may lead to https, http, mailto or tel", a.Val)
		}
	}
	return nil
}

// wordsOf returns the words of a node, separated by single spaces.
func wordsOf(n *html.Node) string {
	var out strings.Builder
	for in := range n.Descendants() {
		if in.Type == html.TextNode {
			out.WriteString(in.Data)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
