package transfer

import (
	"context"
	"io"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/unpack"
)

// stage reads the bytes of a project from the archive, each content once, and compares them with the manifest.
func stage(ctx context.Context, zip *unpack.ZIPFile, tree *publish.Tree, p project) ([]publish.AdoptedVersion, error) {
	kept := map[sandlot.Digest]publish.Content{}
	list := make([]publish.AdoptedVersion, len(p.versions))
	for i, v := range p.versions {
		list[i] = publish.AdoptedVersion{Title: v.title, At: v.at, Primary: v.primary, Drop: v.drop, RestoredFrom: v.restored}
		for _, f := range v.put {
			c, ok := kept[f.sum]
			if !ok {
				var err error
				if c, err = read(ctx, zip, tree, f); err != nil {
					return nil, err
				}
				kept[f.sum] = c
			}
			list[i].Put = append(list[i].Put, publish.SentFile{Name: f.name, Content: c})
		}
	}
	return list, nil
}

// read stages the bytes of one file, if they match the manifest.
func read(ctx context.Context, zip *unpack.ZIPFile, tree *publish.Tree, f file) (c publish.Content, err error) {
	err = zip.Read(f.path, func(_ unpack.Entry, r io.Reader) error {
		c, err = tree.Keep(ctx, f.name, r)
		return err
	})
	if err != nil {
		return c, badArchive(err)
	}
	if c.SHA256 != f.sum {
		return c, sandlot.Refuse(sandlot.CodeDigestMismatch, "The file %s has other bytes than the manifest says: their SHA-256 is %s, not %s.", inspect.Quoted(f.name), c.SHA256, f.sum).
			In("archive").Detail("filename", f.name).Detail("declared_sha256", f.sum.String()).Detail("received_sha256", c.SHA256.String()).
			With(sandlot.OpNothing).Note("Export the project again. Of this project nothing was imported.")
	}
	return c, nil
}
