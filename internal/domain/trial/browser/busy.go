package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit in which Linux tells a program how long a thread has run.
const tick = time.Second / 100

// A toil is how long the main thread of each process of a page has run, by its number.
type toil map[string]time.Duration

// toils returns how long the pages have been at work. There are the processes of one browser alone in
// the worker's namespace.
func toils() toil {
	all := toil{}
	names, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, name := range names {
		command, _ := os.ReadFile(name + "/cmdline") // it may have ended
		if bytes.Contains(command, []byte("--type=renderer")) {
			all[filepath.Base(name)] = ran(name + "/task/" + filepath.Base(name) + "/stat")
		}
	}
	return all
}

// since is how long the one that worked most has worked since before.
func (t toil) since(before toil) (most time.Duration) {
	for name, now := range t {
		most = max(most, now-before[name])
	}
	return most
}

// ran is the processor time in what the kernel tells of a thread; 0 if it has ended.
func ran(stat string) time.Duration {
	text, _ := os.ReadFile(stat)
	_, after, _ := strings.Cut(string(text), ") ") // its name comes before, and may have spaces
	if fields := strings.Fields(after); len(fields) > 12 {
		user, _ := strconv.ParseInt(fields[11], 10, 64)
		system, _ := strconv.ParseInt(fields[12], 10, 64)
		return time.Duration(user+system) * tick
	}
	return 0
}
