package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/storage/sqlstore/sqlite"
)

// The linker of a release sets both; in any other build they are empty. They never change.
var stampedVersion, stampedRevision string

// A build names the sources that this program was made from.
type build struct {
	Version  string  `json:"version"`  // without a leading v; devel: of no release
	Revision string  `json:"revision"` // the commit, or unknown
	Schema   schemas `json:"schema"`
	Go       string  `json:"go"`
	System   string  `json:"system"`
}

// schemas holds the number of the newest migration for each engine.
type schemas struct {
	SQLite     int `json:"sqlite"`
	PostgreSQL int `json:"postgresql"`
}

// thisBuild returns the build of the running program: the one place for its version.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(stampedVersion, stampedRevision, info)
}

// buildOf returns the stamps of a release or, without them, those of the Go command: a module that was installed has
// its version, a clone its commit.
func buildOf(version, revision string, info *debug.BuildInfo) build {
	if info != nil {
		version = cmp.Or(version, strings.Trim(info.Main.Version, "()"))
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = cmp.Or(revision, s.Value)
			}
		}
	}
	return build{
		Version: cmp.Or(strings.TrimPrefix(version, "v"), "devel"), Revision: cmp.Or(revision, "unknown"),
		Schema: schemas{SQLite: sqlite.Schema(), PostgreSQL: postgres.Schema()},
		Go:     runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
	}
}

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object. (default: one line)"`
}

// Run prints the version, the revision and the schemas of this program.
func (c versionCommand) Run(t *terminal) error {
	b := thisBuild()
	if c.JSON {
		return json.NewEncoder(t.out).Encode(b)
	}
	_, err := fmt.Fprintf(t.out, "sandlot %s (revision %s, schema sqlite %d, postgresql %d, %s, %s)\n",
		b.Version, b.Revision, b.Schema.SQLite, b.Schema.PostgreSQL, b.Go, b.System)
	return err
}
