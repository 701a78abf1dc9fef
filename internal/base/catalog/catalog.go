// Package catalog holds what people read, in all languages of the service: a JSON file for each language, named after it.
package catalog

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/text/language"
)

// Fallback is the language of whoever prefers none of ours, and of programs.
const Fallback = "en"

// Texts are texts of one form by their names, in all languages. They never change, and may be used concurrently.
type Texts[T any] struct {
	Langs   []string // the first is Fallback
	ByLang  map[string]map[string]T
	matcher language.Matcher
}

// Open reads the files that a pattern of fs.Glob names; those of one language belong together. It panics where one is broken, has a field
// that T has not, or a name that another has: the files are part of the program, and every test rules that out.
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

// Nearest returns the language of ours that is nearest to a tag: zh-CN gets zh-Hans, pt-BR gets pt. Where none is near, or the tag is
// malformed, it is Fallback, and ok is false.
func (c *Texts[T]) Nearest(tag string) (lang string, ok bool) {
	t, err := language.Parse(tag)
	if err != nil {
		return Fallback, false
	}
	_, i, confidence := c.matcher.Match(t)
	return c.Langs[i], confidence > language.No
}

// Accepted returns the language of ours that fits an Accept-Language best. Where none does it is Fallback, and ok is false.
func (c *Texts[T]) Accepted(header string) (lang string, ok bool) {
	tags, _, err := language.ParseAcceptLanguage(header[:min(len(header), 200)]) // a browser sends under a hundred bytes
	if err != nil || len(tags) == 0 {
		return Fallback, false
	}
	_, i, confidence := c.matcher.Match(tags...)
	return c.Langs[i], confidence > language.No
}
