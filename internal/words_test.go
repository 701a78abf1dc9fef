package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// rooms are those of the domain, and what words their answers: whatever speaks HTTP stands above them.
var rooms = []string{"..", "domain/publish", "domain/account", "domain/gallery", "domain/operate", "domain/transfer", "format/inspect"}

// ofHTTP finds the words that only HTTP has, and the tools and formats that speak it.
var ofHTTP = regexp.MustCompile(`(?i:\bheaders?\b|\bAuthorization\b|\bbearer\b|\bcurl\b|/v1\b|\bcookies?\b|\brequest body\b|\bstatus codes?\b)` +
	`|\b(GET|HEAD|POST|PUT|PATCH|DELETE|HTTP|JSON)\b|\b(Retry-After|Content-Type|Content-Length|Idempotency-Key|If-Match|User-Agent|RateLimit)\b|net/http`)

// notOfHTTP are the lines that have such a word and mean something else.
var notOfHTTP = []string{
	"The package knows neither HTTP nor SQL.",
	`Seems{"HTML inside a JSON string"`,                 // what a file holds
	`Seems{"JSON", sendPage}`,                           // likewise
	`[]string{"http:", "https:", "ws:", "wss:", "HTTP:`, // what a page links to
	"|head|header|hr|html|",                             // elements of HTML
	"a header of 10 bytes",                              // of gzip
	"skipHeader reads a gzip header",
	"a gzip header that begins",
	"small writes of ZIP headers",
}

// TestTheDomainSaysNothingOfHTTP so that its messages fit every transport, and its rules stand in none of them.
func TestTheDomainSaysNothingOfHTTP(t *testing.T) {
	used := map[string]bool{}
	for _, room := range rooms {
		files, err := filepath.Glob(filepath.Join(room, "*.go"))
		expect.OK(t, err)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				lookForHTTP(t, file, used)
			}
		}
	}
	for _, text := range notOfHTTP {
		if !used[text] {
			t.Errorf("no line has %q any more: take it out of the list", text)
		}
	}
}

func lookForHTTP(t *testing.T, file string, used map[string]bool) {
	t.Helper()
	source, err := os.ReadFile(file)
	expect.OK(t, err)
	n := 0
	for line := range strings.Lines(string(source)) {
		n++
		word := ofHTTP.FindString(line)
		for _, text := range notOfHTTP {
			if word != "" && strings.Contains(line, text) {
				word, used[text] = "", true
			}
		}
		if word != "" {
			t.Errorf("internal/%s:%d says %q: %s", file, n, word, strings.TrimSpace(line))
		}
	}
}
