package archive

import (
	"archive/zip"
	"context"
	"fmt"
	"slices"

	"sandlot/internal/publish"
)

// versionsPage is how many versions are asked for at a time.
const versionsPage = publish.MaxPage

// paths knows where the bytes of one project's files lie. Those of the current version lie under their names. Of
// what only earlier versions have, bytes of one hash lie where the first of these has them, in a folder beside the project's.
type paths struct {
	project publish.Project
	known   map[publish.Digest]string
}

// of is the path of a file of version n, which may be a new one.
func (p *paths) of(n int, f publish.File) string {
	if n == p.project.Version {
		return entryName(p.project, f)
	}
	if path, ok := p.known[f.Blob.SHA256]; ok {
		return path
	}
	path := fmt.Sprintf("%s.v%d/%s", p.project.ID, n, f.Name) // no project id has a dot
	p.known[f.Blob.SHA256] = path
	return path
}

// eachVersion calls do with each version of a project up to the one that is exported, the oldest first, with its files and where they lie.
// One that was erased comes without files. Memory holds a path for each content of the project.
func eachVersion(ctx context.Context, p publish.Project, src Source, do func(publish.VersionChange, []publish.File, *paths) error) error {
	list, err := versionsOf(ctx, p, src)
	if err != nil {
		return err
	}
	current, err := src.FilesWith(ctx, p.ID, p.Version, packed)
	if err != nil {
		return err
	}
	at := &paths{p, map[publish.Digest]string{}}
	for _, f := range current {
		if _, ok := at.known[f.Blob.SHA256]; !ok {
			at.known[f.Blob.SHA256] = entryName(p, f)
		}
	}
	for _, v := range list {
		var files []publish.File
		switch {
		case v.Erased:
		case v.N == p.Version:
			files = current
		default:
			if files, err = src.FilesWith(ctx, p.ID, v.N, packed); err != nil {
				return fmt.Errorf("version %d: %w", v.N, err)
			}
		}
		if err := do(v, files, at); err != nil {
			return err
		}
	}
	return nil
}

// versionsOf lists the versions up to the one that is exported, without what each changed.
func versionsOf(ctx context.Context, p publish.Project, src Source) (list []publish.VersionChange, err error) {
	for before := p.Version + 1; before > 1; before = list[len(list)-1].N {
		page, err := src.VersionsBelow(ctx, p.ID, before, versionsPage)
		if err != nil {
			return nil, err
		}
		for _, v := range page {
			v.Added, v.Changed, v.Removed = nil, nil, nil
			list = append(list, v)
		}
		if len(page) < versionsPage {
			break
		}
	}
	slices.Reverse(list)
	return list, nil
}

// writeHistory writes what earlier versions have and the current one has not.
func writeHistory(ctx context.Context, z *zip.Writer, p publish.Project, src Source) error {
	return eachVersion(ctx, p, src, func(v publish.VersionChange, files []publish.File, at *paths) error {
		var own []publish.File
		for _, f := range files {
			if before := len(at.known); v.N != p.Version && at.of(v.N, f) != "" && len(at.known) > before {
				own = append(own, f)
			}
		}
		return openAhead(ctx, own, src, func(o opened) error {
			if err := writeOpened(z, at.of(v.N, o.file), v.CreatedAt, o); err != nil {
				return fmt.Errorf("version %d: %s: %w", v.N, o.file.Name, namedIn(err, p, v.N, o.file))
			}
			return nil
		})
	})
}
