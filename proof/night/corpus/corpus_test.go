package corpus

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"
	"sandlot/internal/testkit/expect"
)

// night has the pages of all tests that do not compare seeds.
var night = sync.OnceValue(func() []Page { return Phishing(1, 500) })

// print returns a hash of all files of a page.
func (p Page) print() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		fmt.Fprintf(h, "%s %d %s", name, len(p.Files[name]), p.Files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestThePagesAreTheSameForASeed(t *testing.T) {
	again, other := Phishing(3, 60), Phishing(4, 60)
	same := 0
	for i, p := range Phishing(3, 60) {
		expect.Equal(t, "phishing", again[i].print(), p.print())
		expect.Equal(t, "title", again[i].Title, p.Title)
		if other[i].print() == p.print() {
			same++
		}
	}
	expect.Equal(t, "pages of another seed that are the same", same, 0)
	games := Honest(3, 60)
	for i, p := range Honest(3, 60) {
		expect.Equal(t, "honest", games[i].print(), p.print())
		expect.Equal(t, "report", Report(p, i), Report(games[i], i))
	}
}

func TestTheNightHasItsProportions(t *testing.T) {
	pages := night()
	expect.Equal(t, "pages", len(pages), 500)
	ways, kinds, bytesOf := map[string]int{}, map[string]int{}, map[string]int{}
	for _, p := range pages {
		ways[p.Way]++
		kinds[p.Kind]++
		bytesOf[p.print()]++
	}
	for _, s := range shares {
		expect.Equal(t, s.way, ways[s.way], 500*s.percent/100)
	}
	for _, kind := range kindOf {
		expect.Equal(t, "at least 20 of "+kind, kinds[kind] >= 20, true)
	}
	expect.Equal(t, fmt.Sprintf("about a third repeated, %d different", len(bytesOf)), len(bytesOf) > 310 && len(bytesOf) < 350, true)
}

func TestTheHonestPagesHaveFewPasswords(t *testing.T) {
	pages, passwords, field := Honest(1, 100), 0, regexp.MustCompile(`(?i)type=["']?password`)
	for _, p := range pages {
		if p.Password {
			passwords++
		}
		expect.Equal(t, "a field for a password in "+p.Title, field.Match(bytes.Join(slices.Collect(maps.Values(p.Files)), nil)), p.Password)
	}
	expect.Equal(t, fmt.Sprintf("between 1 and 4 of 100, not %d", passwords), passwords >= 1 && passwords <= 4, true)
}

// reserved matches an address on a reserved name, or a name in the standard of SVG.
var reserved = regexp.MustCompile(`^(https?|wss?)://([a-z0-9.-]+\.(example|test|invalid)|www\.w3\.org)(/|\?|#|$)`)

func TestEachPageHasAnIndexAndStaysSmall(t *testing.T) {
	address := regexp.MustCompile(`(https?|wss?)://[^"'<>\x60 )\\]+`)
	for _, p := range slices.Concat(night(), Honest(1, 100)) {
		size := 0
		for name, data := range p.Files {
			size += len(data)
			for _, found := range address.FindAllString(string(data), -1) {
				expect.Equal(t, found+" in "+name+" is reserved", reserved.MatchString(found), true)
			}
		}
		expect.Equal(t, fmt.Sprintf("%s %s has %d bytes", p.Way, p.Trick, size), size > 150 && size < 300_000, true)
		root, err := html.Parse(bytes.NewReader(p.Files["index.html"]))
		expect.OK(t, err)
		expect.Equal(t, "a body in "+p.Trick, root.FirstChild != nil && strings.Contains(string(p.Files["index.html"]), "<"), true)
		expect.Equal(t, "a title of "+p.Trick, p.Title != "", true)
	}
}

func TestAReportNamesTheHost(t *testing.T) {
	p := Page{Lang: "de", Title: "Sparkasse", Files: map[string][]byte{}}
	named := 0
	for i := range 12 {
		text := Paste(Report(p, i), "blue-fox.example")
		expect.Equal(t, text+" has no holes", !strings.Contains(text, "{"), true)
		if strings.Contains(text, "blue-fox.example") || strings.Contains(text, "blue-fox[.]example") {
			named++
		}
	}
	expect.Equal(t, "some reports have the host", named > 2 && named < 12, true)
}
