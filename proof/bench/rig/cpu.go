package rig

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// CPU returns the processor time used by the program and its processes: PostgreSQL has one for each connection.
func (p *Program) CPU() (time.Duration, error) {
	own, err := times(p.proc("stat"))
	if err != nil {
		return 0, err
	}
	sum := own.used + own.ended
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range all {
		// A process that has ended meanwhile is missing, and counts among the ended ones next time.
		if t, err := times(file); err == nil && t.parent == p.cmd.Process.Pid {
			sum += t.used + t.ended
		}
	}
	return sum, err
}

// processTimes holds the figures of a process from /proc.
type processTimes struct {
	parent      int
	used, ended time.Duration // its own, and that of its ended child processes
}

func times(file string) (processTimes, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return processTimes{}, err
	}
	// After the name, which may hold anything, the parent is the second field; user and system time, first of the
	// process and then of its ended children, start at the 12th.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	n := make([]int64, 0, 5)
	for _, i := range []int{1, 11, 12, 13, 14} {
		v, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return processTimes{}, err
		}
		n = append(n, v)
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 wherever Linux runs Go
	return processTimes{parent: int(n[0]), used: time.Duration(n[1]+n[2]) * tick, ended: time.Duration(n[3]+n[4]) * tick}, nil
}

// Usage is the processor time of each part of a run, by name.
type Usage map[string]time.Duration

// A Part is a program, or several that do the same work, under one name.
type Part struct {
	Name     string
	Programs []*Program
}

// Parts returns the nodes and their shared servers as parts.
func (s *Set) Parts(nodes []*Service) []Part {
	parts := []Part{{"PostgreSQL", []*Program{s.Postgres}}, {"bucket", []*Program{s.Bucket}}, {"Redis", []*Program{s.Redis}}}
	var all []*Program
	for _, n := range nodes {
		all = append(all, n.Program)
	}
	return append([]Part{{"nodes", all}}, parts...)
}

// Used returns the processor time of the parts so far.
func Used(parts []Part) (Usage, error) {
	u := Usage{}
	for _, part := range parts {
		for _, p := range part.Programs {
			t, err := p.CPU()
			if err != nil {
				return nil, err
			}
			u[part.Name] += t
		}
	}
	return u, nil
}

// Since returns the usage since before.
func (u Usage) Since(before Usage) Usage {
	d := Usage{}
	for name, t := range u {
		d[name] = t - before[name]
	}
	return d
}
