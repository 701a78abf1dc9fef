package sqlstore

import (
	"time"

	"sandlot"
)

// A contentKey tells content on its way into a record from other content of the same change:
// by its name, or, where the record has the bytes, by them. Other names are other blobs,
// also of the same bytes: whoever stored them counts on a record of each.
type contentKey struct {
	ref    sandlot.BlobRef
	sha256 sandlot.Digest
	size   int64
}

func contentOf(b sandlot.Blob) contentKey {
	if b.Ref != "" {
		return contentKey{ref: b.Ref}
	}
	return contentKey{sha256: b.SHA256, size: b.Size}
}

// keepAll records the contents of files, each once, and returns the ids.
func (t *tx) keepAll(files []pastFile, now time.Time) ([]int64, error) {
	var known []int64
	var fresh []sandlot.Blob
	at := map[contentKey]int{} // where they are in fresh
	for _, f := range files {
		key := contentOf(f.Blob)
		if _, found := at[key]; f.Blob.ID != 0 {
			known = append(known, f.Blob.ID)
		} else if !found {
			at[key] = len(fresh)
			fresh = append(fresh, f.Blob)
		}
	}
	if err := t.keepAgain(known, asFile); err != nil {
		return nil, err
	}
	ids, err := t.keepNew(fresh, asFile, now)
	if err != nil {
		return nil, err
	}
	list := make([]int64, len(files))
	for i, f := range files {
		if list[i] = f.Blob.ID; list[i] == 0 {
			list[i] = ids[at[contentOf(f.Blob)]]
		}
	}
	return list, nil
}
