package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of Linux for the processor time of a thread.
const tick = time.Second / 100

// A toil holds the processor time of the main thread of each process of a page, by its number.
type toil map[string]time.Duration

// toils returns the processor times of the pages. The worker's namespace has the processes of one browser alone.
func toils() toil {
	all := toil{}
	names, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, name := range names {
		command, _ := os.ReadFile(name + "/cmdline") // the process may have ended
		if bytes.Contains(command, []byte("--type=renderer")) {
			all[filepath.Base(name)] = ran(name + "/task/" + filepath.Base(name) + "/stat")
		}
	}
	return all
}

// since returns the processor time since before of the process that worked most.
func (t toil) since(before toil) (most time.Duration) {
	for name, now := range t {
		most = max(most, now-before[name])
	}
	return most
}

// ran reads the processor time of a thread from its file in /proc; 0 if it has ended.
func ran(stat string) time.Duration {
	text, _ := os.ReadFile(stat)
	_, after, _ := strings.Cut(string(text), ") ") // the thread's name comes before, and may have spaces
	if fields := strings.Fields(after); len(fields) > 12 {
		user, _ := strconv.ParseInt(fields[11], 10, 64)
		system, _ := strconv.ParseInt(fields[12], 10, 64)
		return time.Duration(user+system) * tick
	}
	return 0
}
