// Package internal_test checks the shape of the whole: which package may know which.
package internal_test

import (
	"bufio"
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/expect"
)

// arrows are the packages of ours that each package may import. What is not
// listed may import none. Only main, outside of this list, knows both the
// transports and the stores.
var arrows = map[string][]string{
	"account":      {"failpoint", "names", "publish", "turns", "worker"},
	"archive":      {"mediatype", "publish"},
	"api":          {"admission", "content", "cover", "failpoint", "figures", "hint", "inspect", "mediatype", "names", "publish", "ticket", "transfer", "trial", "turns", "unpack"},
	"blob":         {"checkpoint", "content", "durable", "failpoint", "publish"},
	"blob/cache":   {"blob", "checkpoint", "publish"},
	"blob/crashfs": {"blob"},
	"blob/s3":      {"blob", "content", "failpoint", "publish"},
	"admission":    {"publish"},
	"check":        {"inspect", "names"},
	"checkpoint":   {},
	"card":         {}, // knows texts and pictures alone
	"catalog":      {},
	"cli":          {"client"},
	"client":       {}, // not even publish: it stands outside of the service
	"content":      {},
	"cover":        {"names", "picture", "publish", "spool", "turns", "worker"},
	"durable":      {},
	"expect":       {}, // tests only
	"front":        {},
	"failpoint":    {},
	"figures":      {"publish"},
	"gallery":      {"figures", "names", "publish", "turns", "worker"},
	"guide":        {"admission", "publish"},
	"hint":         {"inspect", "mediatype", "names", "publish"},
	"inspect":      {"checkpoint", "content", "names"},
	"linediff":     {},
	"live":         {"gallery", "publish"},
	"live/redis":   {"gallery", "live", "publish", "redis"},
	"mail":         {"account", "catalog", "durable"},
	"mediatype":    {},
	"model":        {}, // tests only
	"names":        {},
	"operate":      {"failpoint", "inspect", "names", "publish", "worker"},
	"picture":      {}, // knows pictures alone
	"play":         {"admission", "catalog", "content", "figures", "gallery", "mediatype", "names", "publish"},
	"paper":        {},
	"publish":      {"check", "checkpoint", "content", "failpoint", "inspect", "names", "spool", "tree", "turns", "unpack", "worker"},
	"sqlstore":     {"account", "cover", "failpoint", "figures", "gallery", "names", "operate", "people", "publish", "sqlstore/engine", "sqlstore/postgres", "sqlstore/sqlite", "ticket", "trial", "worker"},
	"people":       {"names", "publish"},
	"redis":        {"admission", "publish"},

	"sqlstore/engine":   {"publish"},
	"sqlstore/postgres": {"failpoint", "publish", "sqlstore/engine"},
	"sqlstore/sqlite":   {"durable", "failpoint", "publish", "sqlstore/engine"},

	"redis/redistest": {"testenv"}, // tests only

	"trial":         {"publish", "worker"},
	"trial/browser": {"inspect", "trial"},

	"spool":     {},
	"squeeze":   {"failpoint", "mediatype", "publish", "worker"},
	"storetest": {"account", "checkpoint", "cover", "expect", "figures", "gallery", "operate", "people", "publish", "testenv", "ticket", "trial"},
	"testenv":   {},
	"unpack":    {},                                                                                                                                                                                                        // knows archives alone
	"testworld": {"account", "blob", "blob/cache", "blob/s3", "cover", "expect", "figures", "gallery", "live", "live/redis", "operate", "publish", "redis", "sqlstore", "sqlstore/postgres", "testenv", "ticket", "trial"}, // tests only
	"ticket":    {"inspect", "names", "publish"},
	"transfer":  {"inspect", "names", "publish", "spool", "tree", "unpack"},
	"tree":      {"names"},
	"turns":     {},
	"web":       {"account", "admission", "card", "catalog", "check", "content", "cover", "examples", "figures", "gallery", "linediff", "mediatype", "names", "operate", "paper", "picture", "people", "publish", "trial", "turns"},
	"wording":   {}, // tests only
	"worker":    {},
}

// outside are the modules that each package may use beside the standard library.
var outside = map[string][]string{
	"archive":         {"github.com/klauspost/compress"},
	"api":             {"go.yaml.in/yaml/v3"},
	"blob":            {"golang.org/x/sys"},
	"blob/s3":         {"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go"},
	"admission":       {"golang.org/x/time"},
	"check":           {"github.com/tdewolff/parse/v2"},
	"card":            {"github.com/go-text/typesetting", "golang.org/x/image", "golang.org/x/text"},
	"catalog":         {"golang.org/x/text"},
	"cli":             {"github.com/go-git/go-git/v5", "github.com/klauspost/compress", "github.com/schollz/progressbar/v3", "golang.org/x/term", "golang.org/x/text"},
	"content":         {"github.com/emmansun/base64", "github.com/klauspost/compress"},
	"cover":           {"golang.org/x/net"},
	"front":           {"golang.org/x/sys"},
	"guide":           {"github.com/yuin/goldmark", "go.yaml.in/yaml/v3"},
	"mail":            {"github.com/wneessen/go-mail"},
	"live/redis":      {"github.com/redis/go-redis/v9"},
	"names":           {"golang.org/x/net", "golang.org/x/text"},
	"paper":           {"github.com/yuin/goldmark", "golang.org/x/net"},
	"picture":         {"golang.org/x/image"},
	"play":            {"github.com/maypok86/otter/v2", "golang.org/x/sync"},
	"redis":           {"github.com/redis/go-redis/v9"},
	"redis/redistest": {"github.com/redis/go-redis/v9"},
	"sqlstore/sqlite": {"modernc.org/sqlite", "modernc.org/libc"},
	"squeeze":         {"github.com/klauspost/compress", "github.com/andybalholm/brotli"},
	"unpack":          {"github.com/klauspost/compress", "golang.org/x/text"},
	"web":             {"golang.org/x/text", "github.com/boombuler/barcode"},
	"testenv":         {"github.com/chromedp/chromedp", "github.com/jackc/pgx/v5", "golang.org/x/net"},
	"expect":          {"github.com/google/go-cmp"},
	"storetest":       {"github.com/google/go-cmp"},
	"testworld":       {"github.com/google/go-cmp", "github.com/jackc/pgx/v5"},

	"sqlstore/postgres": {"github.com/jackc/pgx/v5"},

	"trial/browser": {"github.com/chromedp/chromedp", "github.com/chromedp/cdproto", "golang.org/x/sys"},
}

func TestArrowsPointInward(t *testing.T) {
	for name, imports := range list(t) {
		ours, known := arrows[name]
		if !known {
			t.Errorf("internal/%s is not in the list of arrows", name)
		}
		for _, path := range imports {
			if inside, ok := strings.CutPrefix(path, "sandlot/"); ok {
				if !slices.Contains(ours, strings.TrimPrefix(inside, "internal/")) {
					t.Errorf("internal/%s must not import %s", name, path)
				}
			} else if !allowed(outside[name], path) {
				t.Errorf("internal/%s must not import %s", name, path)
			}
		}
	}
}

func TestOnlyTestsImportWhatIsForTests(t *testing.T) {
	forTests := []string{"sandlot/internal/expect", "sandlot/internal/model", "sandlot/internal/redis/redistest", "sandlot/internal/storetest", "sandlot/internal/testenv", "sandlot/internal/testworld", "sandlot/internal/wording"}
	for name, imports := range imports(t, "sandlot/...") {
		if slices.Contains(forTests, name) {
			continue
		}
		for _, path := range imports {
			if slices.Contains(forTests, path) {
				t.Errorf("%s must not import %s: only tests may", name, path)
			}
		}
	}
}

func TestTheDomainKnowsNeitherHTTPNorSQL(t *testing.T) {
	for _, room := range rooms {
		for _, path := range list(t)[room] {
			if path == "net/http" || strings.HasPrefix(path, "database/") {
				t.Errorf("internal/%s imports %s", room, path)
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
	if len(packages) < 10 {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	return packages
}
