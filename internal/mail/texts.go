package mail

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/text/language"
)

// catalogs holds one file a language, named after it.
//
//go:embed messages/*.json
var catalogs embed.FS

// fallback is the language of those whose own there is no catalog for.
const fallback = "en"

// texts are the words of one kind of message. In each of them {case} stands for the
// number of a report, and in all but the subject {handle} for the account's handle.
type texts struct {
	Subject string `json:"subject"`
	Given   string `json:"given"`  // what happened
	Open    string `json:"open"`   // before the link
	Button  string `json:"button"` // on the link
	Code    string `json:"code"`   // before the code; empty in a kind that has none
	Lasts   string `json:"lasts"`  // how long the link works
	Ignore  string `json:"ignore"` // what to do if it was somebody else
	NotMe   string `json:"not-me"` // on the link for somebody else; empty in a kind that has none
}

// fill writes the arguments into the texts. A handle is somebody's own word, and no
// such word gets into a header.
func (t *texts) fill(handle, report string) {
	t.Subject = strings.ReplaceAll(t.Subject, "{case}", report)
	words := strings.NewReplacer("{handle}", handle, "{case}", report)
	for _, text := range []*string{&t.Given, &t.Open, &t.Button, &t.Code, &t.Lasts, &t.Ignore, &t.NotMe} {
		*text = words.Replace(*text)
	}
}

// book holds the texts of all languages, by kind.
type book struct {
	langs   []string // the first is the fallback
	matcher language.Matcher
	byLang  map[string]map[string]texts
}

// openBook reads the catalogs. An error is a fault of this package.
func openBook() (*book, error) {
	names, err := fs.Glob(catalogs, "messages/*.json")
	if err != nil {
		return nil, err
	}
	b := &book{langs: []string{fallback}, byLang: make(map[string]map[string]texts)}
	for _, name := range names {
		lang := strings.TrimSuffix(strings.TrimPrefix(name, "messages/"), ".json")
		if b.byLang[lang], err = readCatalog(name); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if lang != fallback {
			b.langs = append(b.langs, lang)
		}
	}
	var tags []language.Tag
	for _, lang := range b.langs {
		tags = append(tags, language.Make(lang))
	}
	b.matcher = language.NewMatcher(tags)
	return b, nil
}

// readCatalog refuses texts that no message uses.
func readCatalog(name string) (map[string]texts, error) {
	data, err := catalogs.ReadFile(name)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var kinds map[string]texts
	if err := dec.Decode(&kinds); err != nil {
		return nil, err
	}
	return kinds, nil
}

// find returns the texts of a kind in the nearest language there is: zh-CN gets
// zh-Hans, pt-BR gets pt, and what is unknown or malformed gets English. ok is
// false if no message of that kind exists.
func (b *book) find(kind, lang string) (t texts, found string, ok bool) {
	found = fallback
	if tag, err := language.Parse(lang); err == nil {
		if _, i, confidence := b.matcher.Match(tag); confidence > language.No {
			found = b.langs[i]
		}
	}
	t, ok = b.byLang[found][kind]
	return t, found, ok
}
