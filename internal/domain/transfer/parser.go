package transfer

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
	"sandlot/internal/format/unpack"
)

// A parser reads a manifest once, from its beginning to its end, and holds only the changes of a version.
type parser struct {
	d    *json.Decoder // of a short reader, so that no token takes much memory
	zip  *unpack.ZIPFile
	m    *manifest
	most int // files of one version
	all  int // files that are held
}

// read reads the whole manifest.
func (p *parser) read() error {
	return p.fields(func(name string) error {
		switch name {
		case "format":
			return p.valueOf(name, map[string]any{name: &p.m.format})
		case "account":
			return p.fields(func(name string) error {
				if name == "portrait" {
					return p.picture(&p.m.portrait)
				}
				return p.pass()
			})
		case "projects":
			return p.elements(func() error {
				if len(p.m.projects) >= maxProjects {
					return tooLarge("The export has more than %d projects, which is the limit.", maxProjects)
				}
				return p.project()
			})
		}
		return p.pass()
	})
}

// project reads one project. A fault of it alone is kept in its refused.
func (p *parser) project() error {
	x := project{}
	var current, before []file
	history, listed := false, true
	values := map[string]any{
		"project_id": &x.id, "title": &x.title, "lang": &x.lang, "description": &x.description, "primary_file": &x.primary,
		"listed": &listed, "threads": &x.threads, "created_at": &x.created, "updated_at": &x.updated,
	}
	err := p.fields(func(name string) (err error) {
		switch name {
		case "tags":
			return p.tags(&x)
		case "cover":
			return p.picture(&x.cover)
		case "files":
			current, err = p.files(&x)
			return err
		case "versions":
			history = true
			return p.elements(func() error {
				before, err = p.version(&x, before)
				return err
			})
		}
		return p.valueOf(name, values)
	})
	if err != nil {
		return err
	}
	x.unlisted = !listed
	x.settle(current, before, history)
	if !history {
		err = p.hold(current)
	}
	if x.refused != nil {
		x.versions = nil
	}
	p.m.projects = append(p.m.projects, x)
	return err
}

// tags reads the tags of a project, and keeps as many as it may have.
func (p *parser) tags(x *project) error {
	return p.elements(func() error {
		var tag string
		if err := p.d.Decode(&tag); err != nil {
			return unreadable(err)
		}
		if len(x.tags) < sandlot.MaxTags {
			x.tags = append(x.tags, begin(tag))
		}
		return nil
	})
}

// hold counts the files of a version, which are kept until the import ends, and a version without any as one.
func (p *parser) hold(files []file) error {
	if p.all += max(1, len(files)); p.all > maxFiles {
		return tooLarge("The projects of the export bring more than %d files, which is the limit.", maxFiles)
	}
	return nil
}

// settle makes the current files the only version of a project without a history, and otherwise compares them with its
// last version.
func (x *project) settle(current, last []file, history bool) {
	x.files = len(current)
	switch {
	case x.refused != nil:
	case len(current) == 0:
		x.refused = wrong("The manifest names no files of the project %s.", inspect.Quoted(x.id))
	case !history && !hasFile(current, x.primary):
		x.refused = wrong("The project %s lacks its first page, %s.", inspect.Quoted(x.id), inspect.Quoted(x.primary))
	case !history:
		at := x.updated
		if at.IsZero() {
			at = x.created
		}
		x.count = 1
		x.versions = []version{{n: 1, at: at, title: x.title, primary: x.primary, put: current}}
	case len(x.versions) == 0 || !sameFiles(current, last) || x.versions[len(x.versions)-1].primary != x.primary:
		x.refused = wrong("The last version of the project %s does not have the files of the project.", inspect.Quoted(x.id))
	}
	if x.created.IsZero() && len(x.versions) > 0 {
		x.created = x.versions[0].at
	}
}

// version reads one version and returns its files. before are those of the version before.
func (p *parser) version(x *project, before []file) ([]file, error) {
	var v version
	var files []file
	erased, restored := false, 0
	values := map[string]any{
		"version": &v.n, "created_at": &v.at, "title": &v.title, "primary_file": &v.primary, "restored_from": &restored, "erased": &erased,
	}
	err := p.fields(func(name string) (err error) {
		if name == "files" {
			files, err = p.files(x)
			return err
		}
		return p.valueOf(name, values)
	})
	switch {
	case err != nil:
		return before, err
	case erased:
		return before, nil
	}
	x.count++
	switch {
	case x.refused != nil:
		return nil, nil
	case len(x.versions) >= maxVersions:
		x.refuse(wrong("The project %s has more than %d versions, which is the limit.", inspect.Quoted(x.id), maxVersions))
		return nil, nil
	case len(x.versions) > 0 && v.n <= x.versions[len(x.versions)-1].n || v.n < 1:
		x.refuse(wrong("The versions of the project %s are not in their order.", inspect.Quoted(x.id)))
	case !hasFile(files, v.primary):
		x.refuse(wrong("Version %d of the project %s lacks its first page, %s.",
			v.n, inspect.Quoted(x.id), inspect.Quoted(v.primary)))
	}
	if i := slices.IndexFunc(x.versions, func(old version) bool { return old.n == restored }); i >= 0 {
		v.restored = i + 1
	}
	v.drop, v.put = change(before, files)
	x.versions = append(x.versions, v)
	return files, p.hold(v.put)
}

// files reads the files of one version, and sorts them by name.
func (p *parser) files(x *project) ([]file, error) {
	var list []file
	err := p.elements(func() error {
		f, fault, err := p.file()
		if err != nil {
			return err
		}
		if len(list) >= p.most {
			return tooLarge("A version has more than %d files, which is the limit.", int64(p.most))
		}
		x.refuse(fault)
		list = append(list, f)
		return nil
	})
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.name, b.name) })
	x.refuse(apart(list))
	return list, err
}

// file reads the fields of one file, and checks its name and that the archive has such a file. A fault is of that file
// alone.
func (p *parser) file() (f file, fault, err error) {
	var name, sum string
	values := map[string]any{"filename": &name, "path": &f.path, "size": &f.size, "sha256": &sum}
	if err := p.fields(func(name string) error { return p.valueOf(name, values) }); err != nil {
		return f, nil, err
	}
	if f.name, err = names.Filename(name); err != nil {
		return f, wrong("A file has a name that cannot be used. %s", err), nil
	}
	entry, ok := p.zip.Find(f.path)
	if !ok {
		return f, wrong("The archive lacks the file %s, which its manifest names at %s.",
			inspect.Quoted(name), inspect.Quoted(f.path)), nil
	}
	if f.path = entry.Name; entry.Size != f.size {
		return f, wrong("The file %s has %d bytes in the archive, and the manifest says %d.",
			inspect.Quoted(name), entry.Size, f.size), nil
	}
	raw, err := hex.DecodeString(sum)
	if err != nil || len(raw) != len(f.sum) {
		return f, wrong("The manifest has no SHA-256 of the file %s.", inspect.Quoted(name)), nil
	}
	f.sum = sandlot.Digest(raw)
	return f, nil, nil
}

// apart refuses files that no file system could keep apart.
func apart(list []file) error {
	all := make([]string, len(list))
	for i, f := range list {
		all[i] = f.name
		if i > 0 && all[i-1] == f.name {
			return wrong("The manifest names the file %s twice.", inspect.Quoted(f.name))
		}
	}
	if a, b, found := names.Clash(all); found {
		return wrong("The files %s and %s cannot lie beside each other.", inspect.Quoted(a), inspect.Quoted(b))
	}
	return nil
}

// refuse keeps the first fault of a project.
func (x *project) refuse(err error) {
	if x.refused == nil {
		x.refused = err
	}
}

// change returns the changes from one list of files to another. Both are sorted by name.
func change(before, after []file) (drop []string, put []file) {
	i := 0
	for _, f := range after {
		for i < len(before) && before[i].name < f.name {
			drop = append(drop, before[i].name)
			i++
		}
		if i < len(before) && before[i].name == f.name {
			old := before[i]
			if i++; old.sum == f.sum {
				continue
			}
			drop = append(drop, f.name)
		}
		put = append(put, f)
	}
	for ; i < len(before); i++ {
		drop = append(drop, before[i].name)
	}
	return drop, put
}

func hasFile(list []file, name string) bool {
	return slices.ContainsFunc(list, func(f file) bool { return f.name == name })
}

func sameFiles(a, b []file) bool {
	return slices.EqualFunc(a, b, func(x, y file) bool { return x.name == y.name && x.sum == y.sum })
}

// fields calls do with the name of each field of an object; do reads its value. A repeated name is refused: two
// programs could read different manifests.
func (p *parser) fields(do func(name string) error) error {
	seen := map[string]bool{}
	return p.within('{', '}', func() error {
		t, err := p.d.Token()
		if err != nil {
			return unreadable(err)
		}
		name, ok := t.(string)
		if !ok || seen[name] || len(seen) >= maxNames {
			return unreadable(fmt.Errorf("%w: a name that comes twice, or too many", errShape))
		}
		seen[name] = true
		return do(name)
	})
}

// maxNames bounds the names of an object, with those that are passed over.
const maxNames = 100

// elements calls do for each element of a list; do reads it.
func (p *parser) elements(do func() error) error { return p.within('[', ']', do) }

func (p *parser) within(opens, closes json.Delim, do func() error) error {
	if err := p.delim(opens); err != nil {
		return err
	}
	for p.d.More() {
		if err := do(); err != nil {
			return err
		}
	}
	return p.delim(closes)
}

func (p *parser) delim(want json.Delim) error {
	t, err := p.d.Token()
	if err == nil && t != want {
		err = errShape
	}
	if err != nil {
		return unreadable(err)
	}
	return nil
}

// valueOf reads the value of a field into its variable, which null leaves as it is, and skips that of any other.
func (p *parser) valueOf(name string, values map[string]any) error {
	into, known := values[name]
	if !known {
		return p.pass()
	}
	var err error
	switch into := into.(type) {
	case *string:
		err = p.d.Decode(into)
		*into = begin(*into)
	case *time.Time:
		var text string
		if err = p.d.Decode(&text); err == nil && text != "" {
			if *into, err = time.Parse(time.RFC3339, text); err != nil {
				err = errShape
			}
		}
	default:
		err = p.d.Decode(into)
	}
	if err != nil {
		return unreadable(err)
	}
	return nil
}

// maxText bounds the bytes of a text that are kept: no accepted title, name or description has more.
const maxText = 4 << 10

// begin returns the beginning of a text, which is too long for every limit that the whole text exceeds.
func begin(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(strings.Clone(text[:maxText]), "")
}

// pass skips a value that nobody needs, piece by piece.
func (p *parser) pass() error {
	for depth := 0; ; {
		t, err := p.d.Token()
		if err != nil {
			return unreadable(err)
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
