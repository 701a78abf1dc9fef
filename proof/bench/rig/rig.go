// Package rig starts the programs for the measurements: on loopback ports, with folders of their own, and observed from
// outside as by an operator; and it has clients that cost little beside them. Everything that it starts ends with it,
// and everything that it writes is in one temporary folder.
package rig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// A Rig holds the programs of one run and their folder. It is used by one goroutine.
type Rig struct {
	// Profiles is the folder for CPU profiles of the service; empty: no profiles.
	Profiles string

	dir     string
	bin     string // the service's program
	made    int
	running []*Program
}

// New returns a Rig below a temporary folder and builds the service.
func New(ctx context.Context) (*Rig, error) {
	dir, err := os.MkdirTemp("", "sandlot-bench-*")
	if err != nil {
		return nil, err
	}
	// nginx drops root and must still be able to read its files.
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	r := &Rig{dir: dir, bin: filepath.Join(dir, "sandlot")}
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", r.bin, "sandlot/cmd/sandlot")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("build the service: %w\n%s", err, out), r.Close())
	}
	return r, nil
}

// Close ends the running programs, the last first, since a server waits for its clients, and removes the folder.
func (r *Rig) Close() error {
	for _, p := range slices.Backward(r.running) {
		p.Stop()
	}
	return os.RemoveAll(r.dir)
}

// Folder makes an empty folder with that name and a number.
func (r *Rig) Folder(name string) (string, error) {
	r.made++
	path := filepath.Join(r.dir, name+"-"+strconv.Itoa(r.made))
	return path, os.Mkdir(path, 0o755)
}

// FreePort returns a free loopback address. It is for programs that cannot choose a port themselves.
func FreePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Size returns the bytes of all files below a folder.
func Size(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
