package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type manCommand struct{}

// Run prints the manual page, in the macros of man(7). It is made from the command line itself, and the same in every
// build of the same sources.
func (manCommand) Run(t *terminal, app *kong.Application) error {
	var page strings.Builder
	fmt.Fprintf(&page, ".TH SANDLOT 1 \"\" sandlot\n.SH NAME\nsandlot \\- %s\n", roff(app.Help))
	serve := slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == "serve" })
	m := manual{&page, helpOf(app.Children[serve])}
	fmt.Fprint(&page, ".SH SYNOPSIS\n.B sandlot\n.I command\n[\\fIarguments\\fR]\n.SH SETTINGS\n", roff(aboutSettings), "\n")
	m.flags(app.Node)
	for _, group := range []string{clientGroup, serverGroup} {
		fmt.Fprintf(&page, ".SH %s\n", strings.ToUpper(strings.TrimSuffix(groupTitles[group], ":")))
		for _, c := range commandsOf(app.Node) {
			if c.Group.Key == group {
				m.command(c)
			}
		}
	}
	_, err := io.WriteString(t.out, page.String())
	return err
}

const aboutSettings = "Every flag of the commands that run a server is also a variable and a line of a YAML file: --base-url, " +
	"SANDLOT_BASE_URL, base-url. A flag wins over a variable, a variable over the file of --config FILE. A secret can be in a file " +
	"of its own: SANDLOT_SMTP_URL_FILE=FILE. sandlot config check prints the settings in force and their sources."

// A manual writes the commands of the page.
type manual struct {
	page     *strings.Builder
	settings map[string]string // the help of each flag of serve: it is printed there alone
}

// command writes a command and those below it.
func (m manual) command(n *kong.Node) {
	below := commandsOf(n)
	if len(below) == 0 {
		fmt.Fprintf(m.page, ".SS %s\n%s\n", roff(strings.TrimSuffix(n.Summary(), " [flags]")), roff(n.Help))
		if n.Detail != "" {
			fmt.Fprintf(m.page, ".PP\n%s\n", roff(n.Detail))
		}
		m.flags(n)
	}
	for _, c := range below {
		m.command(c)
	}
}

func (m manual) flags(n *kong.Node) {
	for _, arg := range n.Positional {
		fmt.Fprintf(m.page, ".TP\n\\fI%s\\fR\n%s\n", roff(arg.Summary()), roff(arg.Help))
	}
	var shared []string
	for _, f := range n.Flags {
		switch {
		case f.Hidden || f.Name == "help":
		case n.Name != "serve" && m.settings[f.Name] == f.Help:
			shared = append(shared, "--"+f.Name)
		default:
			fmt.Fprintf(m.page, ".TP\n\\fB%s\\fR\n%s\n", roff(strings.TrimSpace(f.String())), roff(f.Help))
		}
	}
	switch {
	case len(shared) == 0:
	case len(shared) == len(m.settings):
		fmt.Fprint(m.page, ".PP\nAll settings of serve.\n")
	default:
		fmt.Fprintf(m.page, ".PP\nAs for serve: %s.\n", roff(strings.Join(shared, ", ")))
	}
}

// helpOf returns the help of each flag of a command, by name.
func helpOf(n *kong.Node) map[string]string {
	help := map[string]string{}
	for _, f := range n.Flags {
		if !f.Hidden && f.Name != "help" {
			help[f.Name] = f.Help
		}
	}
	return help
}

// roff returns a text that the formatter prints as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(strings.TrimSpace(text))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
