package judge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// unread are elements whose content nobody sees, and spoken the attributes that people see, or that name the purpose of a field.
var (
	unread = []string{"script", "style"}
	spoken = []string{"type", "name", "autocomplete", "placeholder", "value", "aria-label", "alt"}
)

// writeText writes the visible part of a page: its text without tags, and each of its fields and pictures in brackets.
func writeText(out *strings.Builder, name string, page []byte) {
	fmt.Fprintf(out, "[page %s]\n", name)
	tokens := html.NewTokenizer(bytes.NewReader(page))
	hidden := ""
	for out.Len() < maxText {
		switch tokens.Next() {
		case html.ErrorToken:
			out.WriteByte('\n')
			return
		case html.TextToken:
			if hidden == "" {
				writeWords(out, string(tokens.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := tokens.Token()
			if t.Type == html.StartTagToken && slices.Contains(unread, t.Data) {
				hidden = t.Data
			}
			writeField(out, t)
		case html.EndTagToken:
			if name, _ := tokens.TagName(); string(name) == hidden {
				hidden = ""
			}
		}
	}
}

func writeWords(out *strings.Builder, text string) {
	if words := strings.Fields(strings.ToValidUTF8(html.UnescapeString(text), "")); len(words) > 0 {
		out.WriteString(strings.Join(words, " "))
		out.WriteByte('\n')
	}
}

// writeField writes a field or a picture.
func writeField(out *strings.Builder, t html.Token) {
	if !slices.Contains([]string{"input", "textarea", "select", "button", "img"}, t.Data) {
		return
	}
	words := "[" + t.Data
	for _, a := range t.Attr {
		if slices.Contains(spoken, a.Key) && a.Val != "" {
			words += fmt.Sprintf(" %s=%q", a.Key, cut(a.Val, 200))
		}
	}
	writeWords(out, words+"]")
}

// cut returns at most the first n bytes of a text, of whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
