package blocks

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sandlot"
)

// Contents opens published bytes.
type Contents interface {
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
}

// TextsOf reads pages, and returns the sums of all texts of MaxText at most. Beside the error of a page that cannot be read
// it returns the other sums.
func TextsOf(ctx context.Context, from Contents, pages []Page) (Texts, error) {
	texts := Texts{}
	var errs []error
	for _, p := range pages {
		if !p.Blob.Text || p.Blob.Size > MaxText {
			continue
		}
		text, err := readPage(ctx, from, p)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s of %s: %w", p.Name, p.Project, err))
			continue
		}
		texts[p.Blob.SHA256] = TextSum(text)
	}
	return texts, errors.Join(errs...)
}

func readPage(ctx context.Context, from Contents, p Page) ([]byte, error) {
	r, err := from.Open(ctx, p.Blob, 0, p.Blob.Size)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
