package guide

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"sandlot"
)

// tag returns the group of an endpoint.
func (e endpoint) tag() string { return e.Tags[0] }

// anchor returns the fragment of a heading in an address.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-' || r == '_':
			return '-'
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// reference returns the page of the endpoints with a tag.
func (v *view) reference(tag string) string {
	var out strings.Builder
	title, about := strings.ToUpper(tag[:1])+tag[1:], ""
	for _, t := range v.Tags {
		if t.Name == tag {
			about = t.Description
		}
	}
	fmt.Fprintf(&out, "# %s\n\n%s.\n\n%s\n", title, cmp.Or(about, title), v.Pages(tag))
	for _, e := range v.Endpoints() {
		if e.tag() == tag {
			v.describe(&out, e)
		}
	}
	return out.String()
}

// describe writes the document's description of an endpoint.
func (v *view) describe(out *strings.Builder, e endpoint) {
	fmt.Fprintf(out, "\n## %s\n\n`%s %s`, %s\n", e.Summary, e.Method, e.Path, e.KeyWords())
	if e.Description != "" {
		fmt.Fprintf(out, "\n%s\n", strings.TrimSpace(e.Description))
	}
	if len(e.Parameters) > 0 {
		out.WriteString("\nParameters:\n\n")
		for _, p := range e.Parameters {
			p = target(p.Ref, v.Components.Parameters, p)
			item(out, p.Name, p.In, p.Required, p.Description)
		}
	}
	fields, required := v.fields(e)
	if len(fields) > 0 {
		out.WriteString("\nFields of the body, in JSON or as a form:\n\n")
		for _, f := range fields {
			about := cmp.Or(f.value.Description, v.schema(f.value).Description)
			item(out, f.name, v.kind(f.value), slices.Contains(required, f.name), about)
		}
	}
	v.request(out, e)
	v.answers(out, e)
}

// item writes one entry of a list of names.
func item(out *strings.Builder, name, kind string, required bool, about string) {
	if required {
		kind = strings.TrimPrefix(kind+", required", ", ")
	}
	fmt.Fprintf(out, "- `%s`", name)
	if kind != "" {
		fmt.Fprintf(out, " (%s)", kind)
	}
	if about = flat(about); about != "" {
		out.WriteString(": " + about)
	}
	out.WriteString("\n")
}

// flat returns a text on one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// request writes the first request of an endpoint that succeeds.
func (v *view) request(out *strings.Builder, e endpoint) {
	if e.RequestBody == nil {
		return
	}
	for _, m := range e.RequestBody.Content {
		for _, ex := range m.value.Examples {
			if m.name == kindJSON && ex.value.Status < 300 {
				key := ""
				if e.key == keyRequired {
					key = "Authorization: Bearer <api_key>\n"
				}
				fmt.Fprintf(out, "\n```http\n%s %s\n%sContent-Type: application/json\n\n%s\n```\n",
					e.Method, e.Path, key, inJSON(ex.value.Value))
				return
			}
		}
	}
}

// answers writes the answers of an endpoint: those of success whole, and the statuses of all others.
func (v *view) answers(out *strings.Builder, e endpoint) {
	var failures []string
	for _, r := range e.Responses {
		if r.name >= "300" {
			failures = append(failures, r.name)
			continue
		}
		found := target(r.value.Ref, v.Components.Responses, r.value)
		fmt.Fprintf(out, "\nAnswer %s: %s\n", r.name, flat(found.Description))
		for _, m := range found.Content {
			if m.name != kindJSON {
				continue
			}
			for _, one := range m.value.Examples {
				ex := target(one.value.Ref, v.Components.Examples, one.value)
				if len(m.value.Examples) > 1 && ex.Summary != "" {
					fmt.Fprintf(out, "\n%s:\n", ex.Summary)
				}
				fmt.Fprintf(out, "\n```json\n%s\n```\n", inJSON(ex.Value))
			}
		}
	}
	if len(failures) > 0 {
		fmt.Fprintf(out, "\n[Errors](%s): %s.\n", v.Base+markdownOf(pagePath("errors")), strings.Join(failures, ", "))
	}
}

// errors returns the page of errors: each code with its example in the document.
func (v *view) errors() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Errors\n\nEvery error is a JSON object. `error` is a stable code, "+
		"`message` says what was wrong with this request, `hint` has a corrected command. "+
		"After 429, 503 and 507 wait `retry_after` seconds, then send the same again. "+
		"409 means that it is done already, or being done.\n\n%s\n\n", v.Pages("errors"))
	for _, code := range v.Components.Schemas["Code"].Enum {
		status, message := v.failure(code)
		fmt.Fprintf(&out, "- `%s` (%s): %s\n", code, status, flat(message))
	}
	return out.String()
}

// failure returns the status and the message of an error from the document's shared example for its code.
func (v *view) failure(code string) (status, message string) {
	var said struct{ Status, Message string }
	ex := v.Components.Examples[code]
	_ = ex.Value.Decode(&said) // a missing example leaves both empty
	return said.Status, said.Message
}

// exampleHost is the host in the examples of the document.
const exampleHost = "localhost:8080"

var exampleProject = regexp.MustCompile(`http://([a-z0-9-]+)\.` + exampleHost)

// here returns a text with the addresses of this instance in place of those of the examples.
func (v *view) here(text string) string {
	text = exampleProject.ReplaceAllStringFunc(text, func(found string) string {
		label := exampleProject.FindStringSubmatch(found)[1]
		return strings.TrimSuffix(v.Places.Project(sandlot.ProjectID(label), 0, "").URL, "/")
	})
	return strings.ReplaceAll(text, "http://"+exampleHost, v.Base)
}

// inJSON returns a value of the document in JSON.
func inJSON(n yaml.Node) []byte {
	var v any
	_ = n.Decode(&v) // tests read every example
	return bytes.TrimSpace(encoded(v))
}
