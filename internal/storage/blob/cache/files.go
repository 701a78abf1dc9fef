package cache

import (
	"container/list"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/storage/blob"
)

const (
	// blockSize is what is read from a file at once, and has a sum of its own.
	blockSize = 32 << 10
	// diskBlock is what a file takes at least, and by which it grows.
	diskBlock = 4 << 10

	tempFolder = "tmp"
	listBatch  = 256
)

// sums are those of the blocks of a piece that matched, in this process alone: 256 bytes a piece.
type sums [checkpoint.Step / blockSize]uint64

var seed = maphash.MakeSeed()

func sumOf(block []byte) uint64 { return maphash.Bytes(seed, block) }

func sumsOf(data []byte) *sums {
	var s sums
	for n := 0; len(data) > 0; n++ {
		block := data[:min(len(data), blockSize)]
		s[n] = sumOf(block)
		data = data[len(block):]
	}
	return &s
}

var mebis = sync.Pool{New: func() any { return new([checkpoint.Step]byte) }}

// files are pieces in a folder. What is in the folder is asked of the folder; the index only counts, orders
// and remembers what matched.
type files struct {
	dir     string
	bytes   int64 // at most
	entries int   // at most
	quit    chan struct{}
	closing sync.Once
	walking sync.WaitGroup

	mu    sync.Mutex
	order *list.List // of *entry, the most recently used first
	index map[id]*list.Element
	holds int64 // bytes, with those of files being written
	files int   // likewise
}

type entry struct {
	id
	takes int64 // bytes
	proof piece // what matched, if sums is not nil
	sums  *sums
}

// takes is what a file of so many bytes takes of the disk.
func takes(size int64) int64 {
	return max((size+diskBlock-1)/diskBlock, 1) * diskBlock
}

func openFiles(opts Options) *files {
	f := &files{
		dir: opts.Folder, bytes: opts.Bytes, entries: opts.Entries, quit: make(chan struct{}),
		order: list.New(), index: map[id]*list.Element{},
	}
	// What an earlier process was writing when it ended.
	_ = os.RemoveAll(filepath.Join(f.dir, tempFolder))
	_ = f.makeFolders("") // if it fails nothing can be kept, which each save finds out
	f.walking.Go(f.walk)
	return f
}

func (f *files) close() {
	f.closing.Do(func() { close(f.quit) })
	f.walking.Wait()
}

func (f *files) holdings() (bytes, entries int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.holds, int64(f.files)
}

func (f *files) path(of id) string {
	return filepath.Join(f.dir, string(of.ref[:2]), string(of.ref)+"."+strconv.FormatInt(of.n, 10))
}

// idOf reads the name of a file in the folder of a shard.
func idOf(shard, name string) (id, bool) {
	ref, number, _ := strings.Cut(name, ".")
	n, err := strconv.ParseInt(number, 10, 64)
	of := id{sandlot.BlobRef(ref), n}
	ok := err == nil && n >= 0 && blob.Valid(of.ref) && ref[:2] == shard && strconv.FormatInt(n, 10) == number
	return of, ok
}

func (f *files) makeFolders(shard string) error {
	return errors.Join(os.MkdirAll(filepath.Join(f.dir, tempFolder), 0o700), os.MkdirAll(filepath.Join(f.dir, shard), 0o700))
}

// open returns a piece that matches, or nil. Of one that does not damaged is true: it stays until another is
// written in its place, for whoever removed it might remove that one.
func (f *files) open(p piece) (k *chunk, damaged bool) {
	file, err := os.Open(f.path(p.id))
	if err != nil {
		f.drop(p.id)
		return nil, false
	}
	k, err = f.compare(file, p)
	if k == nil || k.file == nil {
		file.Close()
	}
	if err != nil {
		f.doubt(p.id)
		return nil, true
	}
	return k, false
}

// compare returns what a file holds, if it is right. A small one it reads.
func (f *files) compare(file *os.File, p piece) (*chunk, error) {
	fi, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if fi.Size() != p.size || !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%d bytes", fi.Size())
	}
	if p.size <= blockSize {
		data := make([]byte, p.size)
		if _, err := io.ReadFull(file, data); err != nil {
			return nil, err
		}
		if !p.matches(data) {
			return nil, sandlot.ErrCorrupt
		}
		f.used(p, nil)
		return &chunk{data: data}, nil
	}
	known := f.used(p, nil)
	if known == nil {
		buf := mebis.Get().(*[checkpoint.Step]byte)
		defer mebis.Put(buf)
		data := buf[:p.size]
		if _, err := io.ReadFull(file, data); err != nil {
			return nil, err
		}
		if !p.matches(data) {
			return nil, sandlot.ErrCorrupt
		}
		known = f.used(p, sumsOf(data))
	}
	return &chunk{file: file, sums: known, size: p.size}, nil
}

// used moves a piece to the front, remembers that it matched if sums are given, and returns what is known of
// it if it did.
func (f *files) used(p piece, matched *sums) *sums {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.index[p.id]
	if !ok {
		e = f.add(p.id, p.size, true)
	}
	f.order.MoveToFront(e)
	of := e.Value.(*entry)
	if matched != nil {
		of.sums, of.proof = matched, p.alone()
	}
	if of.sums == nil || of.proof != p {
		return nil
	}
	return of.sums
}

// alone is a piece that keeps no more in memory than itself.
func (p piece) alone() piece {
	p.before, p.after = strings.Clone(p.before), strings.Clone(p.after)
	return p
}

// add is called with mu, for a file that is there.
func (f *files) add(of id, size int64, front bool) *list.Element {
	e := &entry{id: of, takes: takes(size)}
	f.holds, f.files = f.holds+e.takes, f.files+1
	if front {
		f.index[of] = f.order.PushFront(e)
	} else {
		f.index[of] = f.order.PushBack(e)
	}
	return f.index[of]
}

// save keeps the bytes of a piece, and reports whether it does. What was compared is believed in this process.
func (f *files) save(p piece, data []byte, compared bool) bool {
	need := takes(p.size)
	if need > f.bytes {
		return false
	}
	f.evict(need, 1)
	err := f.write(f.path(p.id), string(p.ref[:2]), data)
	f.evict(-need, -1)
	if err != nil {
		return false
	}
	f.mu.Lock()
	if _, ok := f.index[p.id]; ok {
		f.forgetOne(p.id)
	}
	f.add(p.id, p.size, true)
	f.mu.Unlock()
	if compared && p.size > blockSize {
		f.used(p, sumsOf(data))
	}
	f.evict(0, 0)
	return true
}

// evict counts so much more in, and removes what was used least recently until all fits.
func (f *files) evict(bytes int64, files int) {
	f.mu.Lock()
	f.holds, f.files = f.holds+bytes, f.files+files
	var gone []id
	for (f.holds > f.bytes || f.files > f.entries) && f.order.Len() > 0 {
		of := f.order.Back().Value.(*entry).id
		f.forgetOne(of)
		gone = append(gone, of)
	}
	f.mu.Unlock()
	for _, of := range gone {
		_ = os.Remove(f.path(of)) // one that stays is counted when the folder is walked through again
	}
}

// write makes a file, whole or not at all while the process lives. It is not synced: what a crash tears does
// not match.
func (f *files) write(path, shard string, data []byte) error {
	file, err := os.CreateTemp(filepath.Join(f.dir, tempFolder), "*")
	if errors.Is(err, fs.ErrNotExist) {
		if err = f.makeFolders(shard); err == nil {
			file, err = os.CreateTemp(filepath.Join(f.dir, tempFolder), "*")
		}
	}
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Close())
	if err == nil {
		if err = os.Rename(file.Name(), path); err != nil {
			_ = os.Remove(path) // should a folder be in the way
			_ = f.makeFolders(shard)
			err = os.Rename(file.Name(), path)
		}
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// has tells whether there is a file for a piece. The folder is asked, for the index may not know it yet.
func (f *files) has(p piece) bool {
	fi, err := os.Lstat(f.path(p.id))
	return err == nil && fi.Size() == p.size
}

// doubt has a file compared again before any of it is yielded.
func (f *files) doubt(of id) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e, ok := f.index[of]; ok {
		e.Value.(*entry).sums = nil
	}
}

// drop forgets a file that is gone.
func (f *files) drop(of id) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forgetOne(of)
}

// forgetOne is called with mu.
func (f *files) forgetOne(of id) {
	if e, ok := f.index[of]; ok {
		f.order.Remove(e)
		delete(f.index, of)
		f.holds, f.files = f.holds-e.Value.(*entry).takes, f.files-1
	}
}

// forget removes all pieces of a blob.
func (f *files) forget(ref sandlot.BlobRef) {
	shard := string(ref[:2])
	_ = f.each(shard, func(name string) {
		if of, ok := idOf(shard, name); ok && of.ref == ref {
			_ = os.Remove(f.path(of)) // what stays is nobody's, and goes when it was used least recently
			f.drop(of)
		}
	})
}

// each calls visit with the names in a folder.
func (f *files) each(folder string, visit func(name string)) error {
	dir, err := os.Open(filepath.Join(f.dir, folder))
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(listBatch)
		for _, name := range names {
			visit(name)
		}
		if err != nil {
			return err
		}
	}
}

// walk counts what an earlier process left, as what was used least recently of all. Until it is through the
// folder may hold more than it may.
func (f *files) walk() {
	for n := range blob.Shards {
		select {
		case <-f.quit:
			return
		default:
		}
		shard := blob.Shard(n)
		_ = f.each(shard, func(name string) {
			if of, ok := idOf(shard, name); ok {
				f.adopt(of)
			}
		})
		f.evict(0, 0)
	}
}

func (f *files) adopt(of id) {
	fi, err := os.Lstat(f.path(of))
	if err != nil || !fi.Mode().IsRegular() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.index[of]; !ok {
		f.add(of, fi.Size(), false)
	}
}
