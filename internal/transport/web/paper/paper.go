// Package paper reads the operator's papers for visitors: who runs the instance, its terms, and its use of their data.
// A paper is Markdown or plain HTML, and can hold nothing that runs, loads or sends anything: it is served on the
// origin where people are logged in, and may be a copy from anywhere.
package paper

import (
	"errors"
	"fmt"
	"html/template"
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
		return nil, errors.Unwrap(err) // without the path, which the caller names
	}
	all := Papers{}
	for _, e := range entries {
		name, rest, _ := strings.Cut(e.Name(), ".")
		if !slices.Contains(Names, name) {
			continue
		}
		lang, kind, two := strings.Cut(rest, ".")
		if !two {
			lang, kind = "", rest
		}
		if kind != "md" && kind != "html" || lang != "" && !slices.Contains(langs, lang) {
			return nil, fmt.Errorf("%s is not a paper: name it %[2]s.md or %[2]s.html, or %[2]s.LANG.md with one of %[3]s",
				e.Name(), name, strings.Join(langs, ", "))
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
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err == nil && info.Size() > maxSize {
		err = fmt.Errorf("it is larger than %d KiB", maxSize>>10)
	}
	if err != nil {
		return Text{}, err
	}
	data, err := os.ReadFile(path)
	source := strings.TrimPrefix(string(data), "\ufeff")
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

// Find returns a paper in a language, or else the one without a language, or else the first.
func (p Papers) Find(name, lang string) (found Text, ok bool) {
	for _, t := range p[name] {
		if !ok || t.Lang == lang || t.Lang == "" && found.Lang != lang {
			found, ok = t, true
		}
	}
	return found, ok
}

// String lists the papers, such as "about, about.de, terms".
func (p Papers) String() string {
	var all []string
	for _, name := range Names {
		for _, t := range p[name] {
			all = append(all, strings.TrimSuffix(name+"."+t.Lang, "."))
		}
	}
	return strings.Join(all, ", ")
}
