// Command lighthouse has Google's Lighthouse look at the home page, a project and an account as a phone sees them, three times each, and
// fails where a middle score is under 95. It starts the service with projects that have covers, on loopback alone, and the system's
// Chromium, which can resolve no other name. Lighthouse itself, in the version of package-lock.json, is installed by scripts/soak.
//
//	go run ./proof/lighthouse -modules FOLDER/node_modules
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sandlot/proof/bench/rig"
)

const (
	least   = 95 // of each score
	runs    = 3
	oneLook = 2 * time.Minute // many times what a look takes
)

// categories are what is scored.
var categories = [...]string{"performance", "accessibility", "best-practices"}

func main() {
	modules := flag.String("modules", "lighthouse/node_modules", "folder with the packages of package-lock.json")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *modules); err != nil {
		fmt.Fprintln(os.Stderr, "lighthouse:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, modules string) (err error) {
	r, err := rig.New(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	s, err := r.Service(ctx, "", "--limits", "off")
	if err != nil {
		return err
	}
	project, err := furnish(ctx, s)
	if err != nil {
		return err
	}
	cookie, err := rig.SeedLogin(ctx, filepath.Join(s.Data, "sandlot.db"), 1)
	if err != nil {
		return err
	}
	dir, err := r.Folder("lighthouse")
	if err != nil {
		return err
	}
	base := "http://" + host(s)
	var bad []error
	for _, p := range []page{
		{"home", base + "/", ""},
		{"project", base + "/p/" + project, ""},
		{"account", base + "/account", "__Host-session=" + cookie},
	} {
		got, err := p.middle(ctx, modules, filepath.Join(dir, "report.json"))
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		said := p.name
		for i, category := range categories {
			said += fmt.Sprintf(" %s %d", category, got[i])
			if got[i] < least {
				bad = append(bad, fmt.Errorf("%s has %d for %s, and not %d", p.name, got[i], category, least))
			}
		}
		fmt.Println(said)
	}
	return errors.Join(bad...)
}

// A page is one that is looked at.
type page struct{ name, url, cookie string }

// scores are one for each category, of a hundred.
type scores [len(categories)]int

// middle looks at the page several times and returns the middle of each score.
func (p page) middle(ctx context.Context, modules, report string) (middle scores, err error) {
	var all [len(categories)][]int
	for range runs {
		got, err := p.look(ctx, modules, report)
		if err != nil {
			return middle, err
		}
		for i, n := range got {
			all[i] = append(all[i], n)
		}
	}
	for i := range all {
		slices.Sort(all[i])
		middle[i] = all[i][runs/2]
	}
	return middle, nil
}

// look runs Lighthouse once. It reports the audits that lost points.
func (p page) look(ctx context.Context, modules, report string) (got scores, err error) {
	ctx, end := context.WithTimeout(ctx, oneLook)
	defer end()
	args := []string{
		filepath.Join(modules, "lighthouse", "cli", "index.js"), p.url, "--quiet", "--no-enable-error-reporting",
		"--only-categories=" + strings.Join(categories[:], ","),
		"--output=json", "--output-path=" + report,
		"--chrome-flags=--headless=new --no-sandbox --host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost'",
	}
	if p.cookie != "" {
		args = append(args, fmt.Sprintf(`--extra-headers={"Cookie": %q}`, p.cookie))
	}
	for again := 0; ; again++ {
		out, err := exec.CommandContext(ctx, "node", args...).CombinedOutput()
		if err == nil {
			break
		}
		// Lighthouse says so where the browser's trace came to nothing, before there are any scores.
		if again == 2 || !bytes.Contains(out, []byte("Please run Lighthouse again")) {
			return got, fmt.Errorf("%w\n%s", err, out)
		}
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return got, err
	}
	var found verdict
	if err := json.Unmarshal(text, &found); err != nil {
		return got, err
	}
	if found.FinalURL != p.url {
		return got, fmt.Errorf("it was led to %s", found.FinalURL)
	}
	for i, name := range categories {
		got[i] = found.score(name)
	}
	return got, nil
}

// A verdict is what is read of a report.
type verdict struct {
	FinalURL   string `json:"finalDisplayedUrl"`
	Categories map[string]struct {
		Score  float64 `json:"score"` // 0 where there is none
		Audits []struct {
			ID     string  `json:"id"`
			Weight float64 `json:"weight"`
		} `json:"auditRefs"`
	} `json:"categories"`
	Audits map[string]struct {
		Score   *float64 `json:"score"`
		Display string   `json:"displayValue"`
	} `json:"audits"`
}

// score returns the score of a category, with the audits that lost points if it is too low.
func (v verdict) score(category string) int {
	n := int(math.Round(100 * v.Categories[category].Score))
	for _, ref := range v.Categories[category].Audits {
		if a := v.Audits[ref.ID]; n < least && ref.Weight > 0 && a.Score != nil && *a.Score < .9 {
			fmt.Printf("  %s: %s %.2f %s\n", category, ref.ID, *a.Score, a.Display)
		}
	}
	return n
}
