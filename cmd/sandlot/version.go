package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints the version and the revision of this program.
func (versionCommand) Run(t *terminal) error {
	version, revision := "devel", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	system := runtime.GOOS + "/" + runtime.GOARCH
	_, err := fmt.Fprintf(t.out, "sandlot %s (revision %s, %s, %s)\n", version, revision, runtime.Version(), system)
	return err
}
