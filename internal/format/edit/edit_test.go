package edit

import (
	"bytes"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

const page = "<h1>Hi</h1>\n<p>One</p>\n<p>Two</p>\n\tlet a = 1\n"

func TestAnEditReplacesATextThatStandsOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edits []Edit
		want  string
	}{
		"one":                                  {[]Edit{{Old: "One", New: "1"}}, strings.Replace(page, "One", "1", 1)},
		"each on the result of the one before": {[]Edit{{Old: "One", New: "Three"}, {Old: "Three</p>\n", New: ""}}, strings.Replace(page, "<p>One</p>\n", "<p>", 1)},
		"the whole":                            {[]Edit{{Old: page, New: "x"}}, "x"},
		"an unchanged one":                     {[]Edit{{Old: "One", New: "One"}}, page},
		"none":                                 {nil, page},
	} {
		got, bad := Apply([]byte(page), c.edits)
		if bad != nil || string(got) != c.want {
			t.Errorf("%s: %q, %+v", name, got, bad)
		}
	}
}

func TestAnEditThatCannotBeMadeSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, old string
		want      Fault
	}{
		"nowhere":                        {page, "quite another", Fault{Reason: NotFound}},
		"nearly":                         {page, "<h1>Ho</h1>", Fault{Reason: NotFound, Near: Line{1, "<h1>Hi</h1>"}}},
		"the line that differs":          {page, "<p>One</p>\n<p>2</p>", Fault{Reason: NotFound, Near: Line{3, "<p>Two</p>"}}},
		"from the middle of a line":      {page, "One</p>\n<p>2</p>", Fault{Reason: NotFound, Near: Line{3, "<p>Two</p>"}}},
		"other blanks":                   {page, "  let a = 1\n", Fault{Reason: Blanks, Near: Line{4, "let a = 1"}}},
		"other line ends":                {strings.ReplaceAll(page, "\n", "\r\n"), "One</p>\n<p>Two", Fault{Reason: LineEnds, Near: Line{2, "<p>One</p>"}}},
		"other line ends in old":         {page, "One</p>\r\n<p>Two", Fault{Reason: LineEnds, Near: Line{2, "<p>One</p>"}}},
		"three times":                    {page, "p>\n", Fault{Reason: Ambiguous, Count: 2, Lines: []int{2, 3}}},
		"twice in a line":                {page, "h1>", Fault{Reason: Ambiguous, Count: 2, Lines: []int{1}}},
		"over itself":                    {"aaa", "aa", Fault{Reason: Ambiguous, Count: 2, Lines: []int{1}}},
		"more often than is listed":      {strings.Repeat("x\n", 30), "x", Fault{Reason: Ambiguous, Count: 11, Lines: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}},
		"in a file of one long line":     {strings.Repeat("a", 1000) + "let speed = 12;" + strings.Repeat("b", 1000), "let speed = 13;", Fault{Reason: NotFound, Near: Line{1, strings.Repeat("a", 137) + "let speed = 12;" + strings.Repeat("b", 48)}}},
		"in an empty file":               {"", "a", Fault{Reason: NotFound}},
		"blanks alone, that are no line": {"a", "\n\n", Fault{Reason: NotFound}},
	} {
		c.want.Edit = Edit{Index: 1, Old: c.old}
		got, bad := Apply([]byte(c.text), []Edit{c.want.Edit})
		expect.Same(t, name, bad, &c.want)
		if got != nil {
			t.Errorf("%s: there is a result: %q", name, got)
		}
	}
}

func TestALongTextIsSearchedInLittleTime(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("ab\n"), 1<<20)
	if _, bad := Apply(text, []Edit{{Old: strings.Repeat("ab\n", 1<<17) + "c"}}); bad == nil || bad.Near.N == 0 {
		t.Errorf("%+v", bad)
	}
}

func FuzzApply(f *testing.F) {
	f.Add(page, "One", "1")
	f.Add("a\r\nb", "a\nb", "")
	f.Fuzz(func(t *testing.T, text, old, replacement string) {
		if old == "" {
			return
		}
		got, bad := Apply([]byte(text), []Edit{{Old: old, New: replacement}})
		switch {
		case bad == nil:
			if strings.Count(text, old) != 1 || string(got) != strings.Replace(text, old, replacement, 1) {
				t.Errorf("%q", got)
			}
		case bad.Reason == Ambiguous:
			if strings.Index(text, old) == strings.LastIndex(text, old) || len(bad.Lines) == 0 || len(bad.Lines) > MostLines {
				t.Errorf("%+v", bad)
			}
		default:
			if strings.Contains(text, old) || bad.Near.N > 1+strings.Count(text, "\n") || len(bad.Near.Text) > mostText {
				t.Errorf("%+v", bad)
			}
		}
	})
}
