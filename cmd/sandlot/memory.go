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
	"sandlot/internal/transport/mcp"
	"sandlot/internal/transport/web/card"
)

const (
	// leastMemory is the least memory in which the program promises to work, in bytes.
	leastMemory = 96_000_000
	// unknownMemory is assumed if the size is unknown: a small machine of today, in bytes.
	unknownMemory = 1 << 30
)

const (
	// bodyMemory is the share of one body while it is received, in bytes: the windows of the decoder and of the disk,
	// the bytes held for the database, and its connection. Twenty of 100 MB at once took 0.7 MiB each, with
	// GOMEMLIMIT=128MiB.
	bodyMemory = 1 << 20
	// leastBodies is the number for any machine that runs the program at all, and mostBodies is more than any disk
	// writes at once.
	leastBodies, mostBodies = 16, 1024
	// leastLarge and mostLarge bound the large messages of MCP: two clients can always send one.
	leastLarge, mostLarge = 2, 64
	// mostCache is the default if there is enough memory: the current files of some thousand small games.
	mostCache, leastCache = 64 << 20, 1 << 20
	// connectionMemory is the share of a watcher's connection, 9 KiB as measured, with room for a reader of a large
	// file.
	connectionMemory = 16 << 10
	// mostWatchers is twice the number that one popular project should have.
	mostWatchers = 20_000
	// mostDatabase is the size of the database's cache; a larger one was no faster, for the kernel caches the rest.
	mostDatabase = 8 << 20
	// mostOfProject is the most players counted for one project, as in live.Limits.
	mostOfProject = 100_000
)

// collectAt is the percentage of garbage, relative to the memory in use, at which it is collected. Little is in use,
// some 10 MiB, so with Go's own 100 the collector hardly rested under load: it took 7 % of both publishes and answers.
// Near Go's limit it is collected earlier.
const collectAt = 200

// collectLess applies collectAt, unless the operator has set GOGC.
func collectLess(gogc string) {
	if gogc == "" {
		debug.SetGCPercent(collectAt)
	}
}

// collectHeavy replaces collectAt during calls with very many files or very large ones: 16 of 100 MB made the process 31
// MiB larger than idle, and now 13. A call with 10,000 files takes a tenth longer than with 75.
const collectHeavy = 50

// collecting returns the function that switches to collectHeavy during such calls; nil if the operator has set GOGC.
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

// A memoryPlan holds every size that depends on the memory.
type memoryPlan struct {
	bytes       int64  // of the machine, or of the control groups
	from        string // the source of bytes; "unknown machine" if there is none
	goLimit     int64  // the limit of Go: above it, Go collects garbage as often as it must
	cache       int64  // bytes of cached files
	database    int    // bytes that SQLite caches
	bodies      int    // received at once
	large       int    // large messages of MCP, read at once
	connections int    // of clients
	watchers    int    // of pages, among the connections
	players     int    // counted as present, in all projects; a quarter of them in one
	clients     int    // clients whose limits are remembered: addresses, and as many accounts and keys
	remembered  publish.Remembered
	plays       int   // plays of the last half hour that are remembered
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

// planMemory divides the memory. Go has three quarters of it: the rest is for the database, the program, and the
// buffers of the kernel. It keeps an explicit limit of Go's, above 0. Nothing is allocated before it is needed, and no
// client alone can fill more than one of the shares, so together they may exceed Go's limit.
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
	p.large = int(min(max(share/8/mcp.LargeMemory, leastLarge), mostLarge))
	p.connections = int(share / connectionMemory)
	p.watchers = min(p.connections/8*7, mostWatchers)
	p.players = int(min(share/16/220, 1_000_000)) // live.Limits has the size of one
	p.clients = int(min(share/32/300, 65_536))    // admission.Config, likewise
	p.remembered.Projects = int(min(share/64/500, publish.DefaultProjects))
	p.plays = int(min(share/32/100, gallery.DefaultPlays))
	p.searches = int(min(share/10, gallery.DefaultTexts))
	p.fonts = min(share/8, card.MostKept)
	return p
}

// memory returns the plan for this machine and these settings.
func (s settings) memory() memoryPlan {
	explicit := int64(0)
	if os.Getenv("GOMEMLIMIT") != "" {
		explicit = debug.SetMemoryLimit(-1) // Go has read it
	}
	bytes, from := findMemory()
	p := planMemory(bytes, explicit)
	p.from = from
	if s.endsTLS() { // a waiting connection has 31 KiB, as measured
		p.connections /= 2
		p.watchers = min(p.connections/8*7, mostWatchers)
	}
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

// tooLittle reports whether there is less memory than the program promises to work in. The kernel rounds limits down to
// pages, of 64 KiB at most.
func (p memoryPlan) tooLittle() bool { return p.bytes < leastMemory-64<<10 }

// lines returns the plan as pairs of a name and a value.
func (p memoryPlan) lines() []any {
	return []any{
		"limit", shownBytes(p.bytes), "from", p.from, "go_limit", shownBytes(p.goLimit),
		"cache", shownBytes(p.cache), "bodies", p.bodies, "connections", p.connections, "watchers", p.watchers,
	}
}

// shownBytes returns a number of bytes in readable form.
func shownBytes(n int64) string {
	if n == math.MaxInt64 {
		return "none"
	}
	return size(n).about().String()
}

// String returns the plan in the form of the log.
func (p memoryPlan) String() string {
	var b strings.Builder
	for i, all := 0, p.lines(); i < len(all); i += 2 {
		fmt.Fprintf(&b, "%v=%v ", all[i], all[i+1])
	}
	return strings.TrimSpace(b.String())
}
