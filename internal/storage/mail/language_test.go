package mail

import (
	"reflect"
	"strings"
	"testing"

	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/wording"
)

// TestRegression42NoMessageBreaksARuleOfItsLanguage: Chinese messages had Latin punctuation, and one thing had several
// names.
func TestRegression42NoMessageBreaksARuleOfItsLanguage(t *testing.T) {
	t.Parallel()
	b := openBook()
	for lang, kinds := range b.ByLang {
		for kind, words := range kinds {
			v := reflect.ValueOf(words)
			for i := range v.NumField() {
				for _, fault := range wording.Faults(lang, v.Field(i).String()) {
					t.Errorf("%s %s in %s has %s", kind, v.Type().Field(i).Name, lang, fault)
				}
			}
		}
	}
}

// TestRegression42AReportsMessageShowsItsCommand: the number stood in one sentence and the command without it in
// another.
func TestRegression42AReportsMessageShowsItsCommand(t *testing.T) {
	t.Parallel()
	w := newTestWriter(t)
	for _, lang := range w.book.Langs {
		p := write(t, w, account.Mail{Kind: "report", To: "op@example.com", Lang: lang, Link: link, Case: "R-2F7K-9QXM"})
		for _, body := range []string{p.text, p.html} {
			if !strings.Contains(body, "sandlot admin reports R-2F7K-9QXM") || strings.Contains(body, "{case}") {
				t.Errorf("in %s it is %s", lang, body)
			}
		}
	}
}

// TestRegression42ArgumentsWorkInEveryText: {case} worked in the first sentence alone.
func TestRegression42ArgumentsWorkInEveryText(t *testing.T) {
	t.Parallel()
	var all texts
	v := reflect.ValueOf(&all).Elem()
	for i := range v.NumField() {
		v.Field(i).SetString(v.Type().Field(i).Name + " {case} {handle}")
	}
	all.fill("Sandlot", "", account.Mail{Handle: "ann-42", Case: "R-2F7K-9QXM"})
	for i := range v.NumField() {
		want := v.Type().Field(i).Name + " R-2F7K-9QXM ann-42"
		if v.Type().Field(i).Name == "Subject" {
			want = "Subject R-2F7K-9QXM {handle}" // a handle is a user's own text
		}
		expect.Equal(t, "it says", v.Field(i).String(), want)
	}
}
