package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
	"golang.org/x/text/unicode/norm"

	"sandlot/internal/client/client"
)

// A localFile is a file of the folder that is published.
type localFile struct {
	name   string // in the project
	path   string // in the folder
	size   int64
	sha256 string // in lower-case hex
}

// A tree is what of a folder is published.
type tree struct {
	root    *os.Root
	files   []localFile // by path
	size    int64       // of all, in bytes
	leftOut []string    // what the usual rules leave out, folders with a slash
	named   map[string]bool
	odd     []string // links that lead out of the folder or to folders, and what is no file
}

// treeMost is how many files a project may have. A folder with more is rarely the one that was meant.
const treeMost = 10_000

// leaveOut are the rules that hold where a .sandlotignore does not say otherwise: nobody publishes those on purpose, files that
// begin with a dot may hold secrets, and an export has everything of the account.
const leaveOut = ".*\n!.well-known\nnode_modules/\n__MACOSX/\nThumbs.db\ndesktop.ini\n*.pem\n_netrc\nid_rsa\nid_dsa\nid_ecdsa\nid_ed25519\n" + exportName + "\n"

const rulesFile = ".sandlotignore"

// readTree lists a folder. The caller closes the root of what it returns.
func readTree(dir string) (*tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", dir, cause(err))
	}
	t := &tree{root: root, named: map[string]bool{}}
	if err := t.walk(); err != nil {
		_ = root.Close()
		var known *Failure
		if errors.As(err, &known) {
			return nil, err
		}
		return nil, unreadable(dir, err)
	}
	return t, nil
}

func (t *tree) walk() error {
	rules, err := t.rules()
	if err != nil {
		return err
	}
	return fs.WalkDir(t.root.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == "." {
			return err
		}
		if t.skips(rules, at, d) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		return t.add(at)
	})
}

// rules are the usual ones, and those of the folder, of which the last that fits counts.
func (t *tree) rules() (gitignore.Matcher, error) {
	text := leaveOut
	own, err := t.ownRules()
	if err != nil {
		return nil, err
	}
	var all []gitignore.Pattern
	for line := range strings.Lines(text + string(own)) {
		if line = strings.TrimRight(line, " \r\n"); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, gitignore.ParsePattern(line, nil))
		}
	}
	return gitignore.NewMatcher(all), nil
}

// ownRules is what the folder's file of rules says. Rules that are not read whole could let out what they name.
func (t *tree) ownRules() ([]byte, error) {
	info, err := t.root.Stat(rulesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > stateMax) {
		err = usage("%s is no file of at most %d KiB; nothing was sent", rulesFile, stateMax>>10)
	}
	if err != nil {
		return nil, err
	}
	return t.root.ReadFile(rulesFile)
}

func (t *tree) skips(rules gitignore.Matcher, at string, d fs.DirEntry) bool {
	switch base := path.Base(at); {
	case base == stateFolder || base == ".git" || base == "Icon\r" || at == rulesFile:
		return true // whatever the rules say, and nobody expects them to be there
	case rules.Match(strings.Split(at, "/"), d.IsDir()):
		if d.IsDir() {
			at += "/"
		}
		t.leftOut = append(t.leftOut, at)
		return true
	}
	return false
}

// add takes a file in. Links are followed only within the folder, and only to files.
func (t *tree) add(at string) error {
	info, err := t.root.Stat(at)
	if err != nil || !info.Mode().IsRegular() {
		t.odd = append(t.odd, at)
		return nil
	}
	if len(t.files) == treeMost {
		return &Failure{
			Message: fmt.Sprintf("the folder has more than %d files, which no project can have; nothing was sent", treeMost),
			Notes:   []string{"Name the folder of the project itself, or list in " + rulesFile + " what is to be left out."}, Exit: ExitContent,
		}
	}
	name := norm.NFC.String(at)
	switch {
	case t.named[name]:
		return t.unnamed(at, "is that of another file, but for how its letters are composed")
	case !utf8.ValidString(at):
		return t.unnamed(at, "is not UTF-8, so it can have no address")
	case strings.Contains(at, `\`):
		return t.unnamed(at, "has a backslash, which servers take for a folder")
	}
	sum, size, err := t.hash(at)
	if err != nil {
		return err
	}
	t.named[name] = true
	t.files = append(t.files, localFile{name: name, path: at, size: size, sha256: sum})
	t.size += size
	return nil
}

func (t *tree) hash(at string) (sum string, size int64, err error) {
	f, err := t.root.Open(at)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	return hashOf(f)
}

// hashOf reads all of r.
func hashOf(r io.Reader) (sum string, size int64, err error) {
	h := sha256.New()
	size, err = io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// A difference is what a folder and a project do not have in common.
type difference struct {
	added, changed []localFile
	only           []string // of the project alone
}

// none reports whether they are the same.
func (d difference) none() bool { return len(d.added)+len(d.changed)+len(d.only) == 0 }

// compare tells how files differ from those of a project.
func compare(files []localFile, there []client.File) (d difference) {
	sums := map[string]string{}
	for _, f := range there {
		sums[f.Filename] = f.SHA256
	}
	for _, f := range files {
		sum, ok := sums[f.name]
		switch {
		case !ok:
			d.added = append(d.added, f)
		case sum != f.sha256:
			d.changed = append(d.changed, f)
		}
		delete(sums, f.name)
	}
	for _, f := range there {
		if _, left := sums[f.Filename]; left {
			d.only = append(d.only, f.Filename)
		}
	}
	return d
}
