package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"sandlot/proof/bench/rig"
)

const (
	treeFiles = 10_000 // the limit of one call
	treeSize  = 2 << 10
)

// tree compares the publish of 10,000 small files, sent as a tar, with a synced copy of the folder that has them.
func tree(ctx context.Context, b *bench) ([]line, error) {
	from, err := b.Folder("tree")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(from)
	body, err := layTree(from)
	if err != nil {
		return nil, err
	}
	p, err := b.pairs(
		func() (float64, error) { return b.publishTree(ctx, body) },
		func() (float64, error) { return b.copyTree(ctx, from) })
	if err != nil {
		return nil, err
	}
	return []line{{
		what: fmt.Sprintf("%d files of %d KiB in one call, against cp -r and sync", treeFiles, treeSize>>10),
		ours: fmt.Sprintf("%.2f s", p.ours), yard: fmt.Sprintf("%.2f s", p.yard), ratio: p.ratio, reach: "<= 2", reached: p.ratio <= 2,
	}}, nil
}

// layTree writes the files, and returns them as a tar.
func layTree(dir string) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := range treeFiles {
		name := fmt.Sprintf("level%d/%05d.json", i%100, i)
		if i == 0 {
			name = "index.html"
		}
		data := append(fmt.Appendf(nil, "%d ", i), text(treeSize)...)[:treeSize]
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644}); err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// publishTree returns the seconds until one publish is acknowledged, on a fresh data folder.
func (b *bench) publishTree(ctx context.Context, body []byte) (float64, error) {
	s, err := b.Service(ctx, "")
	if err != nil {
		return 0, err
	}
	key, err := s.Signup(ctx, "tree@example.com")
	if err != nil {
		return 0, err
	}
	request := rig.Post("/v1/publish", s.Addr, "application/x-tar", key, body)
	var took time.Duration
	_, err = rig.Crowd(ctx, s.Addr, 1, 1, time.Minute, func(l *rig.Lane, _, _ int) error {
		began := time.Now()
		_, err := l.Want(http.StatusCreated, request)
		took = time.Since(began)
		return err
	})
	if err != nil {
		return 0, err
	}
	return took.Seconds(), s.Remove()
}

// copyTree returns the seconds until a copy of the folder is on the disk.
func (b *bench) copyTree(ctx context.Context, from string) (float64, error) {
	to, err := b.Folder("copied")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(to)
	began := time.Now()
	if out, err := exec.CommandContext(ctx, "cp", "-r", from, filepath.Join(to, "tree")).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("cp: %w: %s", err, out)
	}
	if out, err := exec.CommandContext(ctx, "sync", "-f", to).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("sync: %w: %s", err, out)
	}
	return time.Since(began).Seconds(), nil
}
