package internal_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

var (
	fenced    = regexp.MustCompile("(?ms)^```.*?^```$")
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link      = regexp.MustCompile(`\]\(([^):\s]+)\)`)
	notAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors returns the anchors of a document's headings, as GitHub makes them.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		all[strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-")] = true
	}
	return all
}

func TestEveryLinkOfADocumentLeadsSomewhere(t *testing.T) {
	texts, links := documents(t), 0
	for name, text := range texts {
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			links++
			file, anchor, _ := strings.Cut(found[1], "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join("..", to)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if known := texts[to]; anchor != "" && known != "" && !anchors(known)[anchor] {
				t.Errorf("%s leads to %s, which has no heading for #%s", name, to, anchor)
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

var (
	yamls       = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")
	setting     = regexp.MustCompile(`(?m)^([a-z][a-z-]+): `)
	quoted      = regexp.MustCompile("`([a-z][a-z-]+): [^`\n]+`")
	bookCommand = regexp.MustCompile(`(?m)(?:^|[ (])sandlot ((?:admin |config )?[a-z][a-z-]+)([^\n|&;]*)`)
	consoles    = regexp.MustCompile("(?ms)^```console.*?\n(.*?)^```$")
	longFlag    = regexp.MustCompile(`--[a-z][a-z-]+`)
)

// TestTheBookNamesMetricsThatExist in its page of metrics, which another test compares with the program.
func TestTheBookNamesMetricsThatExist(t *testing.T) {
	texts, found := documents(t), 0
	for name, text := range texts {
		if path.Dir(name) != "docs/book" {
			continue
		}
		for _, metric := range regexp.MustCompile(`\b(sandlot_[a-z_]+)[^\w-]`).FindAllStringSubmatch(text, -1) {
			found++
			expect.Contains(t, name, texts["docs/book/metrics.md"], "`"+metric[1]+"`")
		}
	}
	expect.Equal(t, "metrics were found", found > 0, true)
}

var (
	firstCell = regexp.MustCompile(`(?m)^\| (` + "`" + `[^|]*) \|`)
	limitCell = regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| `([^|]*)` \\| `([^|]*)` \\|")
	limitLine = regexp.MustCompile(`(?m)^# limit: +(\S+)`)
	backquote = regexp.MustCompile("`([^`]*)`")
)

// TestThePageOfSettingsHasAllOfThem and nothing else, as "config example" prints them.
func TestThePageOfSettingsHasAllOfThem(t *testing.T) {
	t.Parallel()
	example, err := exec.Command(testenv.Binary(t), "config", "example").Output()
	expect.OK(t, err)
	var want, got []string
	for _, found := range regexp.MustCompile(`(?m)^#([a-z-]+): `).FindAllStringSubmatch(string(example), -1) {
		want = append(want, found[1])
	}
	for _, cell := range firstCell.FindAllStringSubmatch(documents(t)["docs/book/settings.md"], -1) {
		for _, name := range backquote.FindAllStringSubmatch(cell[1], -1) {
			got = append(got, name[1])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	expect.Equal(t, "settings", strings.Join(got, " "), strings.Join(want, " "))
}

// TestThePageOfLimitsHasAllOfThem with the rates of normal and strict, as "config check" prints them.
func TestThePageOfLimitsHasAllOfThem(t *testing.T) {
	t.Parallel()
	bin, page := testenv.Binary(t), documents(t)["docs/book/limits.md"]
	for column, mode := range map[int]string{2: "normal", 3: "strict"} {
		out, err := exec.Command(bin, "config", "check", "--limits", mode, "--data", t.TempDir()).Output()
		expect.OK(t, err)
		var got []string
		for _, row := range limitCell.FindAllStringSubmatch(page, -1) {
			got = append(got, row[1]+"="+row[column])
		}
		found := limitLine.FindStringSubmatch(string(out))
		expect.Equal(t, mode+" is printed", len(found), 2)
		expect.Equal(t, mode, strings.Join(got, ","), found[1])
	}
}

// TestTheBookNamesSettingsAndCommandsThatExist by what the program says about itself.
func TestTheBookNamesSettingsAndCommandsThatExist(t *testing.T) {
	t.Parallel()
	bin := testenv.Binary(t)
	example, err := exec.Command(bin, "config", "example").Output()
	expect.OK(t, err)
	settings, commands := 0, 0
	for name, text := range documents(t) {
		if path.Dir(name) != "docs/book" {
			continue
		}
		named := quoted.FindAllStringSubmatch(text, -1)
		for _, block := range yamls.FindAllStringSubmatch(text, -1) {
			named = append(named, setting.FindAllStringSubmatch(block[1], -1)...)
		}
		for _, found := range named {
			settings++
			expect.Contains(t, name, string(example), "\n#"+found[1]+":")
		}
		for _, block := range consoles.FindAllStringSubmatch(text, -1) {
			for _, found := range bookCommand.FindAllStringSubmatch(block[1], -1) {
				commands++
				out, err := exec.Command(bin, append(strings.Fields(found[1]), "--help")...).CombinedOutput()
				expect.OK(t, err, name, string(out))
				expect.Contains(t, name, string(out), "Usage: sandlot "+found[1])
				for _, flag := range longFlag.FindAllString(found[2], -1) {
					expect.Contains(t, name+": sandlot "+found[1], string(out), flag)
				}
			}
		}
	}
	if settings < 5 || commands < 10 {
		t.Errorf("only %d settings and %d commands were found", settings, commands)
	}
}
