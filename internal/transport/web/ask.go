package web

import (
	"net/http"
	"strings"
)

// askPage asks once before something is done that cannot be taken back, or under a name
// that is not what was typed. It works without scripts, and nothing else asks again.
type askPage struct {
	Leads  []any  // a string, or HTML
	Action string // where the form is sent
	Fields []askField
	Yes    string
	Back   string // where whoever says no goes
}

type askField struct{ Name, Value string }

func (v *visit) ask(title string, page askPage) error {
	return v.show(http.StatusOK, "ask.html", title, page)
}

// query is a word of the address, as a form would send it.
func (v *visit) query(name string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(v.r.URL.Query().Get(name), "\x00", ""), "")
}
