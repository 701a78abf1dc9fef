package rig

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Machine names what the figures were measured on.
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

// read is empty where there is no such file: the name is only shown.
func read(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(b)
}
