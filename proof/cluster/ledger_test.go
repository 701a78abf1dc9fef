package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"sync"
	"time"

	api "sandlot/internal/client/client"
)

const primary = "index.html"

// A project is one that a single client writes, as it was answered.
type project struct {
	mu       sync.Mutex
	id, url  string
	key      string
	owner    string // the account's key
	versions []version
	next     map[string]string // the files of a version that was sent and is not acknowledged; nil: there is none
	sent     map[string]int    // the versions that a primary file with that hash was sent for
	shown    [nodeCount]int    // the newest version that was read at each node
	files    map[string]string // of the newest version: hashes by name
}

// A version is one that was acknowledged. The first is version 1.
type version struct {
	url   string
	files map[string]string
	acked time.Time
}

// An account is what one client has been given.
type account struct {
	key      string
	email    string
	projects []*project
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// sending notes a change that may be seen from now on; without a hash the file is deleted.
func (p *project) sending(name, hash string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = maps.Clone(p.files)
	if hash == "" {
		delete(p.next, name)
	} else {
		p.next[name] = hash
	}
	if name == primary {
		p.sent[hash] = len(p.versions) + 1
	}
}

// acked notes what the change that was sent was answered, which must be the next version.
func (p *project) acked(a api.Answer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.versions)
	if a.Version != n+1 || a.Previous != n || n > 0 && a.ProjectID != p.id {
		return fmt.Errorf("%s: it went from %d to %d, and was acknowledged at %d (%s)", a.ProjectID, a.Previous, a.Version, n, p.id)
	}
	p.versions = append(p.versions, version{a.VersionURL, p.next, time.Now()})
	p.files, p.next = p.next, nil
	return nil
}

// judge compares the primary file that a node has shown. stale is for how long it was no longer so when the read began. changed is whether
// the node has shown an older one before.
func (p *project) judge(node int, begun time.Time, hash string) (shows int, stale time.Duration, changed bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shows, known := p.sent[hash]
	if !known {
		return 0, 0, false, fmt.Errorf("%s serves bytes that nobody has sent", p.url)
	}
	for n := shows; n < len(p.versions); n++ {
		next := p.versions[n]
		if next.files[primary] == hash || !next.acked.Before(begun) {
			continue
		}
		stale = begun.Sub(next.acked)
		break
	}
	changed = p.shown[node] > 0 && p.shown[node] < shows
	p.shown[node] = max(p.shown[node], shows)
	return shows, stale, changed, nil
}

// judgeList compares what a node has said of a project, which had so many versions when it was asked: a list is never out of date.
func (p *project) judgeList(known int, said api.Project) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	files := p.next
	switch n := said.Version; {
	case n < known:
		return fmt.Errorf("%s is said to be at version %d after %d was acknowledged", p.id, n, known)
	case n > len(p.versions)+1 || n == len(p.versions)+1 && p.next == nil:
		return fmt.Errorf("%s is said to be at version %d, and %d were sent", p.id, n, len(p.versions))
	case n <= len(p.versions):
		files = p.versions[n-1].files
	}
	if err := compareFiles(said, files); err != nil {
		return fmt.Errorf("version %d of %w", said.Version, err)
	}
	return nil
}

func compareFiles(said api.Project, files map[string]string) error {
	if len(said.Files) != len(files) {
		return fmt.Errorf("%s has %d files, not %d", said.ID, len(said.Files), len(files))
	}
	for _, f := range said.Files {
		if f.SHA256 != files[f.Filename] {
			return fmt.Errorf("%s has %s with the hash %s, not %s", said.ID, f.Filename, f.SHA256, files[f.Filename])
		}
	}
	return nil
}

// count returns the number of acknowledged versions.
func (p *project) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.versions)
}

// since returns the time since which the project has been there.
func (p *project) since() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.versions[0].acked
}
