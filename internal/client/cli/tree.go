package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sandlot/internal/client/client"
)

// A localFile is a file of the published folder.
type localFile struct {
	name   string // in the project
	path   string // in the folder
	size   int64
	sha256 string // in lower-case hex
}

// A tree holds the published files of a folder.
type tree struct {
	root    *os.Root
	files   []localFile // by path
	size    int64       // of all files, in bytes
	ignored []string    // paths ignored by git; folders end in a slash
	leftOut []string    // paths left out by git and by leaveOut; folders end in a slash
	odd     []string    // links out of the folder or to folders, and special files
}

// treeMost is the limit of files in a project. A folder with more is rarely the intended one.
const treeMost = 10_000

// leaveOut holds name patterns of tools, secrets and exports, which nobody publishes on purpose. It never changes.
var leaveOut = []string{
	"node_modules", "__MACOSX", "Thumbs.db", "desktop.ini", "Icon\r", exportName,
	"*.pem", "_netrc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
}

// readTree lists a folder. The caller closes the root of the tree.
func readTree(ctx context.Context, dir string) (*tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", dir, cause(err))
	}
	t := &tree{root: root, ignored: ignoredByGit(ctx, dir)}
	if err := fs.WalkDir(root.FS(), ".", t.visit); err != nil {
		_ = root.Close()
		return nil, err
	}
	return t, nil
}

// ignoredByGit lists the paths in a folder that git's rules ignore. The list is empty without git, outside of a
// repository, and in a folder that is itself ignored, such as build output.
func ignoredByGit(ctx context.Context, dir string) []string {
	// The repository may be a stranger's: none of its settings may start a program, or reach a server.
	git := exec.CommandContext(ctx, "git", "-C", dir, "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
		"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	git.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	out, err := git.Output()
	list := strings.Split(string(out), "\x00")
	if err != nil || slices.Contains(list, "./") {
		return nil
	}
	slices.Sort(list)
	return list
}

// visit adds a file to the tree, or skips it.
func (t *tree) visit(at string, d fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w; nothing was sent", at, cause(err))
	case at == ".":
		return nil
	case t.skips(at, d):
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	case d.IsDir():
		return nil
	}
	return t.add(at)
}

func (t *tree) skips(at string, d fs.DirEntry) bool {
	base := path.Base(at)
	if base == stateFolder || base == ".git" {
		return true // nobody expects them to be published
	}
	if d.IsDir() {
		at += "/"
	}
	_, ignored := slices.BinarySearch(t.ignored, at)
	fits := func(pattern string) bool { ok, _ := path.Match(pattern, base); return ok }
	if !ignored && (base[0] != '.' || base == ".well-known") && !slices.ContainsFunc(leaveOut, fits) {
		return false
	}
	t.leftOut = append(t.leftOut, at)
	return true
}

// add adds a file to the tree. It follows links only within the folder, and only to files.
func (t *tree) add(at string) error {
	info, err := t.root.Stat(at)
	if err != nil || !info.Mode().IsRegular() {
		t.odd = append(t.odd, at)
		return nil
	}
	if len(t.files) == treeMost {
		return &Failure{
			Message: fmt.Sprintf("the folder has more than %d files, which no project can have; nothing was sent", treeMost),
			Notes:   []string{"Name the folder of the project itself."}, Exit: ExitContent,
		}
	}
	if err := t.hash(norm.NFC.String(at), at); err != nil {
		return fmt.Errorf("%s cannot be read: %w; nothing was sent", at, cause(err))
	}
	return nil
}

// hash reads a file and adds it to the tree under a name.
func (t *tree) hash(name, at string) error {
	f, err := t.root.Open(at)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.Copy(h, f)
	t.files = append(t.files, localFile{name: name, path: at, size: size, sha256: hex.EncodeToString(h.Sum(nil))})
	t.size += size
	return err
}

// only returns the tree with some of its files.
func (t *tree) only(files []localFile) *tree {
	some := &tree{root: t.root, files: files}
	for _, f := range some.files {
		some.size += f.size
	}
	return some
}

// report prints the files of a folder that are not sent.
func (t *tree) report(env *Env) {
	if len(t.leftOut) > 0 {
		env.say("left out: %s", some(t.leftOut))
	}
	if len(t.odd) > 0 {
		env.say("warning: left out, for they are links that lead out of the folder or to folders, or no files: %s", some(t.odd))
	}
}

// A difference lists the files that differ between a folder and a project.
type difference struct {
	added, changed []localFile
	only           []string // in the project alone
}

// none reports whether there is no difference.
func (d difference) none() bool { return len(d.added)+len(d.changed)+len(d.only) == 0 }

// compare compares files with those of a project, by name and hash.
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

// describe prints a difference.
func (env *Env) describe(d difference) {
	for _, f := range d.added {
		env.say("  new      %s  %s", clean(f.name), amount(f.size))
	}
	for _, f := range d.changed {
		env.say("  changed  %s  %s", clean(f.name), amount(f.size))
	}
	for _, name := range d.only {
		env.say("  removed  %s", clean(name))
	}
}
