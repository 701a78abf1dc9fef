package guide

import "testing"

// TestWhatIsSentForAnAccept of browsers, of programs, and of models.
func TestWhatIsSentForAnAccept(t *testing.T) {
	t.Parallel()
	const html, markdown, json = kindHTML, kindMarkdown, kindJSON
	for _, row := range []struct{ who, accept, want string }{
		{"nothing", "", html},
		{"curl", "*/*", html},
		{"Firefox", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", html},
		{"Chrome", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7", html},
		{"a model's reader", "text/markdown, text/html, */*", markdown},
		{"a model's reader that prefers HTML", "text/html, text/markdown;q=0.9", html},
		{"axios", "application/json, text/plain, */*", json},
		{"a program", "application/json", json},
		{"a program with a charset", "application/json; charset=utf-8", json},
		{"Markdown", "text/markdown", markdown},
		{"Markdown in capitals", "TEXT/MARKDOWN", markdown},
		{"any text", "text/*", html},
		{"text, but no HTML", "text/*, text/html;q=0", markdown},
		{"anything but HTML", "text/html;q=0, */*", markdown},
		{"JSON before Markdown", "text/markdown;q=0.5, application/json;q=0.6", json},
		{"JSON and HTML alike", "application/json, text/html", html},
		{"what is not to be had", "image/png", html},
		{"nothing at all", "*/*;q=0", html},
		{"a weight that is none", "text/markdown;q=x", markdown},
		{"a weight beyond one", "text/markdown;q=7", markdown},
		{"not a number", "application/json;q=NaN, text/html;q=0.1", json},
		{"noise", ";;,,=/ , text/markdown", markdown},
	} {
		if got := choose([]string{row.accept}, html, markdown, html, json); got != row.want {
			t.Errorf("%s (%s) gets %s, not %s", row.who, row.accept, got, row.want)
		}
	}
	if got := choose([]string{"image/png", "application/json"}, html, markdown, html, json); got != json {
		t.Errorf("of two headers it gets %s", got)
	}
}
