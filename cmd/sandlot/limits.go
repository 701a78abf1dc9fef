package main

import (
	"context"
	"fmt"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/datafolder"
)

// limitSettings are the limits of clients.
type limitSettings struct {
	Limits          string    `enum:"auto,off,normal,strict" default:"auto" help:"Limits of clients; auto: normal if base-url is public."`
	Limit           limitList `placeholder:"NAME=RATE" help:"Another limit than that of --limits, as in accounts=60/h:20. (default: none)"`
	MaxBodies       int       `placeholder:"COUNT" help:"Request bodies received at once in all. (default: a sixth of memory at 1MiB each)"`
	Publish         string    `enum:"on,keyed,off" default:"on" help:"Who may publish new projects; keyed: with a key."`
	AccountProjects int       `placeholder:"COUNT" help:"Projects per account. (default: no limit)"`
	AccountBytes    size      `placeholder:"SIZE" help:"All files of all versions per account. (default: no limit)"`
	DiskLimit       *int      `placeholder:"PERCENT" help:"Refuse new content on a disk this full. (default: 95 if base-url is public)"`
}

// mostCount is more of anything than one machine has.
const mostCount = 1_000_000_000

// check refuses limits that cannot be meant.
func (l limitSettings) check() error {
	for _, count := range []struct {
		flag string
		n    int
	}{
		{"--account-projects", l.AccountProjects},
		{"--max-bodies", l.MaxBodies},
	} {
		if count.n < 0 || count.n > mostCount {
			return fmt.Errorf("%s %d is not between 0 and %d", count.flag, count.n, mostCount)
		}
	}
	if l.DiskLimit != nil && (*l.DiskLimit < 0 || *l.DiskLimit > 100) {
		return fmt.Errorf("--disk-limit %d is not between 0 and 100", *l.DiskLimit)
	}
	_, err := l.each()
	return err
}

// diskLimit leaves one part in twenty for deletions, logs and the database's own
// files on instances that strangers can fill.
const diskLimit = 95

// restrict puts the limits of the domain into its configuration.
func (l limitSettings) restrict(cfg *publish.Config) {
	cfg.Opening = sandlot.Opening(l.Publish)
	cfg.Public = public(cfg.Places)
	cfg.Uncounted = !cfg.Public
	if l.limited(public(cfg.Places)) {
		each, _ := l.each() // was checked at the start
		if cfg.UploadBytes = each.uploads; cfg.UploadBytes == 0 {
			cfg.UploadBytes = 2 * cfg.MaxFile // one that is sent, and one that was given up
		}
	}
	cfg.Quota = publish.Quota{Projects: l.AccountProjects, Bytes: int64(l.AccountBytes)}
}

// keepRoom has nothing new taken when the disk of the data folder is full.
func (l limitSettings) keepRoom(cfg *publish.Config, folder string, space operate.SpaceStore) {
	kept := datafolder.ReserveOf(folder)
	kept.Room() // now, and not when the disk is full
	cfg.Room, cfg.Spend = kept.Room, kept.Spend
	if percent := l.diskPercent(cfg.Places); percent < 100 {
		below := (&datafolder.Disk{Folder: folder, Limit: percent, Usage: datafolder.Usage, Unused: unusedOf(space)}).Room
		cfg.Room = func() bool { return below() && kept.Room() }
	}
}

// unusedWait bounds how long a look at the disk waits for the database.
const unusedWait = time.Second

// unusedOf returns a function that returns the bytes that a store can take without growing on the disk; 0 if they are
// unknown.
func unusedOf(space operate.SpaceStore) func() uint64 {
	return func() uint64 {
		ctx, cancel := context.WithTimeout(context.Background(), unusedWait)
		defer cancel()
		n, err := space.Unused(ctx)
		if err != nil || n < 0 {
			return 0
		}
		return uint64(n)
	}
}

// diskPercent is the limit in force; 100 is none.
func (l limitSettings) diskPercent(p sandlot.Places) int {
	switch {
	case l.DiskLimit != nil && *l.DiskLimit != 0:
		return *l.DiskLimit
	case l.DiskLimit == nil && public(p):
		return diskLimit
	}
	return 100
}

// public reports whether strangers are expected.
func public(p sandlot.Places) bool { return !private(p.Base.Hostname()) }

// workRate is the part of a processor that one address may use, in units of 0.1 ms: a quarter, and five seconds at once. A class of 500
// behind one address that opens a page with its pictures takes most of that burst.
var workRate = admission.Rate{Count: 2500, Per: time.Second, Burst: 50_000}

// byteRate reads a rate of bytes, "8GiB/h:6GiB" or "off".
func byteRate(text string) (admission.Rate, error) {
	rate, err := admission.ParseRateOf(text, readSize)
	if err != nil {
		err = fmt.Errorf("%q: a rate of bytes is SIZE/PERIOD:SIZE with a period of s, m, h or d, such as 8GiB/h:6GiB; or off", text)
	}
	return rate, err
}

// limited reports whether single clients have limits.
func (l limitSettings) limited(public bool) bool {
	return l.Limits == "normal" || l.Limits == "strict" || l.Limits == "auto" && public
}

// admission returns the limits in force at a place, with keys as the domain knows them.
func (l limitSettings) admission(p sandlot.Places, memory memoryPlan, keys admission.Keys) *admission.Limits {
	cfg := admission.Config{}
	if l.limited(public(p)) {
		each, _ := l.each() // was checked at the start
		cfg = each.Config
	}
	cfg.Public, cfg.Keys = public(p), keys
	cfg.MaxBodies, cfg.Remembered = memory.bodies, memory.clients
	return admission.New(cfg)
}

// inlineMax distinguishes "none" from "not set".
func inlineMax(setting size) int {
	if setting == 0 {
		return -1
	}
	return int(setting)
}
