package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"sandlot/internal/brake"
	"sandlot/internal/publish"
)

// limitSettings say what clients may do. Those that are auto are in force where
// the base-url is public.
type limitSettings struct {
	Limits           string `enum:"auto,on,off" default:"auto" help:"Whether clients have the limits below: on, off, or auto (where base-url is public). Clients on loopback never have; those on private addresses not where base-url is local."`
	LimitAccounts    string `default:"60/h:20" placeholder:"RATE" help:"Accounts made without a key, each address: COUNT/PERIOD:BURST, with a period of s, m, h or d; or off."`
	LimitWrites      string `default:"3600/h:1000" placeholder:"RATE" help:"Requests that change something, each address and each account; a key has half."`
	LimitBytes       string `default:"8589934592/h:6442450944" placeholder:"RATE" help:"Bytes that they cost, likewise: of each request the largest of what is received, decoded and stored."`
	LimitMails       string `default:"20/h:20" placeholder:"RATE" help:"Messages asked for, each address and each account."`
	LimitWrongKeys   string `default:"30/m:30" placeholder:"RATE" help:"Wrong keys, each address."`
	LimitHeartbeats  string `default:"1200/m:600" placeholder:"RATE" help:"Heartbeats of players, each address."`
	LimitReports     string `default:"20/h:10" placeholder:"RATE" help:"Reports of projects, each address."`
	LimitLikes       string `default:"1200/h:120" placeholder:"RATE" help:"Likes, also those that are taken back, each address."`
	LimitSearches    string `default:"3600/h:120" placeholder:"RATE" help:"Searches in the gallery, each address."`
	LimitDownloads   string `default:"120/h:20" placeholder:"RATE" help:"Archives downloaded, each address and each account; a key has half."`
	LimitBodies      int    `default:"4" placeholder:"COUNT" help:"Bodies received at once, each address; 0: no limit."`
	LimitConnections int    `default:"1024" placeholder:"COUNT" help:"Connections at once, each address; 0: no limit."`
	LimitArchives    int    `default:"1" placeholder:"COUNT" help:"Archives sent at once, each account; 0: no limit."`
	LimitUploads     int64  `placeholder:"BYTES" help:"Bytes of the parts of unfinished uploads without a key, each address. (default: twice max-file-size)"`
	MaxBodies        int    `placeholder:"COUNT" help:"Bodies received at once in all, also from local clients. (default: what a sixth of the memory has room for, at 1 MiB each)"`
	Publish          string `enum:"on,keyed,off" default:"on" help:"Who may publish new projects: on (everybody), keyed (whoever has a key), off (nobody). Those that are there can be changed in any case."`
	AccountProjects  int    `placeholder:"COUNT" help:"Projects of one account. (default: no limit)"`
	AccountBytes     int64  `placeholder:"BYTES" help:"Bytes of all files and versions of one account, and of the parts of its unfinished uploads. (default: no limit)"`
	DiskLimit        int    `placeholder:"PERCENT" help:"How full the disk of the data folder may be before nothing new is taken; 100: no limit. (default: 95 where base-url is public)"`
}

// check refuses limits that cannot be meant.
func (l limitSettings) check() error {
	switch {
	case l.AccountProjects < 0:
		return fmt.Errorf("--account-projects %d is below 0", l.AccountProjects)
	case l.AccountBytes < 0:
		return fmt.Errorf("--account-bytes %d is below 0", l.AccountBytes)
	case l.LimitUploads < 0:
		return fmt.Errorf("--limit-uploads %d is below 0", l.LimitUploads)
	case l.LimitBodies < 0:
		return fmt.Errorf("--limit-bodies %d is below 0", l.LimitBodies)
	case l.LimitConnections < 0:
		return fmt.Errorf("--limit-connections %d is below 0", l.LimitConnections)
	case l.LimitArchives < 0:
		return fmt.Errorf("--limit-archives %d is below 0", l.LimitArchives)
	case l.MaxBodies < 0:
		return fmt.Errorf("--max-bodies %d is below 0", l.MaxBodies)
	case l.DiskLimit < 0 || l.DiskLimit > 100:
		return fmt.Errorf("--disk-limit %d is not between 1 and 100", l.DiskLimit)
	}
	_, err := l.rates()
	return err
}

// diskLimit leaves one part in twenty for deletions, logs and the database's own
// files on instances that strangers can fill.
const diskLimit = 95

// restrict puts the limits of the domain into its configuration.
func (l limitSettings) restrict(cfg *publish.Config, folder string, space publish.SpaceStore) {
	cfg.Opening = publish.Opening(l.Publish)
	cfg.Public = public(cfg.Places)
	if l.limited(public(cfg.Places)) {
		if cfg.UploadBytes = l.LimitUploads; cfg.UploadBytes == 0 {
			cfg.UploadBytes = 2 * cfg.MaxFile // one that is sent, and one that was given up
		}
	}
	cfg.Quota = publish.Quota{Projects: l.AccountProjects, Bytes: l.AccountBytes}
	kept := &reserve{name: filepath.Join(folder, reserveName)}
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
func unusedOf(space publish.SpaceStore) func() uint64 {
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
func (l limitSettings) diskPercent(p publish.Places) int {
	switch {
	case l.DiskLimit != 0:
		return l.DiskLimit
	case public(p):
		return diskLimit
	}
	return 100
}

// public reports whether strangers are expected.
func public(p publish.Places) bool { return !private(p.Base.Hostname()) }

// rates reads the limits of single clients.
func (l limitSettings) rates() (brake.Config, error) {
	cfg := brake.Config{Bodies: l.LimitBodies, Archives: l.LimitArchives}
	for _, one := range []struct {
		flag, text string
		rate       *brake.Rate
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
		rate, err := brake.ParseRate(one.text)
		if err != nil {
			return cfg, fmt.Errorf("%s: %w", one.flag, err)
		}
		*one.rate = rate
	}
	return cfg, nil
}

// limited reports whether single clients have limits.
func (l limitSettings) limited(public bool) bool {
	return l.Limits == "on" || l.Limits == "auto" && public
}

// brakes are the limits in force at a place.
func (l limitSettings) brakes(p publish.Places, memory memoryPlan) *brake.Limits {
	cfg := brake.Config{}
	if l.limited(public(p)) {
		cfg, _ = l.rates() // was checked at the start
	}
	cfg.Public = public(p)
	cfg.MaxBodies, cfg.Remembered = memory.bodies, memory.clients
	return brake.New(cfg)
}
