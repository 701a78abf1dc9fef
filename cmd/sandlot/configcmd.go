package main

import (
	"context"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/alecthomas/kong"
)

type configCommand struct {
	Check configCheckCommand `cmd:"" help:"Check the configuration as serve does and print what is in force, with secrets masked."`
}

type configCheckCommand struct {
	settings
}

// Run prints each setting as a line of a configuration file or, if it is not set and has no default, as a comment with
// its effective value.
func (c *configCheckCommand) Run(ctx context.Context, t *terminal, k *kong.Context) error {
	p, err := c.plan(ctx)
	if err != nil {
		return usageError{err}
	}
	effects := p.effects()
	w := tabwriter.NewWriter(t.out, 0, 0, 1, ' ', 0)
	for _, f := range k.Selected().Flags {
		if f.Tag == nil || !belongs(f) {
			continue
		}
		name, value, because := f.Name, shownValue(f), []string{origin(k, f, t.from)}
		if p.isUnset(f) {
			name, value = "# "+name, p.shown(effects[f.Name].value)
			because = append(because, effects[f.Name].reason)
		}
		because = slices.DeleteFunc(append(because, effects[f.Name].note), func(s string) bool { return s == "" })
		fmt.Fprintf(w, "%s:\t%s\t# %s\n", name, value, inComment(p.shown(strings.Join(because, "; "))))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	mode, means := isolation(p.places)
	fmt.Fprintf(t.out, "\n# links begin with %s, those of projects with %s\n", p.shown(p.places.Base.String()), p.shown(p.places.Project("PROJECT", 0, "").URL))
	fmt.Fprintf(t.out, "# isolation %s: %s\n# memory here: %s\n", mode, means, p.memory)
	for _, sentence := range p.warnings {
		fmt.Fprintf(t.out, "# WARNING: %s\n", inComment(sentence))
	}
	return nil
}

// isUnset reports whether a setting has no value of its own.
func (p plan) isUnset(f *kong.Flag) bool { return !f.HasDefault && f.Target.IsZero() }

// origin returns the source of a value.
func origin(k *kong.Context, f *kong.Flag, from origins) string {
	for _, step := range k.Path {
		if step.Flag == f && !step.Resolved {
			return "--" + f.Name
		}
	}
	switch {
	case from[f.Name] != "":
		return from[f.Name]
	case f.HasDefault:
		return "default"
	}
	return "not set"
}

// belongs reports whether a flag is one of the settings.
func belongs(f *kong.Flag) bool {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[settings]()) {
		if field.Tag.Get("name") == f.Name || strings.EqualFold(field.Name, strings.ReplaceAll(f.Name, "-", "")) {
			return true
		}
	}
	return false
}

// shownValue returns a flag's value in the form of the file, with a secret masked.
func shownValue(f *kong.Flag) string {
	if f.Target.Kind() == reflect.Pointer && f.Target.IsNil() {
		return ""
	}
	value := fmt.Sprint(reflect.Indirect(f.Target).Interface())
	if f.Tag.Has("secret") && value != "" {
		return fmt.Sprintf("%q", masked(value))
	}
	if f.Target.Kind() == reflect.String {
		return fmt.Sprintf("%q", value)
	}
	return value
}

// masked returns the place in a secret URL, with the rest masked.
func masked(secret string) string {
	u, err := url.Parse(secret)
	if err != nil || u.Host == "" {
		return "********"
	}
	user, query := "", ""
	if u.User != nil {
		user = "********@"
	}
	if u.RawQuery != "" { // says how to connect; another query is no such URL
		query = "?" + u.RawQuery
	}
	return u.Scheme + "://" + user + u.Host + query
}

// inComment returns a text that stays on its line: the name of a file may have any character.
func inComment(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
