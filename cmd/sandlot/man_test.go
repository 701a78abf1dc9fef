package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"sandlot/internal/client/manual"
	"sandlot/internal/testkit/expect"
)

func TestTheManualPage(t *testing.T) {
	var page strings.Builder
	expect.OK(t, run(t.Context(), []string{"man"}, nil, &page, &page))

	t.Run("has every visible command and every flag", func(t *testing.T) {
		var walk func(n *kong.Node)
		walk = func(n *kong.Node) {
			below := manual.CommandsOf(n)
			if len(below) == 0 && !strings.Contains(page.String(), "\n.SS "+manual.Roff(strings.TrimPrefix(n.FullPath(), "sandlot "))) {
				t.Errorf("it lacks %s", n.FullPath())
			}
			for _, f := range n.Flags {
				if f.Name != "help" && !f.Hidden && !strings.Contains(page.String(), manual.Roff(f.Help)) {
					t.Errorf("it lacks --%s of %s", f.Name, n.FullPath())
				}
			}
			for _, c := range below {
				walk(c)
			}
		}
		walk(model(t).Node)
	})
	t.Run("explains a setting once", func(t *testing.T) {
		expect.Equal(t, "explanations of --base-url", strings.Count(page.String(), `\-\-base\-url=URL`), 1)
	})
	t.Run("is the same each time", func(t *testing.T) {
		var again strings.Builder
		expect.OK(t, run(t.Context(), []string{"man"}, nil, &again, &again))
		expect.Equal(t, "the page", again.String(), page.String())
	})
	t.Run("has no line that roff takes for a request of another kind", func(t *testing.T) {
		for line := range strings.Lines(page.String()) {
			if !regexp.MustCompile(`^(\.(TH|SH|SS|TP|PP|B|I) ?|[^.'])`).MatchString(line) {
				t.Error(line)
			}
		}
	})
	t.Run("is formatted without a warning", func(t *testing.T) {
		groff, err := exec.LookPath("groff")
		if err != nil {
			return // the rules above are what it would complain of
		}
		cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
		cmd.Stdin = strings.NewReader(page.String())
		said, err := cmd.CombinedOutput()
		expect.OK(t, err)
		expect.Equal(t, "warnings", string(said), "")
	})
}
