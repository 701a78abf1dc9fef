package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// exampleWidth is the longest line of a comment.
const exampleWidth = 100

type configExampleCommand struct {
	settings
}

// Run prints a configuration file in which every setting has its help. It is a comment unless this call sets it; a
// secret always is.
func (c *configExampleCommand) Run(t *terminal, k *kong.Context) error {
	var file strings.Builder
	file.WriteString(exampleBegin)
	for _, f := range k.Selected().Flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		line := fmt.Sprintf("#%s: %s", f.Name, exampleValue(f))
		if from := origin(k, f, t.from); from != "default" && from != "not set" && !f.Tag.Has("secret") {
			line = f.Name + ": " + shownValue(f)
		}
		fmt.Fprintf(&file, "\n%s%s\n", commented(f.Help), line)
	}
	_, err := fmt.Fprint(t.out, file.String())
	return err
}

const exampleBegin = `# Settings of Sandlot, one line each: remove the # before a name to set it. What a line shows is the
# default or the form of a value. "sandlot config check --config FILE" reports mistakes, and all
# that is then in force. A URL with a password is better in a file of its own: SANDLOT_SMTP_URL_FILE
# names that of smtp-url, and so on. Of the Debian package it is /etc/sandlot/secrets/smtp-url.
`

// exampleValue returns the default of a flag, or the form of its values.
func exampleValue(f *kong.Flag) string {
	switch {
	case f.HasDefault:
		return f.Default
	case f.IsBool():
		return "true"
	}
	return f.FormatPlaceHolder()
}

// commented returns a text in lines of a comment.
func commented(text string) string {
	var out strings.Builder
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > exampleWidth {
			out.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	return out.String() + line + "\n"
}
