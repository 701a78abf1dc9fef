package night

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"sandlot/internal/testkit/expect"
)

// missesEnv names a folder in which a night leaves the phishing pages that visitors saw, one folder a page.
const missesEnv = "SANDLOT_TEST_NIGHT_MISSES"

func (n *night) leaveMisses() {
	folder := os.Getenv(missesEnv)
	if folder == "" {
		return
	}
	for _, r := range n.crews() {
		if r.first.IsZero() {
			continue
		}
		why := "nothing held it"
		if r.proves > 0 {
			why = "its address was verified"
		} else if !r.shown {
			why = "held later, by the rule " + cmp.Or(string(n.rule(n.t, r.id)), "of the desk")
		}
		to := filepath.Join(folder, fmt.Sprintf("%03d-%s-%s-%s", r.number, r.Kind, r.Way, r.Trick))
		readme := fmt.Appendf(nil, "kind: %s\nway: %s, %s\ntitle: %s\ntakes the secret itself: %v\nseen for: %s\nwhy: %s\nid: %s\n",
			r.Kind, r.Way, r.Trick, r.Title, r.Collects, short(r.seen), why, r.id)
		write(n, filepath.Join(to, "README"), readme)
		for name, data := range r.Files {
			write(n, filepath.Join(to, "files", filepath.FromSlash(name)), data)
		}
	}
}

func write(n *night, path string, data []byte) {
	expect.OK(n.t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(n.t, os.WriteFile(path, data, 0o644))
}
