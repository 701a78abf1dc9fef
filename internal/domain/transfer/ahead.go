package transfer

import (
	"context"
	"io"

	"sandlot"
)

// Files are handed over in handfuls: to wake the other goroutine for each small one would cost as much as to look it
// up. Three handfuls are open at most: one being written, one waiting and one being gathered. Content in the database
// is read when it is opened, so for an export whose reader has stopped they are in memory.
const (
	handfulFiles = 16
	handfulBytes = 64 << 10
)

// opened is a file at the beginning of the bytes for its entry: the deflate stream of its gzip variant, or its own
// bytes.
type opened struct {
	file     sandlot.File
	variant  sandlot.Variant
	deflated bool
	from     io.ReadCloser
	err      error // then there is nothing to close
}

// openAhead calls write with each file, in their order, and opens the next ones meanwhile: looking up small content
// takes longer than writing it. write closes each file. The first error of write, or the end of ctx, ends it; open
// files are closed when it returns.
func openAhead(ctx context.Context, files []sandlot.File, src Source, write func(opened) error) error {
	opening, stop := context.WithCancel(ctx)
	next := make(chan []opened, 1)
	go openAll(opening, files, src, next)
	defer func() {
		stop()
		for handful := range next {
			closeAll(handful)
		}
	}()
	for handful := range next {
		for i, o := range handful {
			if err := write(o); err != nil {
				closeAll(handful[i+1:])
				return err
			}
		}
	}
	return ctx.Err()
}

// openAll sends the files until one fails or ctx ends, and closes next.
func openAll(ctx context.Context, files []sandlot.File, src Source, next chan<- []opened) {
	defer close(next)
	for len(files) > 0 {
		handful := openSome(ctx, files, src)
		select {
		case next <- handful:
		case <-ctx.Done():
			closeAll(handful)
			return
		}
		if handful[len(handful)-1].err != nil {
			return
		}
		files = files[len(handful):]
	}
}

// openSome opens the first files, at least one, up to one that fails.
func openSome(ctx context.Context, files []sandlot.File, src Source) (handful []opened) {
	var bytes int64
	for _, f := range files[:min(len(files), handfulFiles)] {
		o := openOne(ctx, f, src)
		handful = append(handful, o)
		if bytes += o.size(); bytes >= handfulBytes || o.err != nil {
			break
		}
	}
	return handful
}

func openOne(ctx context.Context, f sandlot.File, src Source) (o opened) {
	o.file = f
	if o.from, o.variant, o.err = deflated(ctx, f, src); o.err != nil {
		return o
	}
	if o.deflated = o.from != nil; !o.deflated {
		o.from, o.err = src.Open(ctx, f.Blob, 0, -1)
	}
	return o
}

// size returns the number of bytes behind from.
func (o opened) size() int64 {
	if o.deflated {
		return o.variant.Blob.Size
	}
	return o.file.Blob.Size
}

func closeAll(handful []opened) {
	for _, o := range handful {
		if o.err == nil {
			o.from.Close()
		}
	}
}
