package main

import (
	"context"
	"fmt"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

// limitSettings say what clients may do. Those that are auto are in force where
// the base-url is public.
type limitSettings struct {
	Limits           string `enum:"auto,on,off" default:"auto" help:"Apply the limits below: on, off, or auto (if base-url is public). Loopback addresses are never limited, private ones only if base-url is public. (default: ${default})"`
	LimitAccounts    string `default:"60/h:20" placeholder:"RATE" help:"Accounts created without a key, per address: COUNT/PERIOD:BURST, with a period of s, m, h, or d; or off. (default: ${default})"`
	LimitWrites      string `default:"3600/h:1000" placeholder:"RATE" help:"Requests that change something, per address and per account; a key gets half. (default: ${default})"`
	LimitBytes       string `default:"8GiB/h:6GiB" placeholder:"SIZE/PERIOD:SIZE" help:"Bytes sent in such requests, per address and per account: of each the largest of what is received, decoded, and stored. A key gets half. (default: ${default})"`
	LimitMails       string `default:"20/h:20" placeholder:"RATE" help:"Messages requested, per address and per account. (default: ${default})"`
	LimitWrongKeys   string `default:"30/m:30" placeholder:"RATE" help:"Wrong keys, per address. (default: ${default})"`
	LimitHeartbeats  string `default:"1200/m:600" placeholder:"RATE" help:"Heartbeats of players, per address. (default: ${default})"`
	LimitReports     string `default:"20/h:10" placeholder:"RATE" help:"Reports of projects, per address. (default: ${default})"`
	LimitLikes       string `default:"1200/h:120" placeholder:"RATE" help:"Likes and unlikes, per address. (default: ${default})"`
	LimitSearches    string `default:"3600/h:120" placeholder:"RATE" help:"Searches in the gallery, per address. (default: ${default})"`
	LimitDownloads   string `default:"120/h:20" placeholder:"RATE" help:"Archives downloaded, per address and per account; a key gets half. (default: ${default})"`
	LimitBodies      int    `default:"4" placeholder:"COUNT" help:"Request bodies received at once, per address; 0: no limit. (default: ${default})"`
	LimitConnections int    `default:"1024" placeholder:"COUNT" help:"Connections at once, per address; 0: no limit. (default: ${default})"`
	LimitArchives    int    `default:"1" placeholder:"COUNT" help:"Archives sent at once, per account; 0: no limit. (default: ${default})"`
	LimitUploads     size   `placeholder:"SIZE" help:"Parts of unfinished uploads without a key, per address. (default: twice max-file-size)"`
	MaxBodies        int    `placeholder:"COUNT" help:"Request bodies received at once in total, local clients included. (default: a sixth of memory at 1MiB each)"`
	Publish          string `enum:"on,keyed,off" default:"on" help:"Who may publish new projects: on (everyone), keyed (with a key), off (no one). Existing projects can always be changed. (default: ${default})"`
	AccountProjects  int    `placeholder:"COUNT" help:"Projects per account. (default: no limit)"`
	AccountBytes     size   `placeholder:"SIZE" help:"All files and versions per account, parts of unfinished uploads included. (default: no limit)"`
	DiskLimit        *int   `placeholder:"PERCENT" help:"Refuse new content once the data disk is this full; 100 or 0: no limit. (default: 95 if base-url is public, otherwise no limit)"`
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
		{"--limit-bodies", l.LimitBodies},
		{"--limit-connections", l.LimitConnections},
		{"--limit-archives", l.LimitArchives},
		{"--max-bodies", l.MaxBodies},
	} {
		if count.n < 0 || count.n > mostCount {
			return fmt.Errorf("%s %d is not between 0 and %d", count.flag, count.n, mostCount)
		}
	}
	if l.DiskLimit != nil && (*l.DiskLimit < 0 || *l.DiskLimit > 100) {
		return fmt.Errorf("--disk-limit %d is not between 0 and 100", *l.DiskLimit)
	}
	_, err := l.rates()
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
		if cfg.UploadBytes = int64(l.LimitUploads); cfg.UploadBytes == 0 {
			cfg.UploadBytes = 2 * cfg.MaxFile // one that is sent, and one that was given up
		}
	}
	cfg.Quota = publish.Quota{Projects: l.AccountProjects, Bytes: int64(l.AccountBytes)}
}

// keepRoom has nothing new taken when the disk of the data folder is full.
func (l limitSettings) keepRoom(cfg *publish.Config, folder string, space operate.SpaceStore) {
	kept := reserveOf(folder)
	kept.room() // now, and not when the disk is full
	cfg.Room, cfg.Spend = kept.room, kept.spend
	if percent := l.diskPercent(cfg.Places); percent < 100 {
		below := (&disk{folder: folder, limit: percent, usage: diskUsage, unused: unusedOf(space)}).room
		cfg.Room = func() bool { return below() && kept.room() }
	}
}

// unusedWait bounds how long a look at the disk waits for the database.
const unusedWait = time.Second

// unusedOf tells how much room a store has without taking more from the disk. What
// cannot be told counts as none.
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

// rates reads the limits of single clients.
func (l limitSettings) rates() (admission.Config, error) {
	cfg := admission.Config{Bodies: l.LimitBodies, Archives: l.LimitArchives, Work: workRate}
	for _, one := range []struct {
		flag, text string
		rate       *admission.Rate
	}{
		{"--limit-accounts", l.LimitAccounts, &cfg.Accounts},
		{"--limit-writes", l.LimitWrites, &cfg.Writes},
		{"--limit-bytes", l.LimitBytes, &cfg.Bytes},
		{"--limit-mails", l.LimitMails, &cfg.Mails},
		{"--limit-wrong-keys", l.LimitWrongKeys, &cfg.WrongKeys},
		{"--limit-heartbeats", l.LimitHeartbeats, &cfg.Heartbeats},
		{"--limit-reports", l.LimitReports, &cfg.Reports},
		{"--limit-likes", l.LimitLikes, &cfg.Likes},
		{"--limit-searches", l.LimitSearches, &cfg.Searches},
		{"--limit-downloads", l.LimitDownloads, &cfg.Downloads},
	} {
		parse := admission.ParseRate
		if one.rate == &cfg.Bytes {
			parse = byteRate
		}
		rate, err := parse(one.text)
		if err != nil {
			return cfg, fmt.Errorf("%s: %w", one.flag, err)
		}
		*one.rate = rate
	}
	return cfg, nil
}

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
	return l.Limits == "on" || l.Limits == "auto" && public
}

// admission is what holds callers to the limits in force at a place, with keys as the domain knows them.
func (l limitSettings) admission(p sandlot.Places, memory memoryPlan, keys admission.Keys) *admission.Limits {
	cfg := admission.Config{}
	if l.limited(public(p)) {
		cfg, _ = l.rates() // was checked at the start
	}
	cfg.Public, cfg.Keys = public(p), keys
	cfg.MaxBodies, cfg.Remembered = memory.bodies, memory.clients
	return admission.New(cfg)
}
