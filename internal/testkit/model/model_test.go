// Package model_test drives the Service at random and compares all that can be
// seen of it with a plain model in memory.
//
// The model (state_test.go) is what the contract says, in the shortest words: an
// account owns projects, a project is a list of versions, a version is a map from
// names to bytes, an upload a map from numbers to bytes, a player a map from slots to
// values with one best score. The machine
// (machine_test.go) is the real Service: one node on a real database and on a disk
// that loses at every crash what was not synced (disk_test.go), or two on PostgreSQL
// and a bucket (shared_test.go), of which one may die in the middle of a call, and
// the other goes on. Each action draws a call and a node, asks the model what must
// come of it, makes the call, and compares. What is in the database every node shows
// at once; what it keeps in memory of a project may be a second old (checkHead in
// nodes_test.go), by a clock that the machine moves.
//
// A failure is shrunk to the shortest run that still fails. To search longer:
//
//	go test ./internal/testkit/model -run TestModel -rapid.checks=5000
//	scripts/servers go test ./internal/testkit/model -run TestModelOfTwoNodes -rapid.checks=500 -timeout 1h
package model_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

// A run has some thirty actions. The soak raises the number of runs with -rapid.checks.
const (
	runs     = "20"
	fullRuns = "5"
)

func TestModel(t *testing.T) {
	dir := testenv.MemoryDir(t)
	lay := func(path string) { testworld.EmptyDatabase.Lay(t, path) }
	check(t, runs, func(t *rapid.T) *machine { return embedded(t, dir, lay) })
}

func TestModelOfTwoNodes(t *testing.T) {
	check(t, fullRuns, func(run *rapid.T) *machine { return full(t, run) })
}

func check(t *testing.T, runs string, start func(*rapid.T) *machine) {
	setDefault(t, "rapid.checks", runs)
	setDefault(t, "rapid.nofailfile", "true") // the seed that is printed does as well
	rapid.Check(t, func(t *rapid.T) {
		m := start(t)
		actions := map[string]func(*rapid.T){
			"signup":   m.signup,
			"publish":  m.publish,
			"update":   m.update,
			"update 2": m.update, // more often: versions are what it is about
			"delete":   m.deleteFile,
			"part":     m.part,
			"part 2":   m.part,
			"part 3":   m.part,
			"restore":  m.restore,
			"trash":    m.deleteProject,
			"take":     m.takeBack,
			"begin":    m.begin,
			"again":    m.partAgain,
			"repeat":   m.repeat,
			"erase":    m.erase,
			"leave":    m.leave,
			"suspend":  m.suspend,
			"play":     m.play,
			"play 2":   m.play,
			"time":     m.moveClock,
			"restart":  m.restart,
			"power":    m.losePower,
			"collect":  m.collect,
		}
		for name, action := range actions {
			actions[name] = m.at(action)
		}
		actions[""] = m.glance
		t.Repeat(actions)
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
