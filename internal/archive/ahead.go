package archive

import (
	"context"
	"io"

	"sandlot/internal/publish"
)

// filesAhead is how many files may be open besides the one that is written and the
// one that is being opened. Content that lies in the database is read when it is
// opened, so of an export whose reader has stopped these are in memory.
const filesAhead = 4

// opened is a file at the beginning of what its entry is copied from: the deflate
// stream of its gzip variant, or its own bytes.
type opened struct {
	file     publish.File
	variant  publish.Variant
	deflated bool
	from     io.ReadCloser
	err      error // then there is nothing to close
}

// openAhead calls write with each file, in their order, and opens the next ones
// meanwhile: looking up small content takes longer than writing it. write closes
// what it gets. The first error of write, or the end of ctx, ends it; whatever is
// open then is closed when it returns.
func openAhead(ctx context.Context, files []publish.File, src Source, write func(opened) error) error {
	opening, stop := context.WithCancel(ctx)
	next := make(chan opened, filesAhead)
	go openAll(opening, files, src, next)
	defer func() {
		stop()
		for o := range next {
			o.close()
		}
	}()
	for o := range next {
		if err := write(o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// openAll sends each file until one fails or ctx ends, and closes next.
func openAll(ctx context.Context, files []publish.File, src Source, next chan<- opened) {
	defer close(next)
	for _, f := range files {
		o := openOne(ctx, f, src)
		select {
		case next <- o:
		case <-ctx.Done():
			o.close()
			return
		}
		if o.err != nil {
			return
		}
	}
}

func openOne(ctx context.Context, f publish.File, src Source) (o opened) {
	o.file = f
	if o.from, o.variant, o.err = deflated(ctx, f, src); o.err != nil {
		return o
	}
	if o.deflated = o.from != nil; !o.deflated {
		o.from, o.err = src.Open(ctx, f.Blob, 0, -1)
	}
	return o
}

func (o opened) close() {
	if o.err == nil {
		o.from.Close()
	}
}
