package publish

import "context"

// guardedStore is a Store whose steps tell the staging what became of the blobs
// that they refer to. A test finds every step that takes blobs in here.
type guardedStore struct {
	Store
	staging *staging
}

func (g guardedStore) CreateProject(ctx context.Context, np NewProject) (p Project, err error) {
	err = g.staging.use(func() error { p, err = g.Store.CreateProject(ctx, np); return err }, np.File.Blob)
	return p, err
}

func (g guardedStore) PutFile(ctx context.Context, id ProjectID, f File, at Edit) (p Project, err error) {
	err = g.staging.use(func() error { p, err = g.Store.PutFile(ctx, id, f, at); return err }, f.Blob)
	return p, err
}

func (g guardedStore) SaveUpload(ctx context.Context, u Upload, part *Part, within UploadQuota) (generation int64, err error) {
	var blobs []Blob
	if part != nil {
		blobs = append(blobs, part.Blob)
	}
	err = g.staging.use(func() error { generation, err = g.Store.SaveUpload(ctx, u, part, within); return err }, blobs...)
	return generation, err
}

// guardedSite is the same for the steps of the website.
type guardedSite struct {
	SiteStore
	staging *staging
}

func (g guardedSite) Rearrange(ctx context.Context, id ProjectID, c Change, at Edit) (p Project, err error) {
	blobs := make([]Blob, len(c.Put))
	for i, f := range c.Put {
		blobs[i] = f.Blob
	}
	err = g.staging.use(func() error { p, err = g.SiteStore.Rearrange(ctx, id, c, at); return err }, blobs...)
	return p, err
}

// Variants guards the store of variants, whose bytes come from Stage as well.
func (s *Service) Variants(store VariantStore) VariantStore {
	return guardedVariants{store, s.staging}
}

type guardedVariants struct {
	VariantStore
	staging *staging
}

func (g guardedVariants) PutVariants(ctx context.Context, blobID int64, list []Variant) error {
	blobs := make([]Blob, len(list))
	for i, v := range list {
		blobs[i] = v.Blob
	}
	return g.staging.use(func() error { return g.VariantStore.PutVariants(ctx, blobID, list) }, blobs...)
}
