package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot"
)

const (
	windowSize = 32 << 10 // bytes of a file's text in one answer
	windowScan = 8 << 20  // bytes of a file that are read in search of a line
)

// aWindow is the answer of get_project with a file.
type aWindow struct {
	Project  string `json:"project"`
	File     string `json:"file"`
	Type     string `json:"content_type,omitempty"`
	From     int    `json:"from_line,omitempty"`
	Text     string `json:"text,omitempty"`
	NextLine int    `json:"next_line,omitempty"` // 0: that was the end
	Note     string `json:"note,omitempty"`
	numbers  bool
}

// readFile answers with a part of a file. It reads no more of the file than it needs, and holds no more than it sends.
func (t *Tools) readFile(c *call, id, name string, from int) (*sdk.CallToolResult, *refusal) {
	a, refused := t.get(c, pathOf(id, "files", name), nil)
	if refused != nil {
		return nil, refused
	}
	defer a.Close()
	out := aWindow{Project: words(id, 200), File: words(name, 200), Type: a.header.Get("Content-Type"), From: max(from, 1), numbers: from > 0}
	err := out.read(io.LimitReader(a.body, windowScan))
	switch {
	case errors.Is(err, errNotText):
		out.Text, out.From, out.NextLine = "", 0, 0
		out.Note = fmt.Sprintf("%s bytes that are no text in UTF-8, so they are not sent here.", a.header.Get("Content-Length"))
		return result("This file is no text: "+out.Type+".", out), nil
	case err != nil:
		return nil, brokenOff()
	case out.Text == "" && from > 1:
		return nil, own(sandlot.CodeInvalidField, fmt.Sprintf("The file has no line %d within its first %d bytes.", from, windowScan),
			"Leave from_line out for the beginning of the file.")
	}
	said := "All of the file from its first line."
	if out.From > 1 || out.NextLine > 0 {
		said = fmt.Sprintf("A part of the file, from line %d.", out.From)
	}
	if out.NextLine > 0 {
		said += fmt.Sprintf(" It goes on at from_line %d.", out.NextLine)
	}
	return result(sentences(said, out.Note), out, &sdk.TextContent{Text: out.Text}), nil
}

var errNotText = errors.New("no text")

// read reads the lines from From on that fit into the window.
func (w *aWindow) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	var text bytes.Buffer
	for n := 1; ; n++ {
		line, long, err := readLine(lines)
		if err != nil && err != io.EOF {
			return err
		}
		if n >= w.From && len(line) > 0 {
			if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
				return errNotText
			}
			if w.numbers {
				line = append(fmt.Appendf(nil, "%d\t", n), line...)
			}
			if text.Len() > 0 && text.Len()+len(line) > windowSize {
				w.NextLine = n
				break
			}
			text.Write(line)
		}
		if long && n >= w.From {
			w.Note, w.NextLine = fmt.Sprintf("Line %d is longer than %d bytes, and its rest is left out.", n, windowSize), n+1
			break
		}
		if err == io.EOF {
			break
		}
	}
	w.Text = text.String()
	return nil
}

// readLine reads a line with its line feed. Of a long one it returns the first bytes, up to the end of a character.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if room := windowSize - len(line); len(piece) > room {
			piece, long = piece[:room], true
		}
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return whole(line, long), long, err
		}
	}
}

// whole drops the first bytes of a character from the end of a text that was cut.
func whole(text []byte, cut bool) []byte {
	for i := 1; cut && i <= min(utf8.UTFMax, len(text)); i++ {
		if at := len(text) - i; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return text[:at]
			}
			break
		}
	}
	return text
}
