// Package paper reads the operator's papers for visitors: who runs the instance, its terms, and its use of their data.
// A paper is Markdown or plain HTML, and can hold nothing that runs, loads or sends anything: it is served on the
// origin where people are logged in, and may be a copy from anywhere.
package paper

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Names lists all papers, in the order in which pages link to them.
var Names = []string{"about", "terms", "privacy"}

// maxSize bounds one paper, in bytes: a book has more, the terms of a site do not.
const maxSize = 256 << 10

// A Text is a paper in one language.
type Text struct {
	Lang  string        // empty: unknown
	Title string        // its first h1; empty: it has none
	Body  template.HTML // including that heading
}

// Papers holds the papers of an instance by name. The zero value has none.
type Papers map[string][]Text

// Read returns the papers in a folder, none for "". They are files such as about.md, terms.de.md and privacy.html; a
// language in a name is one of langs. Other files may lie there; a file that is named like a paper and is none is an
// error, and so is a paper with forbidden content.
func Read(folder string, langs []string) (Papers, error) {
	if folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, cause(err)
	}
	all := Papers{}
	for _, e := range entries {
		name, rest, _ := strings.Cut(e.Name(), ".")
		if !slices.Contains(Names, name) {
			continue
		}
		lang, kind := "", rest
		if before, after, two := strings.Cut(rest, "."); two {
			lang, kind = before, after
		}
		if kind != "md" && kind != "html" || lang != "" && !slices.Contains(langs, lang) {
			return nil, fmt.Errorf("%s is not a paper: name it %s.md or %s.html, or %s.LANG.md with one of %s", e.Name(), name, name, name, strings.Join(langs, ", "))
		}
		if slices.ContainsFunc(all[name], func(t Text) bool { return t.Lang == lang }) {
			return nil, fmt.Errorf("%s is there as .md and as .html: keep one", strings.TrimSuffix(e.Name(), "."+kind))
		}
		text, err := readText(filepath.Join(folder, e.Name()), kind)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		text.Lang = lang
		all[name] = append(all[name], text)
	}
	return all, nil
}

func readText(path, kind string) (Text, error) {
	source, err := readFile(path)
	switch {
	case err != nil:
		return Text{}, err
	case strings.TrimSpace(source) == "":
		return Text{}, errors.New("it is empty")
	case !utf8.ValidString(source) || strings.ContainsRune(source, 0):
		return Text{}, errors.New("it is not UTF-8 text")
	}
	if kind == "md" {
		if source, err = fromMarkdown(source); err != nil {
			return Text{}, err
		}
	}
	return clean(source)
}

// readFile reads a regular file, and nothing that another program might fill or hold open.
func readFile(path string) (string, error) {
	if info, err := os.Stat(path); err != nil {
		return "", cause(err)
	} else if !info.Mode().IsRegular() {
		return "", errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", cause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = fmt.Errorf("it is larger than %d KiB", maxSize>>10)
	}
	return strings.TrimPrefix(string(data), "\ufeff"), cause(err)
}

// cause returns an error without the path, which the caller names.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// Find returns a paper in a language, or else the one without a language, or else the first.
func (p Papers) Find(name, lang string) (Text, bool) {
	texts := p[name]
	for _, want := range []string{lang, ""} {
		if i := slices.IndexFunc(texts, func(t Text) bool { return t.Lang == want }); i >= 0 {
			return texts[i], true
		}
	}
	if len(texts) == 0 {
		return Text{}, false
	}
	return texts[0], true
}

// String lists the papers, such as "about (de, en), terms".
func (p Papers) String() string {
	var all []string
	for _, name := range Names {
		var langs []string
		for _, t := range p[name] {
			if t.Lang != "" {
				langs = append(langs, t.Lang)
			}
		}
		switch {
		case len(p[name]) == 0:
		case len(langs) == 0:
			all = append(all, name)
		default:
			all = append(all, name+" ("+strings.Join(langs, ", ")+")")
		}
	}
	return strings.Join(all, ", ")
}
