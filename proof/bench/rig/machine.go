package rig

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Machine describes the machine of the measurement.
func Machine() string {
	return fmt.Sprintf("%s: %d x %s, %s of memory, Linux %s, %s", time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(),
		field("/proc/cpuinfo", "model name"), memory(), firstLine("/proc/sys/kernel/osrelease"), runtime.Version())
}

func memory() string {
	return fmt.Sprintf("%d GiB", (kib([]byte(read("/proc/meminfo")), "MemTotal")+1<<29)>>30)
}

func field(file, name string) string {
	for line := range strings.Lines(read(file)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func firstLine(file string) string {
	line, _, _ := strings.Cut(read(file), "\n")
	return line
}

// read returns the file's text, or "" without the file: it is only shown.
func read(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(b)
}
