package browser

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"

	"sandlot/internal/domain/trial"
	"sandlot/internal/format/lure"
)

// fields looks at the markup of an open page for fields that request secrets.
type fields struct {
	lure.Look
	home string // the first label of the page's host
}

// mostMarkup is the most bytes of one reading of a page.
const mostMarkup = 256 << 10

// readFields reads the elements of the page as they are now, with those in its frames and shadow roots, and notes which secrets
// they request.
func (s *session) readFields() {
	whole, pierce := int64(-1), true // as deep as the page is, and into its frames
	_ = s.step(func(ctx context.Context) error {
		got, err := chromedp.Call(ctx, dom.GetDocument, dom.GetDocumentParams{Depth: &whole, Pierce: &pierce})
		if err == nil {
			m := markup{home: s.fields.home}
			m.write(got.Root)
			s.fields.Read("page.html", []byte(m.out.String()))
		}
		return err
	})
}

// The types of nodes.
const (
	elementNode = 1
	textNode    = 3
)

// A markup is written of the nodes of a page.
type markup struct {
	home string // the first label of the page's host
	out  strings.Builder
}

// write writes a node and its children. Scripts are left out: they have run.
func (m *markup) write(n *cdp.Node) {
	if n == nil || m.out.Len() > mostMarkup || n.LocalName == "script" || n.LocalName == "style" {
		return
	}
	switch n.NodeType {
	case textNode:
		m.out.WriteString(html.EscapeString(n.NodeValue))
	case elementNode:
		name := n.LocalName
		if n.ContentDocument != nil {
			name = "div" // the text within a frame is no markup
		}
		m.out.WriteString("<" + name)
		for pair := range slices.Chunk(n.Attributes, 2) {
			if len(pair) == 2 && !m.sendsHome(pair[0], pair[1]) {
				m.out.WriteString(" " + pair[0] + `="` + html.EscapeString(clip(pair[1], trial.MostText)) + `"`)
			}
		}
		m.out.WriteString(">")
		defer m.out.WriteString("</" + name + ">")
	}
	m.write(n.ContentDocument)
	for _, inner := range slices.Concat(n.ShadowRoots, n.Children) {
		m.write(inner)
	}
}

// sendsHome reports whether an attribute has a form send to the project itself, by whichever address.
func (m *markup) sendsHome(name, v string) bool {
	if name != "action" && name != "formaction" {
		return false
	}
	to, err := url.Parse(v)
	return err == nil && strings.HasPrefix(to.Hostname(), m.home+".")
}
