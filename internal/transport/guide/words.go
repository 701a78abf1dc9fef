package guide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sandlot"
)

// Description returns the purpose of the skill, and the occasions for it.
func (v *view) Description() string {
	return "Publish a web page, a game or a small web project at an address of its own on Sandlot (" + v.Base + ") with one HTTP call, and change it later. " +
		"Use it when the user wants to put HTML, a game or a demo online, to share or host it, to update one that is on Sandlot, or asks how often it was played."
}

// Quoted returns a text as YAML and JSON write it.
func (v *view) Quoted(text string) string { return fmt.Sprintf("%q", text) }

// Open reports whether anybody may publish without a key.
func (v *view) Open() bool { return v.Facts.Opening == sandlot.OpenToAll || v.Facts.Opening == "" }

// Closed reports whether nobody may publish anything new.
func (v *view) Closed() bool { return v.Facts.Opening == sandlot.Closed }

// Has reports whether there is an endpoint, as in "POST /v1/publish".
func (v *view) Has(endpoint string) bool {
	return slices.ContainsFunc(v.Endpoints(), func(e endpointView) bool { return e.Method+" "+e.Path == endpoint })
}

// Takes reports whether the body of an endpoint has a field.
func (v *view) Takes(path, field string) bool {
	return slices.ContainsFunc(v.Endpoints(), func(e endpointView) bool {
		return e.Path == path && slices.Contains(e.Fields, field)
	})
}

// An endpointView holds an endpoint for a template.
type endpointView struct {
	Method, Path, Key, Summary, Docs string
	Fields, Needed                   []string
}

// Endpoints returns all endpoints.
func (v *view) Endpoints() (list []endpointView) {
	for _, e := range v.contract.endpoints() {
		one := endpointView{Method: e.method, Path: e.path, Key: keyWords[e.key], Summary: e.Summary, Docs: v.Base + markdownOf(pagePath(e.tag())) + "#" + anchor(e.Summary)}
		fields, required := v.contract.fields(e)
		for _, f := range fields {
			one.Fields = append(one.Fields, f.name)
		}
		one.Needed = required
		list = append(list, one)
	}
	return list
}

// Names returns a list of names in code.
func (v *view) Names(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// Codes returns the codes of errors with their statuses.
func (v *view) Codes() string {
	var list []string
	for _, code := range v.contract.Components.Schemas["Code"].Enum {
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
	const mib = 1 << 20
	switch {
	case n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n%mib == 0:
		return fmt.Sprintf("%d MiB", n/mib)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Contract returns the OpenAPI document.
func (v *view) Contract() *contract { return v.contract }

// Limits returns the limits in words, empty if there are none.
func (v *view) Limits() string {
	f := v.Facts
	if f.Writes.Count == 0 {
		return ""
	}
	return fmt.Sprintf("An address: %d accounts without a key %s, %d at once; %d writes %s. A key has half of it. Answers tell what is left in `RateLimit`.",
		f.Accounts.Count, each(f.Accounts.Per), f.Accounts.Burst, f.Writes.Count, each(f.Writes.Per))
}

// each returns a period in words.
func each(per time.Duration) string {
	switch per {
	case time.Hour:
		return "an hour"
	case time.Minute:
		return "a minute"
	case 24 * time.Hour:
		return "a day"
	}
	return "in " + per.String()
}
