package main

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"
)

type configCommand struct {
	Check configCheckCommand `cmd:"" help:"Check the configuration of serve and print the effective one, with secrets masked."`
}

type configCheckCommand struct {
	settings
}

// Run prints each setting as a line of a configuration file.
func (c *configCheckCommand) Run(t *terminal, k *kong.Context) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 1, ' ', 0)
	for _, f := range k.Selected().Flags {
		if f.Tag == nil || !belongs(f) {
			continue
		}
		fmt.Fprintf(w, "%s:\t%s\n", f.Name, shownValue(f))
	}
	if places, err := c.places(c.Listen); err == nil {
		mode, means := isolation(places)
		fmt.Fprintf(w, "# links begin with\t%s\n# isolation\t%s: %s\n", places.Base, mode, means)
	}
	fmt.Fprintf(w, "# memory\t%s\n", c.memory())
	return w.Flush()
}

// belongs reports whether a flag is one of the settings.
func belongs(f *kong.Flag) bool {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[settings]()) {
		if strings.EqualFold(field.Name, strings.ReplaceAll(f.Name, "-", "")) {
			return true
		}
	}
	return false
}

// shownValue is a flag's value in the form of the file, with a secret masked.
func shownValue(f *kong.Flag) string {
	if f.Target.Kind() == reflect.Pointer && f.Target.IsNil() {
		return "null"
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

// masked keeps of a secret URL only where it leads.
func masked(secret string) string {
	u, err := url.Parse(secret)
	if err != nil || u.Host == "" {
		return "********"
	}
	if u.User != nil {
		return u.Scheme + "://********@" + u.Host
	}
	return u.Scheme + "://" + u.Host
}
