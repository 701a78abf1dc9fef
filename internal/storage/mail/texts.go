package mail

import (
	"embed"
	"strings"

	"sandlot/internal/base/catalog"
)

// catalogs holds one file for each language, named after it.
//
//go:embed messages/*.json
var catalogs embed.FS

// texts are the texts of one kind of message. In each of them {case} stands for the number of a report, and in all but
// the subject {handle} for the account's handle.
type texts struct {
	Subject string `json:"subject"`
	Given   string `json:"given"`  // the event
	Made    string `json:"made"`   // before a published project; empty in a kind that names none
	Open    string `json:"open"`   // before the link
	Button  string `json:"button"` // on the link
	Code    string `json:"code"`   // before the code; empty in a kind that has none
	Lasts   string `json:"lasts"`  // how long the link works
	Ignore  string `json:"ignore"` // advice if it was somebody else
	NotMe   string `json:"not-me"` // on the link for somebody else; empty in a kind that has none
}

// fill inserts the arguments into the texts. A handle is a user's own text, which never gets into a header.
func (t *texts) fill(handle, report string) {
	t.Subject = strings.ReplaceAll(t.Subject, "{case}", report)
	words := strings.NewReplacer("{handle}", handle, "{case}", report)
	for _, text := range []*string{&t.Given, &t.Made, &t.Open, &t.Button, &t.Code, &t.Lasts, &t.Ignore, &t.NotMe} {
		*text = words.Replace(*text)
	}
}

func openBook() *catalog.Texts[texts] { return catalog.Open[texts](catalogs, "messages/*.json") }
