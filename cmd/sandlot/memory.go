package main

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// bodyMemory is what one body may take while it is received: the windows of the decoder and of the disk, what is held to go into the
	// database, and its connection. Twenty of 100 MB at once took 0.7 MiB each, with GOMEMLIMIT=128MiB.
	bodyMemory = 1 << 20
	// leastBodies work on any machine that runs the program at all, and mostBodies are more than any disk writes at once.
	leastBodies, mostBodies = 16, 1024
)

// collectAt is how much garbage may lie beside what is in use, in percent, before it
// is collected. What is in use is little, some 10 MiB, so with Go's own 100 the
// collector hardly rested under load: it took 7 % of both publishes and answers.
const collectAt = 200

// collectLess sets that, unless the operator has set GOGC.
func collectLess(gogc string) {
	if gogc == "" {
		debug.SetGCPercent(collectAt)
	}
}

// bodiesFor is how many bodies may be received at once with so much memory: a
// quarter is theirs, the rest is for caches, the database and answers.
func bodiesFor(memory int64) int {
	return int(min(max(memory/4/bodyMemory, leastBodies), mostBodies))
}

// memory is how much the program may use, in bytes: the least of GOMEMLIMIT, the
// limit of its control group, and what the machine has. What cannot be told
// does not count.
func memory() int64 {
	least := debug.SetMemoryLimit(-1) // only reads it
	for _, n := range []int64{groupMemory("/sys/fs/cgroup/memory.max"), machineMemory("/proc/meminfo")} {
		if n > 0 {
			least = min(least, n)
		}
	}
	if least == math.MaxInt64 {
		return 1 << 30 // a small machine of today
	}
	return least
}

// groupMemory reads a limit as Linux has it for a container.
func groupMemory(name string) int64 {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is none
	if err != nil {
		return 0
	}
	return n
}

// machineMemory reads what the machine has, as Linux tells it.
func machineMemory(name string) int64 {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "MemTotal:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64) // 0 is unknown
			return n << 10
		}
	}
	return 0
}
