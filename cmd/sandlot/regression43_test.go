package main

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"sandlot/internal/domain/gallery"
)

const (
	unifiedMount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	memoryMount  = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
	machine      = "MemTotal:        2048000 kB\nMemFree:  1 kB\n"
	inMachine    = 2048000 << 10
)

func TestRegression43TheLeastLimitOfTheMemoryHolds(t *testing.T) {
	type files map[string]string
	slice := files{"proc/meminfo": machine, "proc/self/mountinfo": "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + unifiedMount, "proc/self/cgroup": "0::/system.slice/sandlot.service\n"}
	old := files{"proc/meminfo": machine, "proc/self/mountinfo": memoryMount + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", "proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/\n0::/\n"}
	for _, tt := range []struct {
		name  string
		base  files
		more  files
		bytes int64
		from  string
	}{
		{"the machine's, where no group has one", slice, files{"sys/fs/cgroup/system.slice/sandlot.service/memory.max": "max\n"}, inMachine, "/proc/meminfo"},
		{"MemoryMax of systemd", slice, files{"sys/fs/cgroup/system.slice/sandlot.service/memory.max": "134217728\n"}, 128 << 20, "/sys/fs/cgroup/system.slice/sandlot.service/memory.max"},
		{"MemoryHigh of systemd", slice, files{"sys/fs/cgroup/system.slice/sandlot.service/memory.max": "134217728\n", "sys/fs/cgroup/system.slice/sandlot.service/memory.high": "100000000\n"}, 100_000_000, "/sys/fs/cgroup/system.slice/sandlot.service/memory.high"},
		{"that of a slice around the service", slice, files{"sys/fs/cgroup/system.slice/sandlot.service/memory.max": "734003200\n", "sys/fs/cgroup/system.slice/memory.max": "536870912\n"}, 512 << 20, "/sys/fs/cgroup/system.slice/memory.max"},
		{"a group's own, below a larger one", slice, files{"sys/fs/cgroup/system.slice/sandlot.service/memory.max": "268435456\n", "sys/fs/cgroup/system.slice/memory.max": "536870912\n"}, 256 << 20, "/sys/fs/cgroup/system.slice/sandlot.service/memory.max"},
		{"the machine's, where a group has more", slice, files{"sys/fs/cgroup/system.slice/memory.max": "99999999999999\n"}, inMachine, "/proc/meminfo"},
		{"of a container that sees its group as the root", slice, files{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "134217728\n"}, 128 << 20, "/sys/fs/cgroup/memory.max"},
		{"of a container that sees only its group mounted", slice, files{"proc/self/cgroup": "0::/docker/abc\n", "proc/self/mountinfo": "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "sys/fs/cgroup/memory.max": "134217728\n"}, 128 << 20, "/sys/fs/cgroup/memory.max"},
		{"of a group outside of what is seen", slice, files{"proc/self/cgroup": "0::/../elsewhere\n", "sys/fs/cgroup/memory.max": "134217728\n"}, 128 << 20, "/sys/fs/cgroup/memory.max"},
		{"below a group whose name only begins like the mount's", slice, files{"proc/self/cgroup": "0::/docker/abcdef\n", "proc/self/mountinfo": "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "sys/fs/cgroup/memory.max": "134217728\n"}, 128 << 20, "/sys/fs/cgroup/memory.max"},
		{"at a mount with a blank in its name", slice, files{"proc/self/mountinfo": `30 23 0:26 / /my\040groups rw - cgroup2 cgroup2 rw` + "\n", "my groups/system.slice/memory.max": "134217728\n"}, 128 << 20, "/my groups/system.slice/memory.max"},
		{"of version 1", old, files{"sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "134217728\n", "sys/fs/cgroup/memory/docker/memory.limit_in_bytes": "9223372036854771712\n"}, 128 << 20, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes"},
		{"of a parent in version 1", old, files{"sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/docker/memory.limit_in_bytes": "134217728\n"}, 128 << 20, "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes"},
		{"of a parent that a container of version 1 does not see", old, files{
			"proc/self/mountinfo":                        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.stat": "cache 1\nhierarchical_memory_limit 134217728\n",
		}, 128 << 20, "/sys/fs/cgroup/memory/memory.stat"},
		{"none of version 1", old, files{"proc/meminfo": "", "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.stat": "hierarchical_memory_limit 9223372036854771712\n"}, 0, ""},
		{"nonsense is none", slice, files{"sys/fs/cgroup/system.slice/memory.max": "lots\n", "sys/fs/cgroup/memory.max": "-1\n", "sys/fs/cgroup/memory.high": ""}, inMachine, "/proc/meminfo"},
		{"no files at all, as on another system", nil, nil, 0, ""},
		{"lines that are cut off", nil, files{"proc/meminfo": "MemTotal:", "proc/self/cgroup": "0:", "proc/self/mountinfo": "30 23 - cgroup2\n1 2 3 / /x - cgroup2 a b\n"}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for _, part := range []files{tt.base, tt.more} {
				for name, text := range part {
					root[name] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			if got := findMemory(root); got != (memoryLimit{tt.bytes, tt.from}) {
				t.Errorf("%+v, want %d of %q", got, tt.bytes, tt.from)
			}
		})
	}
}

func TestRegression43EverySizeComesFromTheMemory(t *testing.T) {
	t.Run("with more of it nothing is smaller, and little of it is never given out twice over", func(t *testing.T) {
		before := planMemory(memoryLimit{1 << 20, "x"}, 0)
		for n := int64(8 << 20); n <= 1<<40; n *= 2 {
			p := planMemory(memoryLimit{n, "x"}, 0)
			if p.cache < before.cache || p.bodies < before.bodies || p.watchers < before.watchers || p.players < before.players || p.clients < before.clients || p.database < before.database || p.searches < before.searches {
				t.Errorf("%d MiB: %v, and with half of it %v", n>>20, p, before)
			}
			if n >= 64<<20 && p.goLimit+int64(p.database)*databaseFactor+programMemory > n {
				t.Errorf("%d MiB: %v leaves nothing to the kernel", n>>20, p)
			}
			before = p
		}
	})
	t.Run("5,000 watchers and 16 bodies have room in 128 MB", func(t *testing.T) {
		if p := planMemory(memoryLimit{128_000_000, "x"}, 0); p.watchers < 5000 || p.bodies < 16 || p.players/4 < 5000 || p.cache < 8<<20 || p.searches > 12<<20 {
			t.Error(p)
		}
	})
	t.Run("a large machine has what it had", func(t *testing.T) {
		p := planMemory(memoryLimit{8 << 30, "x"}, 0)
		if p.cache != mostCache || p.bodies != mostBodies || p.watchers != mostWatchers || p.database != mostDatabase || p.clients != 65_536 || p.players != 1_000_000 || p.searches != gallery.DefaultTexts {
			t.Error(p)
		}
	})
	t.Run("the operator's limit of Go wins, and nothing is sized above the machine", func(t *testing.T) {
		less, more, none := planMemory(memoryLimit{1 << 30, "x"}, 64<<20), planMemory(memoryLimit{128 << 20, "x"}, 1<<30), planMemory(memoryLimit{128 << 20, "x"}, math.MaxInt64)
		if less.goLimit != 64<<20 || less.cache != 8<<20 || less.goLimitBy != "GOMEMLIMIT" {
			t.Error(less)
		}
		for _, p := range []memoryPlan{more, none} {
			if p.cache != planMemory(memoryLimit{128 << 20, "x"}, 0).cache || p.goLimit < 1<<30 {
				t.Error(p)
			}
		}
	})
	t.Run("an unknown memory is that of a small machine", func(t *testing.T) {
		if p := planMemory(memoryLimit{}, 0); p.bytes != unknownMemory || p.goLimit >= unknownMemory {
			t.Error(p)
		}
	})
	t.Run("config check tells them", func(t *testing.T) {
		var out, errs bytes.Buffer
		err := run(t.Context(), []string{"config", "check", "--cache-size", "5242880"}, nil, &out, &errs)
		if err != nil || !strings.Contains(out.String(), "# memory") || !strings.Contains(out.String(), "cache=5MiB") {
			t.Errorf("%v %s %s", err, out.String(), errs.String())
		}
	})
}
