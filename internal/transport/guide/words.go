package guide

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"sandlot"
)

// Description returns the purpose of the skill, and the occasions for it.
func (v *view) Description() string {
	return "Publish a web page, a game or a small web project at an address of its own on " + v.Site() + " (" + v.Base +
		") with one HTTP call, and change it later. Use it when the user wants to put HTML, a game or a demo online, " +
		"to share or host it, to update one that is on " + v.Site() + ", or asks how often it was played."
}

// Site returns the name of the instance.
func (v *view) Site() string { return cmp.Or(v.Facts.Site, "Sandlot") }

// Open reports whether anybody may publish without a key.
func (v *view) Open() bool { return v.Facts.Opening == sandlot.OpenToAll || v.Facts.Opening == "" }

// Closed reports whether nobody may publish anything new.
func (v *view) Closed() bool { return v.Facts.Opening == sandlot.Closed }

// DocsOf returns the address of the description of an endpoint.
func (v *view) DocsOf(e endpoint) string {
	return v.Base + markdownOf(pagePath(e.tag())) + "#" + anchor(e.Summary)
}

// FieldsOf returns the fields of an endpoint's body in code.
func (v *view) FieldsOf(e endpoint) string {
	var all []string
	fields, _ := v.fields(e)
	for _, f := range fields {
		all = append(all, "`"+f.name+"`")
	}
	return strings.Join(all, ", ")
}

// Codes returns the codes of errors with their statuses.
func (v *view) Codes() string {
	var list []string
	for _, code := range v.Components.Schemas["Code"].Enum {
		status, _ := v.failure(code)
		list = append(list, "`"+code+"` "+status)
	}
	return strings.Join(list, ", ")
}

// Pages returns links to all pages of the documentation except the current one.
func (v *view) Pages(but string) string {
	var list []string
	for _, name := range v.pageNames() {
		title := strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):]
		switch name {
		case "":
			title = "Start"
		case "agents":
			title = "For agents"
		}
		if name == but {
			list = append(list, title)
		} else {
			list = append(list, "["+title+"]("+v.Base+markdownOf(pagePath(name))+")")
		}
	}
	return strings.Join(list, " · ")
}

// FirstCall returns the command that publishes the first page.
func (v *view) FirstCall() string {
	if v.Open() {
		return "curl -sS -F content=@index.html -F email=me@example.com " + v.Base + "/v1/publish"
	}
	return `curl -sS -F content=@index.html -H "Authorization: Bearer $ACCOUNT" ` + v.Base + "/v1/publish"
}

// Origin returns the address of a project.
func (v *view) Origin() string {
	if v.Places.Content == "" {
		return v.Base + "/~/PROJECT_ID/"
	}
	return v.Places.Origin("PROJECT_ID") + "/"
}

// Size returns a number of bytes in words.
func (v *view) Size(n int64) string {
	switch {
	case n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Limits returns the limits in words, empty if there are none.
func (v *view) Limits() string {
	f := v.Facts
	if f.Writes.Count == 0 {
		return ""
	}
	return fmt.Sprintf("An address: %d accounts without a key %s, %d at once; %d writes %s. "+
		"A key has half of it. Answers tell what is left in `RateLimit`.",
		f.Accounts.Count, each(f.Accounts.Per), f.Accounts.Burst, f.Writes.Count, each(f.Writes.Per))
}

// each returns a period in words.
func each(per time.Duration) string {
	words := map[time.Duration]string{time.Hour: "an hour", time.Minute: "a minute", 24 * time.Hour: "a day"}
	return cmp.Or(words[per], "in "+per.String())
}
