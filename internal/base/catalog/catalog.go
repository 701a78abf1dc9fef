// Package catalog holds the texts for people, in all languages of the service: a JSON file for each language, named
// after it.
package catalog

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/text/language"
)

// Fallback is the language of programs, and of readers who prefer none of ours.
const Fallback = "en"

// Texts are texts of one form by their names, in all languages. They never change, and may be used concurrently.
type Texts[T any] struct {
	Langs   []string // the first is Fallback
	ByLang  map[string]map[string]T
	matcher language.Matcher
}

// Open reads the files that a pattern of fs.Glob names; those of one language belong together. It panics if a file is
// broken, has a field that T does not have, or repeats a name: the files are part of the program, and every test rules
// that out.
func Open[T any](files fs.FS, pattern string) *Texts[T] {
	names, _ := fs.Glob(files, pattern) // the pattern is right
	c := &Texts[T]{Langs: []string{Fallback}, ByLang: map[string]map[string]T{}}
	for _, name := range names {
		lang := strings.TrimSuffix(path.Base(name), ".json")
		if c.ByLang[lang] == nil {
			c.ByLang[lang] = map[string]T{}
			if lang != Fallback {
				c.Langs = append(c.Langs, lang)
			}
		}
		if err := read(files, name, c.ByLang[lang]); err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
	}
	tags := make([]language.Tag, len(c.Langs))
	for i, lang := range c.Langs {
		tags[i] = language.Make(lang)
	}
	c.matcher = language.NewMatcher(tags)
	return c
}

func read[T any](files fs.FS, name string, into map[string]T) error {
	f, err := files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	dec.DisallowUnknownFields()
	var texts map[string]T
	if err := dec.Decode(&texts); err != nil {
		return err
	}
	for key, t := range texts {
		if _, twice := into[key]; twice {
			return fmt.Errorf("%q is in another file, too", key)
		}
		into[key] = t
	}
	return nil
}

// Nearest returns the service's language nearest to a tag, or to those of an Accept-Language: zh-CN gets zh-Hans, pt-BR
// gets pt. If none is near, or the tags are malformed, it returns Fallback, and ok is false.
func (c *Texts[T]) Nearest(tags string) (lang string, ok bool) {
	list, _, err := language.ParseAcceptLanguage(tags[:min(len(tags), 200)]) // a browser sends under a hundred bytes
	if err != nil || len(list) == 0 {
		return Fallback, false
	}
	_, i, confidence := c.matcher.Match(list...)
	return c.Langs[i], confidence > language.No
}
