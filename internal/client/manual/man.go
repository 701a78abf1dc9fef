package manual

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Write writes the page of a command line, in the macros of man(7). It is the same in every build of the same sources.
// about explains the settings, which are the flags of one command.
func Write(w io.Writer, app *kong.Application, about, settings string) error {
	var page strings.Builder
	fmt.Fprintf(&page, ".TH SANDLOT 1 \"\" sandlot\n.SH NAME\nsandlot \\- %s\n", Roff(app.Help))
	of := slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == settings })
	m := manual{&page, helpOf(app.Children[of])}
	fmt.Fprint(&page, ".SH SYNOPSIS\n.B sandlot\n.I command\n[\\fIarguments\\fR]\n.SH SETTINGS\n", Roff(about), "\n")
	m.flags(app.Node)
	group := ""
	for _, c := range CommandsOf(app.Node) {
		if c.Group.Key != group {
			group = c.Group.Key
			fmt.Fprintf(&page, ".SH %s\n", strings.ToUpper(strings.TrimSuffix(c.Group.Title, ":")))
		}
		m.command(c)
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// A manual writes the commands of the page.
type manual struct {
	page     *strings.Builder
	settings map[string]string // the help of each flag of serve: it is printed there alone
}

// command writes a command and those below it.
func (m manual) command(n *kong.Node) {
	below := CommandsOf(n)
	if len(below) == 0 {
		fmt.Fprintf(m.page, ".SS %s\n%s\n", Roff(strings.TrimSuffix(n.Summary(), " [flags]")), Roff(n.Help))
		if n.Detail != "" {
			fmt.Fprintf(m.page, ".PP\n%s\n", Roff(n.Detail))
		}
		m.flags(n)
	}
	for _, c := range below {
		m.command(c)
	}
}

func (m manual) flags(n *kong.Node) {
	for _, arg := range n.Positional {
		fmt.Fprintf(m.page, ".TP\n\\fI%s\\fR\n%s\n", Roff(arg.Summary()), Roff(arg.Help))
	}
	var shared []string
	for _, f := range n.Flags {
		switch {
		case f.Hidden || f.Name == "help":
		case n.Name != "serve" && m.settings[f.Name] == f.Help:
			shared = append(shared, "--"+f.Name)
		default:
			fmt.Fprintf(m.page, ".TP\n\\fB%s\\fR\n%s\n", Roff(strings.TrimSpace(f.String())), Roff(f.Help))
		}
	}
	switch {
	case len(shared) == 0:
	case len(shared) == len(m.settings):
		fmt.Fprint(m.page, ".PP\nAll settings of serve.\n")
	default:
		fmt.Fprintf(m.page, ".PP\nAs for serve: %s.\n", Roff(strings.Join(shared, ", ")))
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

// Roff returns a text that the formatter prints as it is.
func Roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(strings.TrimSpace(text))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
