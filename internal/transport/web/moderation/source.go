package moderation

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"sandlot"
	"sandlot/internal/transport/web/texts"
)

// Limits of the source of a file.
const (
	MaxSource = 256 << 10 // bytes
	MaxLines  = 10_000
)

// A sourcePage shows the beginning of a file as text.
type sourcePage struct {
	ID    sandlot.ProjectID
	Lines template.HTML // empty: the file is no text
	Size  int64         // bytes shown
	Cut   bool          // whether there are more
}

// source shows a file as text with the numbers of its lines. Nothing of it is rendered.
func (p *Pages) source(v *Visit) error {
	file := v.Query("file")
	data, err := p.Desk.File(v.R.Context(), v.By, idOf(v), file)
	if err != nil {
		return err
	}
	text := data[:min(len(data), MaxSource)]
	s := sourcePage{ID: idOf(v), Size: int64(len(text)), Cut: len(data) > len(text)}
	if !bytes.ContainsRune(text, 0) {
		var more bool
		s.Lines, more = sourceLines(text)
		s.Cut = s.Cut || more
	}
	p.policy(v, "'none'")
	return v.Show(http.StatusOK, "desk_source.html", texts.Isolated(file), s)
}

// sourceLines returns the lines of a text as HTML, at most MaxLines, and whether there are more. A misleading character
// is shown as a sign.
func sourceLines(text []byte) (template.HTML, bool) {
	var out strings.Builder
	n := 0
	for line := range strings.Lines(strings.ToValidUTF8(string(text), "\ufffd")) {
		if n++; n > MaxLines {
			return template.HTML(out.String()), true
		}
		line = strings.Map(texts.Legible, strings.TrimRight(line, "\r\n"))
		fmt.Fprintf(&out, `<span class="line" id="L%d">%s`+"\n</span>", n, template.HTMLEscapeString(line))
	}
	return template.HTML(out.String()), false
}

// picture sends the screenshot of the play-tester, or an empty picture.
func (p *Pages) picture(v *Visit) error {
	id, data, err := p.Desk.Screenshot(v.R.Context(), v.By, idOf(v))
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.ErrCorrupt) {
		return err
	}
	v.W.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	switch {
	case err != nil:
		return v.Send("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"/>`))
	case strings.HasSuffix(id.File(640), ".png"):
		return v.Send("image/png", data)
	}
	return v.Send("image/jpeg", data)
}
