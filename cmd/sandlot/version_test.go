package main

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestVersion(t *testing.T) {
	installed := &debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"}}
	clone := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}}}
	for name, c := range map[string]struct {
		version, revision string
		info              *debug.BuildInfo
		want              [2]string
	}{
		"a release has its stamps":          {"0.1.0", "def", clone, [2]string{"0.1.0", "def"}},
		"an installed module has its own":   {"", "", installed, [2]string{"0.1.0", "unknown"}},
		"a clone has its commit":            {"", "", clone, [2]string{"devel", "abc"}},
		"without any information":           {"", "", nil, [2]string{"devel", "unknown"}},
		"a stamp with the letter of a tag":  {"v0.1.0", "", nil, [2]string{"0.1.0", "unknown"}},
		"a build that knows only its stamp": {"0.2.0", "", &debug.BuildInfo{}, [2]string{"0.2.0", "unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := buildOf(c.version, c.revision, c.info)
			expect.Equal(t, "version and revision", [2]string{b.Version, b.Revision}, c.want)
		})
	}
	t.Run("the schema is the number of the newest migration of each engine", func(t *testing.T) {
		for folder, n := range map[string]int{"sqlite": thisBuild().Schema.SQLite, "postgres": thisBuild().Schema.PostgreSQL} {
			entries, err := os.ReadDir("../../internal/storage/sqlstore/" + folder + "/migrations")
			expect.OK(t, err)
			files := 0
			for _, e := range entries {
				if strings.HasSuffix(e.Name(), ".sql") {
					files++
				}
			}
			expect.Equal(t, folder, n, files)
		}
	})
	t.Run("is printed as a line and as JSON", func(t *testing.T) {
		var line, object strings.Builder
		expect.OK(t, run(t.Context(), []string{"version"}, nil, &line, &line))
		expect.OK(t, run(t.Context(), []string{"version", "--json"}, nil, &object, &object))
		var b build
		expect.OK(t, json.Unmarshal([]byte(object.String()), &b))
		expect.Equal(t, "the object", b, thisBuild())
		if !strings.HasPrefix(line.String(), "sandlot "+b.Version+" (revision "+b.Revision+", schema sqlite ") {
			t.Error(line.String())
		}
	})
}
