package names

import (
	"strings"
	"testing"
)

func TestDocumentTitle(t *testing.T) {
	tests := []struct{ name, head, want string }{
		{"nothing", "", ""},
		{"plain text", "Space Cats", ""},
		{"a document", "<!doctype html><html><head><meta charset=utf-8><title>Space Cats</title></head><body>", "Space Cats"},
		{"without html and head", "<title>Space Cats</title>", "Space Cats"},
		{"behind a byte order mark", "\ufeff<!doctype html><title>Space Cats</title>", "Space Cats"},
		{"in capitals, with attributes", "<HTML><TITLE lang=en>Space Cats</TITLE>", "Space Cats"},
		{"blanks around are dropped, those inside are kept as they are", "<title>\n  Space\n  Cats </title>", "Space\n  Cats"},
		{"entities", "<title>Cats &amp; Dogs &lt;3 &#x1F3AE;</title>", "Cats & Dogs <3 🎮"},
		{"markup inside is text", "<title>Space <b>Cats</b></title>", "Space <b>Cats</b>"},
		{"the first of two", "<title>One</title><title>Two</title>", "One"},
		{"an empty one", "<title></title><h1>Space Cats</h1>", ""},
		{"an empty one before another", "<title></title><title>Two</title>", ""},
		{"in a comment", "<!-- <title>No</title> --><title>Yes</title>", "Yes"},
		{"in a script", "<script>document.write('<title>No</title>')</script><title>Yes</title>", "Yes"},
		{"in a style", "<style>/* <title>No</title> */</style><title>Yes</title>", "Yes"},
		{"in an svg", "<svg><title>No</title></svg>", ""},
		{"in the body", "<body><title>No</title>", ""},
		{"cut off inside", "<title>Space Ca", ""},
		{"cut off in the end tag", "<title>Space Cats</tit", ""},
		{"cut off before", "<!doctype html><head><meta", ""},
		{"an attribute that holds a title", `<meta content="<title>No</title>"><title>Yes</title>`, "Yes"},
		{"a custom element", "<title-bar>No</title-bar><title>Yes</title>", "Yes"},
		{"invalid UTF-8 does no harm", "<title>a\xffb</title>", "a\xffb"},
		{"longer than a title may be", "<title>" + strings.Repeat("a", 10_000) + "</title>", strings.Repeat("a", 10_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := DocumentTitle([]byte(tt.head)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
