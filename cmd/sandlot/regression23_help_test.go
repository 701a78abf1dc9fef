package main

import (
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"

	"github.com/alecthomas/kong"
)

// TestRegression23HelpNamesEveryDefault of every flag of every command: the value, or what happens without the flag.
func TestRegression23HelpNamesEveryDefault(t *testing.T) {
	var walk func(n *kong.Node)
	seen := 0
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			if f.Name == "help" || f.Required {
				continue
			}
			seen++
			switch _, told, ok := strings.Cut(f.Help, "(default: "); {
			case !ok || !strings.HasSuffix(told, ")"):
				t.Errorf("%s --%s: %q tells no default", n.FullPath(), f.Name, f.Help)
			case f.HasDefault && told != f.Default+")":
				t.Errorf("%s --%s: %q, and the default is %s", n.FullPath(), f.Name, f.Help, f.Default)
			}
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(model(t).Node)
	if seen < 100 {
		t.Errorf("only %d flags were seen", seen)
	}
}

// model is the program's command line.
func model(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := newParser()
	expect.OK(t, err)
	return parser.Model
}

// flagsOf are the flags of one command, by name.
func flagsOf(t *testing.T, command string) map[string]*kong.Flag {
	t.Helper()
	flags := map[string]*kong.Flag{}
	for _, c := range model(t).Children {
		if c.Name == command {
			for _, f := range c.Flags {
				flags[f.Name] = f
			}
		}
	}
	if len(flags) == 0 {
		t.Fatalf("there is no command %s", command)
	}
	return flags
}
