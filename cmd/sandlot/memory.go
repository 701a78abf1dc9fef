package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/web/card"
)

const (
	// leastMemory is the least that the program promises to work in, in bytes.
	leastMemory = 96_000_000
	// unknownMemory is assumed where nobody can tell: a small machine of today.
	unknownMemory = 1 << 30
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
	bytes       int64  // of the machine, or of the control groups
	from        string // which of the two has it; "unknown machine" if neither says
	goLimit     int64  // what Go may have: beyond it, it collects garbage as often as it must
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

// findMemory returns the least of the memory of the machine and the limits of the control groups.
func findMemory() (bytes int64, from string) {
	bytes, from = unknownMemory, "unknown machine"
	for _, of := range []struct {
		name  string
		bytes memlimit.Provider
	}{{"machine", memlimit.FromSystem}, {"control group", memlimit.FromCgroup}} {
		n, err := of.bytes()
		if err == nil && n > 0 && n < math.MaxInt64 && (from == "unknown machine" || int64(n) < bytes) {
			bytes, from = int64(n), of.name
		}
	}
	return bytes, from
}

// planMemory shares out the memory. Go has three quarters of it: the rest is for the database, the program, and
// the buffers of the kernel. An explicit limit of Go's, above 0, is kept. Nothing is taken before it is needed,
// and no client alone can fill more than one of the shares, so together they may come to more than Go's limit.
func planMemory(bytes, explicit int64) memoryPlan {
	p := memoryPlan{bytes: bytes, goLimit: bytes / 4 * 3}
	share := p.goLimit
	if explicit > 0 {
		p.goLimit = explicit
		share = min(share, explicit)
	}
	p.database = int(min(bytes/64, mostDatabase))
	p.cache = min(max(share/8, leastCache), mostCache)
	p.bodies = int(min(max(share/6/bodyMemory, leastBodies), mostBodies))
	p.connections = int(share / connectionMemory)
	p.watchers = min(p.connections/8*7, mostWatchers)
	p.players = int(min(share/16/220, 1_000_000)) // live.Limits says what one takes
	p.clients = int(min(share/32/300, 65_536))    // admission.Config, likewise
	p.remembered.Projects = int(min(share/64/500, publish.DefaultProjects))
	p.plays = int(min(share/32/100, gallery.DefaultPlays))
	p.searches = int(min(share/10, gallery.DefaultTexts))
	p.fonts = min(share/8, card.MostKept)
	return p
}

// memory is the plan for this machine and these settings.
func (s settings) memory() memoryPlan {
	explicit := int64(0)
	if os.Getenv("GOMEMLIMIT") != "" {
		explicit = debug.SetMemoryLimit(-1) // Go has read it
	}
	bytes, from := findMemory()
	p := planMemory(bytes, explicit)
	p.from = from
	if s.CacheSize > 0 {
		p.cache = int64(s.CacheSize)
	}
	if files := openFiles(); files > 0 { // each body writes to a file
		p.bodies = min(p.bodies, max(files/filesPart, leastBodies))
		p.connections = min(p.connections, connectionsFor(files))
		p.watchers = min(p.watchers, p.connections)
	}
	if s.MaxBodies > 0 {
		p.bodies = s.MaxBodies
	}
	return p
}

// tooLittle reports whether there is less than the program promises to work in. The kernel rounds limits down to
// pages, of 64 KiB at most.
func (p memoryPlan) tooLittle() bool { return p.bytes < leastMemory-64<<10 }

// lines are the plan as pairs of a name and a value.
func (p memoryPlan) lines() []any {
	return []any{
		"limit", shownBytes(p.bytes), "from", p.from, "go_limit", shownBytes(p.goLimit),
		"cache", shownBytes(p.cache), "bodies", p.bodies, "connections", p.connections, "watchers", p.watchers,
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
