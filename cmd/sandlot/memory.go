package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strings"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/web/card"
)

const (
	// leastMemory is the least that the program promises to work in, in bytes.
	leastMemory = 96_000_000
	// groupRounding is by how much less the kernel may set as a limit than it was told: a page, of 64 KiB at most.
	groupRounding = 64 << 10
	// unknownMemory is assumed where nobody can tell: a small machine of today.
	unknownMemory = 1 << 30
	// programMemory is what the process takes in addition to Go's memory and the database: its own code, threads and pages that are mapped.
	programMemory = 8 << 20
	// databaseFactor is how much memory the database's pages take for each byte that they cache.
	databaseFactor = 4
)

const (
	// bodyMemory is what one body may take while it is received: the windows of the decoder and of the disk, what is held to go into the
	// database, and its connection. Twenty of 100 MB at once took 0.7 MiB each, with GOMEMLIMIT=128MiB.
	bodyMemory = 1 << 20
	// leastBodies work on any machine that runs the program at all, and mostBodies are more than any disk writes at once.
	leastBodies, mostBodies = 16, 1024
	// mostCache is the default where there is memory enough: the current files of some thousand small games.
	mostCache, leastCache = 64 << 20, 1 << 20
	// connectionMemory is a connection of somebody who watches, 9 KiB as measured, with room for one who reads a large file.
	connectionMemory = 16 << 10
	// mostWatchers is twice what one popular project is to have.
	mostWatchers = 20_000
	// mostDatabase is what the database caches; more was no faster, for the kernel has the rest.
	mostDatabase = 8 << 20
	// mostOfProject are the players counted for one project, as live.Limits has it.
	mostOfProject = 100_000
)

// collectAt is how much garbage may lie beside what is in use, in percent, before it
// is collected. What is in use is little, some 10 MiB, so with Go's own 100 the
// collector hardly rested under load: it took 7 % of both publishes and answers.
// Near Go's limit it is collected earlier.
const collectAt = 200

// collectLess sets that, unless the operator has set GOGC.
func collectLess(gogc string) {
	if gogc == "" {
		debug.SetGCPercent(collectAt)
	}
}

// collectHeavy is collectAt while somebody sends very many files: what such a call leaves behind, tens of MB, would lie beside three times what it
// holds. To collect more often takes a tenth of its time.
const collectHeavy = 75

// collecting says how much garbage may lie while there are calls with very many files, unless the operator has set GOGC.
func collecting(gogc string) func(heavy bool) {
	if gogc != "" {
		return nil
	}
	return func(heavy bool) {
		at := collectAt
		if heavy {
			at = collectHeavy
		}
		debug.SetGCPercent(at)
	}
}

// memoryPlan is every size that depends on the memory.
type memoryPlan struct {
	memoryLimit
	goLimit     int64  // what Go may have: beyond it, it collects garbage as often as it must
	goLimitBy   string // who has set it
	cache       int64  // bytes of files that are being read
	database    int    // bytes that SQLite caches
	bodies      int    // received at once
	connections int    // of clients
	watchers    int    // of pages, among the connections
	players     int    // counted as present, in all projects; a quarter of them in one
	clients     int    // whose limits are remembered: addresses, and the same of accounts and keys
	remembered  publish.Remembered
	plays       int   // of the last half hour, that are remembered
	searches    int   // bytes of titles, handles and tags that searches look through
	fonts       int64 // bytes of the system's fonts that cards keep
}

// planMemory shares out what there is. Go's limit leaves room for the database, the
// program and, with an eighth, for what the kernel holds for it: sockets, and pages of files that are being written.
// An explicit limit of Go's, above 0, is kept. Nothing is taken before it is needed, and no client alone can fill more
// than one of these, so together they may come to somewhat more than Go's limit.
func planMemory(found memoryLimit, explicit int64) memoryPlan {
	p := memoryPlan{memoryLimit: found}
	p.goLimitBy = "sandlot"
	if p.bytes <= 0 {
		p.memoryLimit = memoryLimit{unknownMemory, "nowhere"}
	}
	p.database = int(min(p.bytes/64, mostDatabase))
	p.goLimit = max(p.bytes-p.bytes/8-programMemory-int64(p.database)*databaseFactor, p.bytes/4)
	share := p.goLimit
	if explicit > 0 {
		p.goLimit, p.goLimitBy = explicit, "GOMEMLIMIT"
		share = min(share, explicit)
	}
	p.cache = min(max(share/8, leastCache), mostCache)
	p.bodies = int(min(max(share/6/bodyMemory, leastBodies), mostBodies))
	p.connections = int(share / connectionMemory)
	p.watchers = min(p.connections/8*7, mostWatchers)
	p.players = int(min(share/16/220, 1_000_000)) // live.Limits says what one takes
	p.clients = int(min(share/32/300, 65_536))    // admission.Config, likewise
	p.remembered = publish.Remembered{
		Projects: int(min(share/64/500, publish.DefaultProjects)),
	}
	p.plays = int(min(share/32/100, gallery.DefaultPlays))
	p.searches = int(min(share/10, gallery.DefaultTexts))
	p.fonts = min(share/8, card.MostKept)
	return p
}

// memory is the plan for this machine and these settings.
func (s settings) memory() memoryPlan {
	p := planMemory(findMemory(os.DirFS("/")), explicitMemory(os.Getenv("GOMEMLIMIT"), debug.SetMemoryLimit(-1)))
	if s.CacheSize > 0 {
		p.cache = int64(s.CacheSize)
	}
	files := openFiles()
	if files > 0 { // each body writes to a file
		p.bodies = min(p.bodies, max(files/filesPart, leastBodies))
		p.connections = min(p.connections, connectionsFor(files))
		p.watchers = min(p.watchers, p.connections)
	}
	if s.MaxBodies > 0 {
		p.bodies = s.MaxBodies
	}
	return p
}

// explicitMemory is the limit that the operator has set in the environment, from
// which Go has read it; "off" is none at all.
func explicitMemory(env string, limit int64) int64 {
	if env == "" {
		return 0
	}
	return limit
}

// tooLittle reports whether there is less than the program promises to work in.
func (p memoryPlan) tooLittle() bool { return p.bytes < leastMemory-groupRounding }

// lines are the plan as pairs of a name and a value.
func (p memoryPlan) lines() []any {
	return []any{
		"limit", shownBytes(p.bytes), "from", p.from, "go_limit", shownBytes(p.goLimit), "go_limit_by", p.goLimitBy, "cache", shownBytes(p.cache), "database", shownBytes(int64(p.database)),
		"bodies", p.bodies, "connections", p.connections, "watchers", p.watchers, "players", p.players, "clients", p.clients,
		"projects", p.remembered.Projects, "visits", p.plays, "searches", shownBytes(int64(p.searches)), "fonts", shownBytes(p.fonts),
	}
}

// shownBytes is a number of bytes as it is read easily.
func shownBytes(n int64) string {
	if n == math.MaxInt64 {
		return "none"
	}
	return size(n).about().String()
}

// String is the plan as the log has it.
func (p memoryPlan) String() string {
	var b strings.Builder
	for i, all := 0, p.lines(); i < len(all); i += 2 {
		fmt.Fprintf(&b, "%v=%v ", all[i], all[i+1])
	}
	return strings.TrimSpace(b.String())
}
