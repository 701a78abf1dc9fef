package sqlstore

import (
	"maps"
	"time"

	"sandlot"
)

// kept knows the blobs that came with one change, which may be recorded in steps: what is
// the content of several files is recorded once. The zero value knows none.
type kept struct {
	before map[contentKey]int64 // recorded by the steps before
	now    map[contentKey]int64 // by this one, if it is made
}

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

// anew begins with a step, which may have been tried before.
func (k *kept) anew() *kept {
	k.now = map[contentKey]int64{}
	return k
}

// stay says that the step was made.
func (k *kept) stay() {
	if k.before == nil {
		k.before = map[contentKey]int64{}
	}
	maps.Copy(k.before, k.now)
}

// keepAll records the contents of files, but for what is recorded already, and returns the ids.
func (t *tx) keepAll(files []pastFile, k *kept, now time.Time) ([]int64, error) {
	ids := make([]int64, len(files))
	var fresh []sandlot.Blob
	at := map[contentKey]int{} // where they are in fresh
	for i, f := range files {
		if ids[i] = f.Blob.ID; ids[i] != 0 {
			if err := t.keepAgain(ids[i], asFile); err != nil {
				return nil, err
			}
			continue
		}
		key := contentOf(f.Blob)
		if ids[i] = k.before[key]; ids[i] != 0 {
			continue
		}
		if _, found := at[key]; !found {
			at[key] = len(fresh)
			fresh = append(fresh, f.Blob)
		}
	}
	made, err := t.keepNew(fresh, asFile, now)
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if ids[i] == 0 {
			key := contentOf(f.Blob)
			ids[i] = made[at[key]]
			k.now[key] = ids[i]
		}
	}
	return ids, nil
}
