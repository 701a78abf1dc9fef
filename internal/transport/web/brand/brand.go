// Package brand holds how an instance presents itself to people: its name, its line, its accent color and its mark.
package brand

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"strings"
	"unicode"
)

// DefaultName is the name of an instance whose operator chose none.
const DefaultName = "Sandlot"

// Brand is how an instance presents itself. The zero Brand is as the program comes.
type Brand struct {
	Name   string // empty: DefaultName
	Line   string // the first line of the home page; empty: that of the visitor's language
	Accent Accent
	Mark   Mark
}

// Called returns the name.
func (b Brand) Called() string {
	if b.Name == "" {
		return DefaultName
	}
	return b.Name
}

// The longest name and line, in characters: a name stands beside the search on a phone.
const (
	maxName = 30
	maxLine = 100
)

// Check returns an error for a name or a line that the pages have no room for.
func (b Brand) Check() error {
	for _, text := range []struct {
		flag, value string
		most        int
	}{{"--site-name", b.Name, maxName}, {"--site-line", b.Line, maxLine}} {
		n := len([]rune(text.value))
		if n > text.most || strings.ContainsFunc(text.value, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return fmt.Errorf("%s takes at most %d characters that can be printed, and has %d", text.flag, text.most, n)
		}
	}
	return nil
}

// Mark is the picture beside the name. It is only ever shown as an image, so an SVG runs no script.
type Mark struct {
	Bytes []byte // none: the mark of the program
	SVG   bool   // else PNG
}

// File returns the name under which the mark is served.
func (m Mark) File() string {
	if m.SVG {
		return "mark.svg"
	}
	return "mark.png"
}

// Limits of a mark: every page loads it.
const (
	maxMark   = 64 << 10 // bytes
	maxPixels = 1024     // of a side
)

// ReadMark reads a mark from a file: a square PNG of 32 to 1024 pixels, or an SVG, of at most 64 KiB.
func ReadMark(path string) (Mark, error) {
	f, err := os.Open(path)
	if err != nil {
		return Mark{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMark+1))
	if err != nil {
		return Mark{}, err
	}
	if len(data) > maxMark {
		return Mark{}, fmt.Errorf("%s has more than %d KiB", path, maxMark>>10)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(data)); err == nil {
		if c.Width != c.Height || c.Width < 32 || c.Width > maxPixels {
			return Mark{}, fmt.Errorf("%s has %d by %d pixels: make it a square of 32 to %d", path, c.Width, c.Height, maxPixels)
		}
		return Mark{Bytes: data}, nil
	}
	if err := checkSVG(data); err != nil {
		return Mark{}, fmt.Errorf("%s is neither PNG nor SVG: %w", path, err)
	}
	return Mark{Bytes: data, SVG: true}, nil
}

// checkSVG reports whether data is well-formed XML whose root is svg, without a document type.
func checkSVG(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	root := false
	for {
		token, err := d.Token()
		switch t := token.(type) {
		case xml.Directive:
			return errors.New("it has a document type")
		case xml.StartElement:
			if !root && (t.Name.Local != "svg" || t.Name.Space != "http://www.w3.org/2000/svg") {
				return fmt.Errorf("its root is %s", t.Name.Local)
			}
			root = true
		}
		switch {
		case errors.Is(err, io.EOF) && root:
			return nil
		case errors.Is(err, io.EOF):
			return errors.New("it has no root")
		case err != nil:
			return err
		}
	}
}
