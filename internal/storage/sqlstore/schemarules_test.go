package sqlstore

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
)

// A released is a release with the newest schemas that it knows.
type released struct {
	version string
	schema  map[string]int // by engine
}

// releases lists all releases, oldest first. A release adds itself.
var releases = []released{
	{"v0.1.0", map[string]int{"sqlite": 27, "postgres": 23}},
}

var (
	// firstLine is that of a migration: the oldest schema whose programs may use the database after it, and the release of
	// that schema if the migration takes away what this release no longer uses.
	firstLine = regexp.MustCompile(`^-- oldest: (\d+)(?:, (v\d+\.\d+\.\d+) \w.*)?\n`)
	takesAway = regexp.MustCompile(`(?i)\b(DROP|RENAME|ALTER COLUMN|CREATE UNIQUE|ADD CONSTRAINT|ADD CHECK)\b`)
	mustHave  = regexp.MustCompile(`(?is)\bADD COLUMN\b.*\bNOT NULL\b`)
	writes    = regexp.MustCompile(`(?im)^\s*(UPDATE|INSERT|DELETE|REPLACE)\b`)
)

// TestMigrationsOnlyExpandForOneRelease: the release before starts again on the schema of the next one.
func TestMigrationsOnlyExpandForOneRelease(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		files, err := filepath.Glob(engine + "/migrations/*.sql")
		expect.OK(t, err)
		if len(files) < releases[0].schema[engine] {
			t.Fatalf("%d migrations of %s are too few", len(files), engine)
		}
		for i, file := range files {
			text, err := os.ReadFile(file)
			expect.OK(t, err)
			for _, fault := range faultsOf(releases, engine, file, i+1, string(text)) {
				t.Errorf("%s %s", file, fault)
			}
		}
	}
}

// faultsOf returns the faults of a migration that comes after the given releases.
func faultsOf(before []released, engine, file string, n int, text string) (faults []string) {
	last := before[len(before)-1].schema[engine]
	if n <= last {
		return nil
	}
	found := firstLine.FindStringSubmatch(text)
	if found == nil {
		return []string{"has no first line \"-- oldest: N\" with the oldest schema whose programs may use the database after it"}
	}
	oldest, _ := strconv.Atoi(found[1])
	if oldest > last {
		faults = append(faults, fmt.Sprint("keeps the release before from starting again, which knows schema ", last))
	}
	names := func(r released) bool { return r.version == found[2] && r.schema[engine] == oldest }
	if tightens(text) && !slices.ContainsFunc(before, names) {
		faults = append(faults, "drops, renames or tightens, and its first line does not name the release of its oldest schema that does without")
	}
	proved := func(u storetest.Upgrade) bool { return strings.HasSuffix(file, u.Migration) }
	if writes.MatchString(text) && !slices.ContainsFunc(storetest.Upgrades, proved) {
		faults = append(faults, "changes records without an entry in storetest.Upgrades")
	}
	return faults
}

// tightens reports whether statements of the release before could fail after a migration.
func tightens(text string) bool {
	return takesAway.MatchString(text) || slices.ContainsFunc(regexp.MustCompile("[;,]").Split(text, -1), func(clause string) bool {
		return mustHave.MatchString(clause) && !strings.Contains(strings.ToUpper(clause), "DEFAULT")
	})
}

func TestTheRulesOfMigrations(t *testing.T) {
	two := []released{{"v0.1.0", map[string]int{"sqlite": 25}}, {"v0.2.0", map[string]int{"sqlite": 27}}}
	const (
		header = `has no first line "-- oldest: N"`
		blocks = "keeps the release before from starting again"
		drops  = "drops, renames or tightens"
		unread = "changes records without an entry"
	)
	for text, want := range map[string][]string{
		"CREATE TABLE x (n INTEGER);":                                               {header},
		"-- expands\n-- oldest: 27\nCREATE TABLE x (n INTEGER);":                    {header},
		"-- oldest: 27\nCREATE TABLE x (n INTEGER NOT NULL UNIQUE);":                nil,
		"-- oldest: 25\nALTER TABLE x ADD COLUMN n INTEGER;":                        nil,
		"-- oldest: 27\nALTER TABLE x ADD COLUMN n INTEGER NOT NULL DEFAULT 0;":     nil,
		"-- oldest: 27\nALTER TABLE x ADD COLUMN n INTEGER NOT NULL;":               {drops},
		"-- oldest: 28\nCREATE TABLE x (n INTEGER);":                                {blocks},
		"-- oldest: 27\nALTER TABLE x DROP COLUMN n;":                               {drops},
		"-- oldest: 27\nALTER TABLE x RENAME TO y;":                                 {drops},
		"-- oldest: 27\nCREATE UNIQUE INDEX x_n ON x (n);":                          {drops},
		"-- oldest: 27, v0.2.0 reads y instead\nDROP TABLE x;":                      nil,
		"-- oldest: 25, v0.2.0 reads y instead\nDROP TABLE x;":                      {drops},
		"-- oldest: 28, v0.3.0 reads y instead\nDROP TABLE x;":                      {blocks, drops},
		"-- oldest: 27\nALTER TABLE x ADD COLUMN n INTEGER;\nUPDATE x SET n = 1;\n": {unread},
	} {
		got := faultsOf(two, "sqlite", "0029_x.sql", 29, text)
		expect.Equal(t, "faults of "+text, len(got), len(want))
		for i := range min(len(got), len(want)) {
			expect.Contains(t, text, got[i], want[i])
		}
	}
}
