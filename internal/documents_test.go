package internal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// documents returns the text of every document by its path from the root of the repository.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/book/*.md"} {
		found, err := filepath.Glob(pattern)
		expect.OK(t, err)
		for _, name := range found {
			text, err := os.ReadFile(name)
			expect.OK(t, err)
			all[filepath.ToSlash(strings.TrimPrefix(name, "../"))] = string(text)
		}
	}
	return all
}

// quotedFile is a path in backquotes that ends like that of a file.
var quotedFile = regexp.MustCompile("`([\\w./-]+\\.(?:go|md|json|yaml|sql|html|js|css|svg))`")

func TestEveryFileNamedForContributorsExists(t *testing.T) {
	texts := documents(t)
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		found := quotedFile.FindAllStringSubmatch(texts[name], -1)
		if len(found) < 5 {
			t.Errorf("%s names only %d files", name, len(found))
		}
		for _, path := range found {
			_, fromRoot := os.Stat(filepath.Join("..", path[1]))
			_, fromHere := os.Stat(path[1])
			if fromRoot != nil && fromHere != nil {
				t.Errorf("%s names %s, which is neither in the root nor in internal", name, path[1])
			}
		}
	}
}

// TestTheReadmeListsEveryDocument but the pages of the book, which has a table of contents of its own.
func TestTheReadmeListsEveryDocument(t *testing.T) {
	texts := documents(t)
	for name := range texts {
		list, link := "README.md", name
		if page, ok := strings.CutPrefix(name, "docs/book/"); ok && page != "README.md" {
			list, link = "docs/book/README.md", page
		}
		if name != "README.md" && !strings.Contains(texts[list], "]("+link+")") {
			t.Errorf("%s does not list %s", list, name)
		}
	}
}

// TestNoSentenceStandsInTwoDocuments looks at sentences of eight words and more: shorter ones, and headings of
// tables, may be alike.
func TestNoSentenceStandsInTwoDocuments(t *testing.T) {
	code, ends, word := regexp.MustCompile("(?s)```.*?```"), regexp.MustCompile(`[.:;!?]\s|\n\n|\n[-#]|\|`), regexp.MustCompile(`[\w'-]+`)
	in := map[string]string{}
	for name, text := range documents(t) {
		for _, sentence := range ends.Split(code.ReplaceAllString(text, ""), -1) {
			words := word.FindAllString(strings.ToLower(sentence), -1)
			if len(words) < 8 {
				continue
			}
			said := strings.Join(words, " ")
			if other, ok := in[said]; ok && other != name {
				t.Errorf("%s and %s both say: %s", other, name, said)
			}
			in[said] = name
		}
	}
	if len(in) < 1000 {
		t.Errorf("only %d sentences were found", len(in))
	}
}

// mostLines is how long a decision may be.
const mostLines = 10

func TestDecisionsAreDatedAndShort(t *testing.T) {
	index, all, _ := strings.Cut(documents(t)["docs/decisions.md"], "\n## ")
	entries := strings.Split(all, "\n## ")
	if len(entries) < 100 {
		t.Fatalf("only %d decisions were found", len(entries))
	}
	heading := regexp.MustCompile(`^(\d{4}-\d\d-\d\d): \S.*[^.]$`)
	var dates []string
	for _, entry := range entries {
		title, text, _ := strings.Cut(entry, "\n\n")
		found := heading.FindStringSubmatch(title)
		if found == nil {
			t.Errorf("no date and title: %s", title)
			continue
		}
		dates = append(dates, found[1])
		if !strings.Contains(index, "["+strings.TrimPrefix(title, found[1]+": ")+"](") {
			t.Errorf("the index by subject lacks %s", title)
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if len(lines) > mostLines {
			t.Errorf("%s: %d lines", title, len(lines))
		}
		for _, line := range lines {
			if len([]rune(line)) > 160 {
				t.Errorf("%s: a line of %d characters", title, len([]rune(line)))
			}
		}
	}
	if !slices.IsSorted(dates) {
		t.Error("the newest is not last")
	}
}

func TestTheArchitectureNamesEveryFolder(t *testing.T) {
	text := documents(t)["ARCHITECTURE.md"]
	for folder := range arrows {
		if !strings.Contains(text, "`internal/"+folder+"`") {
			t.Errorf("ARCHITECTURE.md does not name internal/%s", folder)
		}
	}
}

// TestEveryRoomSaysWhatItIsFor in the comment of its package.
func TestEveryRoomSaysWhatItIsFor(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{if .GoFiles}}{{.Name}}: {{.Doc}}{{end}}", "..", "./...").Output()
	expect.OK(t, err, "go list")
	for line := range strings.Lines(string(out)) {
		name, doc, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name != "" && !strings.HasPrefix(doc, "Package "+name+" ") {
			t.Errorf("the comment of package %s begins %q", name, doc)
		}
	}
}
