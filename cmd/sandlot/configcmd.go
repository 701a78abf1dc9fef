package main

import (
	"cmp"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"
)

type configCommand struct {
	Check   configCheckCommand   `cmd:"" help:"Check the configuration as serve does and print what is in force, with secrets masked."`
	Get     configGetCommand     `cmd:"" help:"Print one setting; the exit code is 4 if it is not set."`
	Example configExampleCommand `cmd:"" help:"Print a configuration file with every setting as a comment, but for those of this call."`
}

type configCheckCommand struct {
	settings
}

// Run prints each setting as a line of a configuration file with its origin or, if it is not set and has no default, as
// a comment with the value in force.
func (c *configCheckCommand) Run(t *terminal, k *kong.Context) error {
	p, err := c.plan()
	if err != nil {
		return usageError{err}
	}
	inForce := p.inForce()
	w := tabwriter.NewWriter(t.out, 0, 0, 1, ' ', 0)
	for _, f := range k.Selected().Flags {
		if f.Name == "help" || f.Name == "config" {
			continue
		}
		name, value, from := f.Name, shownValue(f), origin(k, f, t.from)
		if !f.HasDefault && f.Target.IsZero() {
			name, value = "# "+name, p.shown(cmp.Or(inForce[f.Name], value))
		} else if value == `"auto"` {
			from += "; " + inForce[f.Name]
		}
		column := "\t"
		if len(value) > 60 { // it would move all others to the right
			column = " "
		}
		fmt.Fprintf(w, "%s:\t%s%s# %s\n", name, value, column, inComment(from))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	mode, means := isolation(p.places)
	base, project := p.places.Base.String(), p.places.Project("PROJECT", 0, "").URL
	fmt.Fprintf(t.out, "\n# links begin with %s, those of projects with %s\n", p.shown(base), p.shown(project))
	fmt.Fprintf(t.out, "# isolation %s: %s\n# memory here: %s\n", mode, means, p.memory)
	for _, sentence := range p.warnings {
		fmt.Fprintf(t.out, "# WARNING: %s\n", inComment(sentence))
	}
	return nil
}

type configGetCommand struct {
	Name string `arg:"" help:"Name of the setting, such as base-url."`
	settings
}

// Run prints the value of a setting. It is an error if nothing sets it and it has no default.
func (c *configGetCommand) Run(t *terminal, k *kong.Context) error {
	i := slices.IndexFunc(k.Selected().Flags, func(f *kong.Flag) bool { return f.Name == c.Name && f.Name != "help" })
	if i < 0 {
		return usageError{fmt.Errorf("there is no setting %q; sandlot serve --help lists all", c.Name)}
	}
	f := k.Selected().Flags[i]
	if !f.HasDefault && f.Target.IsZero() {
		return fmt.Errorf("%s is %w: add it to the file of --config, or set %s", c.Name, errNotSet, variable(c.Name))
	}
	_, err := fmt.Fprintln(t.out, strings.Trim(shownValue(f), `"`))
	return err
}

// inForce returns the values that the program gives to settings which are not set, and its decisions behind auto.
func (p plan) inForce() map[string]string {
	decided := func(on bool) string {
		if on {
			return "on"
		}
		return "off"
	}
	redirected := "none"
	if p.tls.http != nil {
		redirected = p.tls.http.String()
	}
	return map[string]string{
		"http-listen":  strconv.Quote(redirected),
		"base-url":     strconv.Quote(p.places.Base.String()),
		"content-host": strconv.Quote(cmp.Or(p.places.Content, "none")),
		"path-form":    decided(p.places.PathForm),
		"quarantine":   decided(p.quarantine(p.places.Base)),
		"auto-hold":    decided(p.holds(p.places)),
		"mail-from":    strconv.Quote(p.sender(p.places)),
		"cache-size":   size(p.memory.cache).about().String(),
		"max-bodies":   strconv.Itoa(p.memory.bodies),
		"disk-limit":   strconv.Itoa(p.diskPercent(p.places)),
		"limits":       decided(p.limited(public(p.places))),
		"limit":        p.limitsShown(),
	}
}

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
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}
