package model_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// tree is the files of one call that brings many.
type tree struct {
	files   []sent
	format  string // of the archive that they come in; empty: they come one by one
	foreign bool   // with what some tool keeps beside them
}

type sent struct{ name, text string }

// foreign is what is left out.
var foreign = sent{"node_modules/x.js", ""}

// drawTree draws files, of which a project may have some already.
func drawTree(t *rapid.T, have map[string]file) *tree {
	all := &tree{foreign: rapid.SampledFrom([]bool{false, false, true}).Draw(t, "with files of a tool")}
	all.drawFormat(t)
	list := slices.Clone(names)
	for range rapid.SampledFrom([]int{1, 2, 2, 3, 3, maxFiles, maxFiles + 1}).Draw(t, "files") {
		i := rapid.IntRange(0, len(list)-1).Draw(t, "name")
		all.files = append(all.files, sent{list[i], textOf(t, have, list[i])})
		list = slices.Delete(list, i, i+1)
	}
	if rapid.SampledFrom([]bool{false, false, true}).Draw(t, "in a folder") {
		for i := range all.files {
			all.files[i].name = "site/" + all.files[i].name
		}
	}
	return all
}

// drawFormat draws how they come.
func (tr *tree) drawFormat(t *rapid.T) {
	tr.format = rapid.SampledFrom([]string{"", "zip", "tar", "tar.gz"}).Draw(t, "format")
}

// textOf draws the bytes of one of them: other ones, or those of a file that is there.
func textOf(t *rapid.T, have map[string]file, name string) string {
	of := rapid.SampledFrom([]string{"new", "same", "another's"}).Draw(t, "bytes")
	if old, there := have[name]; there && of == "same" {
		return old.text
	}
	if len(have) > 0 && of == "another's" {
		return have[pick(t, "whose", slices.Sorted(maps.Keys(have)))].text
	}
	return text(t)
}

// sent are all files of the call.
func (tr *tree) sent() []sent {
	if tr.foreign {
		return append(slices.Clone(tr.files), foreign)
	}
	return tr.files
}

// packed is the archive of that format.
func (tr *tree) packed(t *rapid.T, format string) string {
	var out bytes.Buffer
	var w io.Writer = &out
	ends := []io.Closer{}
	if format == "tar.gz" {
		z := gzip.NewWriter(w)
		w, ends = z, append(ends, z)
	}
	var err error
	if format == "zip" {
		z := zip.NewWriter(w)
		ends = append(ends, z)
		for _, f := range tr.sent() {
			to, make := z.Create(f.name)
			if err = make; err == nil {
				_, err = io.WriteString(to, f.text)
			}
		}
	} else {
		z := tar.NewWriter(w)
		ends = append(ends, z)
		for _, f := range tr.sent() {
			if err = z.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.text)), Mode: 0o644}); err == nil {
				_, err = io.WriteString(z, f.text)
			}
		}
	}
	for _, end := range slices.Backward(ends) {
		if err == nil {
			err = end.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// stageTree hands the files over as a transport does.
func (m *machine) stageTree(t *rapid.T, tr *tree) (*publish.Tree, error) {
	out := m.Contents.NewTree(nil)
	err := m.fill(t, out, tr)
	if err != nil {
		m.Contents.DiscardTree(t.Context(), out)
		return nil, err
	}
	return out, nil
}

func (m *machine) fill(t *rapid.T, out *publish.Tree, tr *tree) error {
	if tr.format != "" {
		return out.Unpack(t.Context(), tr.format, strings.NewReader(tr.packed(t, tr.format)))
	}
	for _, f := range tr.sent() {
		if err := out.Add(t.Context(), f.name, publish.Declared{}, strings.NewReader(f.text)); err != nil {
			return err
		}
	}
	return nil
}

// arranged are the files under the names that they get without the folder, or why they are refused.
func (tr *tree) arranged(folder string, archive bool) (files map[string]string, why []sandlot.Code) {
	files = map[string]string{}
	size := 0
	clash := sandlot.CodeFilenameConflict
	if archive {
		clash = sandlot.CodeInvalidArchive
	}
	placed := map[string]file{}
	for _, f := range tr.files {
		name := strings.TrimPrefix(f.name, folder)
		if conflicts(placed, name) {
			why = append(why, clash)
		}
		files[name], placed[name] = f.text, file{}
		size += len(f.text)
	}
	if len(tr.files) > maxFiles || size > maxFile {
		why = append(why, sandlot.CodeContentTooLarge)
	}
	return files, why
}

// folder is the one that all files lie in, if it holds the page.
func (tr *tree) folder() string {
	folder, _, found := strings.Cut(tr.files[0].name, "/")
	folder += "/"
	inside := map[string]string{}
	for _, f := range tr.files {
		name, in := strings.CutPrefix(f.name, folder)
		found, inside[name] = found && in, ""
	}
	if !found || page(inside) == "" {
		return ""
	}
	return folder
}

// off is the folder that a call takes off from around them: to replace the others, one that holds the page; else the one that was
// taken off before, where they do not belong into it.
func (tr *tree) off(p *project, replace bool) string {
	if replace {
		return tr.folder()
	}
	inside, now := map[string]string{}, p.current().files
	for _, f := range tr.files {
		name, in := strings.CutPrefix(f.name, p.wrapper)
		if inside[name] = ""; !in || p.wrapper == "" {
			return ""
		}
	}
	for name := range now {
		if _, there := now[page(inside)]; strings.HasPrefix(name, p.wrapper) && (!there || now[p.wrapper+page(inside)] != (file{})) {
			return ""
		}
	}
	return p.wrapper
}

// page is the one that is found among files: index.html, or the one at the root.
func page[T any](files map[string]T) string {
	if _, there := files[primary]; there {
		return primary
	}
	var pages []string
	for name := range files {
		if strings.HasSuffix(name, ".html") && !strings.Contains(name, "/") {
			pages = append(pages, name)
		}
	}
	if len(pages) != 1 {
		return ""
	}
	return pages[0]
}

// named is the name that a file gets which may be called by the one that it was sent under, in the folder that was
// taken off.
func named(files map[string]string, wanted, folder string) string {
	inside := strings.TrimPrefix(wanted, folder)
	if _, there := files[wanted]; there {
		return wanted
	} else if _, there := files[inside]; there {
		return inside
	}
	return wanted
}

// chosen is the primary file of these: the one that is wanted, or else the one that was before, or else the one
// that is found.
func chosen[T any](files map[string]T, wanted, before string) (string, []sandlot.Code) {
	for _, name := range []string{wanted, before, page(files)} {
		if _, there := files[name]; there {
			return name, nil
		} else if name != "" && name == wanted {
			break
		}
	}
	return "", []sandlot.Code{sandlot.CodeNoPrimaryFile}
}

// refusedContents tells why files cannot have these bytes.
func refusedContents(files map[string]string, page string) (why []sandlot.Code) {
	for name, text := range files {
		why = append(why, refusedContent(name, text, page)...)
	}
	return why
}

// refusedNew tells why these cannot be the files of a new project, or which is its primary one.
func (tr *tree) refusedNew(archive bool, wanted string) (files map[string]string, page string, why []sandlot.Code) {
	files, why = tr.arranged(tr.folder(), archive)
	page, none := chosen(files, named(files, wanted, tr.folder()), "")
	why = append(why, none...)
	return files, page, append(why, refusedContents(files, page)...)
}

// merge is what a call with many files makes of a project.
type merge struct {
	files              map[string]file
	primary, wrapper   string
	changed            []string
	unchanged, removed int
}

// merge computes it, or tells why it is refused. Bytes that are there are not put again.
func (m *machine) merge(p *project, tr *tree, archive, replace bool, wanted string) (out merge, why []sandlot.Code) {
	folder := tr.off(p, replace)
	sent, why := tr.arranged(folder, archive)
	now := p.current()
	out.files, out.primary = map[string]file{}, now.primary
	out.wrapper = cmp.Or(folder, p.wrapper)
	known := map[string]file{}
	for _, name := range slices.Sorted(maps.Keys(now.files)) {
		f := now.files[name]
		known[f.text] = f
		if _, again := sent[name]; again {
			continue
		} else if replace {
			out.removed++
		} else {
			out.files[name] = f
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		f, there := known[sent[name]]
		if old, same := now.files[name]; same && old.text == sent[name] {
			out.files[name] = old
			out.unchanged++
			continue
		} else if !there {
			f = m.file(sent[name])
		}
		if conflicts(out.files, name) {
			why = append(why, sandlot.CodeFilenameConflict)
		}
		out.files[name] = f
		out.changed = append(out.changed, name)
	}
	if len(out.files) > maxFiles {
		why = append(why, sandlot.CodeQuotaExceeded)
	}
	wanted = named(sent, wanted, folder)
	why = append(why, out.choose(sent, now.primary, replace, wanted)...)
	return out, append(why, refusedContents(sent, out.primary)...)
}

// choose settles which is the primary file.
func (out *merge) choose(sent map[string]string, before string, replace bool, wanted string) (why []sandlot.Code) {
	switch f, there := out.files[wanted]; {
	case replace:
		out.primary, why = chosen(sent, wanted, before)
	case wanted == "" || wanted == before:
	case !there:
		return []sandlot.Code{sandlot.CodeNoPrimaryFile}
	case f.text == "":
		return []sandlot.Code{sandlot.CodeInvalidField}
	default:
		out.primary = wanted
	}
	return why
}

// wanted draws which file is said to be the primary one: mostly none.
func wanted(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "", primary, "game.html", "more/page.html", "style.css"}).Draw(t, "primary_file")
}

// sameNames compares lists of files.
func sameNames(t *rapid.T, what string, got []sandlot.File, want []string) {
	var list []string
	for _, f := range got {
		list = append(list, f.Name)
	}
	if !slices.Equal(list, want) {
		t.Fatalf("%s: %v, want %v", what, list, want)
	}
}

// String describes what is sent, for a run that failed.
func (tr *tree) String() string { return fmt.Sprintf("%q as %q", tr.sent(), tr.format) }
