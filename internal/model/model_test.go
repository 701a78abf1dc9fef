// Package model_test drives the Service at random and compares all that can be
// seen of it with a plain model in memory.
//
// The model (state_test.go) is what the contract says, in the shortest words: an
// account owns projects, a project is a list of versions, a version is a map from
// names to bytes, an upload a map from numbers to bytes. The machine
// (machine_test.go) is the real Service on a real database and on a disk that
// loses at every crash what was not synced. Each action draws a call, asks the
// model what must come of it, makes the call, and compares.
//
// A failure is shrunk to the shortest run that still fails. To search longer:
//
//	go test ./internal/model -run TestModel -rapid.checks=5000
package model_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sandlot/internal/expect"
	"sandlot/internal/testenv"
	"sandlot/internal/testworld"
)

// A run has some thirty actions. SQLite is ten times as slow under the race
// detector, which has little to see in calls that come one after another: there
// a few runs must do, and the others, half a minute of them, are made without it.
const (
	racing = "10"
	plain  = "120"
)

func TestModel(t *testing.T) { check(t, racing) }

func TestUnracedModel(t *testing.T) {
	testenv.Unraced(t)
	check(t, plain)
}

func check(t *testing.T, runs string) {
	setDefault(t, "rapid.checks", runs)
	setDefault(t, "rapid.nofailfile", "true") // the seed that is printed does as well
	dir := testenv.MemoryDir(t)
	lay := func(path string) { testworld.EmptyDatabase.Lay(t, path) }
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t, dir, lay)
		t.Repeat(map[string]func(*rapid.T){
			"":         m.glance,
			"signup":   m.signup,
			"publish":  m.publish,
			"update":   m.update,
			"update 2": m.update, // more often: versions are what it is about
			"delete":   m.deleteFile,
			"part":     m.part,
			"part 2":   m.part,
			"part 3":   m.part,
			"again":    m.partAgain,
			"repeat":   m.repeat,
			"time":     m.moveClock,
			"restart":  m.restart,
			"power":    m.losePower,
			"collect":  m.collect,
		})
		m.compareAll(t)
	})
}

// setDefault sets a flag unless the command line has set it.
func setDefault(t *testing.T, name, value string) {
	for _, arg := range os.Args[1:] {
		if strings.HasPrefix(strings.TrimLeft(arg, "-"), name) {
			return
		}
	}
	expect.OK(t, flag.Set(name, value))
}
