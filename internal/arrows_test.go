// Package internal_test checks the shape of the whole: which package may know which.
package internal_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// arrows are the folders of internal whose packages each folder may import, and the words, which are the module's root. Only cmd/sandlot,
// outside of this list, knows both the transports and the stores.
var arrows = map[string][]string{
	"domain":    {words, "domain", "format", "base"},
	"transport": {words, "transport", "domain", "format", "base"},
	"storage":   {words, "storage", "domain", "base"},
	"format":    {"format", "base"},
	"base":      {"base"},
	"client":    {words, "client", "format", "base"},
	"testkit":   {words, "testkit", "transport", "storage", "domain", "format", "base", "client"},
}

// words is the root package, and mayWords are the packages of ours that it may import.
const words = "sandlot"

var mayWords = []string{"format/names"}

// exceptions are arrows that no row has.
var exceptions = map[string][]string{
	"format/squeeze":   {words},            // the worker that compresses published files
	"storage/blob":     {"format/content"}, // reports whether bytes are text while it stores them
	"storage/blob/s3":  {"format/content"},
	"storage/sqlstore": {"format/names"}, // folds what is searched for
}

// outside are the modules that each package may use beside the standard library.
var outside = map[string][]string{
	"transport/api":           {"go.yaml.in/yaml/v3"},
	"transport/mcp":           {"github.com/modelcontextprotocol/go-sdk"},
	"transport/inbox":         {"github.com/emersion/go-smtp", "golang.org/x/net", "golang.org/x/text"},
	"transport/listen":        {"github.com/coreos/go-systemd/v22"},
	"storage/blob":            {"golang.org/x/sys"},
	"storage/datafolder":      {"golang.org/x/sys"},
	"storage/blob/cache":      {"golang.org/x/sync"},
	"storage/blob/s3":         {"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go"},
	"domain/account/oauth":    {"golang.org/x/sync"},
	"domain/admission":        {"golang.org/x/time"},
	"format/lure":             {"github.com/andybalholm/brotli", "github.com/makiuchi-d/gozxing", "github.com/tdewolff/parse/v2", "golang.org/x/image", "golang.org/x/net", "golang.org/x/text"},
	"format/check":            {"github.com/tdewolff/parse/v2", "golang.org/x/net"},
	"transport/web/card":      {"github.com/go-text/typesetting", "golang.org/x/image", "golang.org/x/text"},
	"base/catalog":            {"golang.org/x/text"},
	"client/cli":              {"github.com/klauspost/compress", "github.com/rogpeppe/go-internal", "golang.org/x/sync", "golang.org/x/term", "golang.org/x/text"},
	"client/doctor":           {"golang.org/x/net"},
	"client/manual":           {"github.com/alecthomas/kong"},
	"format/content":          {"github.com/emmansun/base64", "github.com/klauspost/compress"},
	"domain/transfer":         {"github.com/klauspost/compress"},
	"domain/cover":            {"golang.org/x/net"},
	"domain/operate/judge":    {"golang.org/x/net"},
	"transport/play/front":    {"golang.org/x/sys"},
	"transport/certificate":   {"github.com/caddyserver/certmagic", "github.com/libdns", "go.uber.org/zap"},
	"transport/guide":         {"github.com/yuin/goldmark", "go.yaml.in/yaml/v3"},
	"storage/oidc":            {"github.com/coreos/go-oidc/v3", "golang.org/x/oauth2"},
	"storage/mail":            {"github.com/wneessen/go-mail"},
	"format/names":            {"golang.org/x/net", "golang.org/x/text"},
	"transport/web/paper":     {"github.com/yuin/goldmark", "golang.org/x/net"},
	"format/picture":          {"golang.org/x/image"},
	"transport/play":          {"github.com/maypok86/otter/v2", "golang.org/x/sync", "github.com/klauspost/compress", "github.com/andybalholm/brotli"},
	"storage/redis":           {"github.com/gomodule/redigo"},
	"testkit/redistest":       {"github.com/gomodule/redigo"},
	"storage/sqlstore/sqlite": {"modernc.org/sqlite"},
	"format/squeeze":          {"github.com/klauspost/compress", "github.com/andybalholm/brotli"},
	"format/unpack":           {"github.com/klauspost/compress", "golang.org/x/text"},
	"transport/web":           {"golang.org/x/text", "github.com/maypok86/otter/v2", "github.com/boombuler/barcode", "github.com/rogpeppe/go-internal"},
	"transport/web/texts":     {"golang.org/x/text"},
	"testkit/testenv":         {"github.com/chromedp/chromedp", "github.com/jackc/pgx/v5", "golang.org/x/net"},
	"testkit/expect":          {"github.com/google/go-cmp"},
	"testkit/storetest":       {"github.com/google/go-cmp"},
	"testkit/testworld":       {"github.com/google/go-cmp", "github.com/jackc/pgx/v5"},

	"storage/sqlstore/postgres": {"github.com/jackc/pgx/v5"},

	"domain/trial/browser": {"github.com/chromedp/chromedp", "github.com/chromedp/cdproto", "golang.org/x/net", "golang.org/x/sys"},
}

func TestArrowsPointInward(t *testing.T) {
	used := map[string]int{}
	for name, imports := range list(t) {
		folder, _, _ := strings.Cut(name, "/")
		folders, known := arrows[folder]
		if !known {
			t.Errorf("internal/%s is in none of the seven folders", name)
		}
		for _, path := range imports {
			inside, ours := strings.CutPrefix(path, "sandlot/internal/")
			to, _, _ := strings.Cut(inside, "/")
			if path == words {
				to = words
			}
			switch {
			case path == words+"/examples": // files alone
			case ours || path == words:
				if slices.Contains(exceptions[name], inside) {
					used[name]++
				} else if !slices.Contains(folders, to) {
					t.Errorf("internal/%s must not import %s", name, path)
				}
			case !allowed(outside[name], path):
				t.Errorf("internal/%s must not import %s", name, path)
			}
		}
	}
	for name, paths := range exceptions {
		if used[name] != len(paths) {
			t.Errorf("internal/%s imports %d of %q: remove the others from the exceptions", name, used[name], paths)
		}
	}
	for _, path := range imports(t, words)[words] {
		if inside, ours := strings.CutPrefix(path, "sandlot/internal/"); ours && !slices.Contains(mayWords, inside) || !ours && !allowed(nil, path) {
			t.Errorf("the words must not import %s", path)
		}
	}
}

// TestAFolderHasAtMostTenRooms so that a reader can hold it in mind.
func TestAFolderHasAtMostTenRooms(t *testing.T) {
	for folder := range arrows {
		entries, err := os.ReadDir(folder)
		expect.OK(t, err)
		if len(entries) > 10 {
			t.Errorf("internal/%s has %d rooms", folder, len(entries))
		}
	}
}

func TestOnlyTestsImportWhatIsForTests(t *testing.T) {
	for name, imports := range imports(t, "sandlot/...") {
		if forTests(name) {
			continue
		}
		for _, path := range imports {
			if forTests(path) {
				t.Errorf("%s must not import %s: only tests may", name, path)
			}
		}
	}
}

func forTests(path string) bool {
	return strings.HasPrefix(path, "sandlot/internal/testkit/")
}

func TestTheDomainKnowsNeitherHTTPNorSQL(t *testing.T) {
	for name, imports := range list(t) {
		if !strings.HasPrefix(name, "domain/") || name == "domain/trial/browser" { // which speaks HTTP with Chromium
			continue
		}
		for _, path := range imports {
			if path == "net/http" || strings.HasPrefix(path, "database/") {
				t.Errorf("internal/%s imports %s", name, path)
			}
		}
	}
}

// allowed reports whether path is of the standard library or of one of the modules.
func allowed(modules []string, path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") || slices.ContainsFunc(modules, func(m string) bool {
		return path == m || strings.HasPrefix(path, m+"/")
	})
}

// list returns the imports of each package under internal, without those of tests.
func list(t *testing.T) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	for path, paths := range imports(t, "sandlot/internal/...") {
		if name, ok := strings.CutPrefix(path, "sandlot/internal/"); ok {
			packages[name] = paths
		}
	}
	return packages
}

// imports returns the imports of each package that the pattern names, without those of tests.
func imports(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", pattern).Output()
	expect.OK(t, err, "go list")
	packages := map[string][]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		packages[fields[0]] = fields[1:]
	}
	if len(packages) < 10 && pattern != words {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	return packages
}
