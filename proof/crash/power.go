package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// killsADisk limits the data on a disk, which is copied at each cut.
const killsADisk = 25

const (
	diskBytes = 8 << 30 // an epoch fills a part of it; its file is sparse
	// diskOptions keep the file system from writing on its own while a program lives: only synced data are then on the
	// disk.
	diskOptions = "loop,commit=600"
)

// A disk is an ext4 file system in a file, with a power supply that can be cut: all unsynced writes of the program are
// then gone, including folder entries. The system's cache would survive a mere kill of the program.
type disk struct {
	dir    string // mount point
	folder string // folder of the images
	cuts   int
	used   bool // whether a program ran on it since the last cut
}

// newDisk makes and mounts a disk, which needs root, mount and mkfs.ext4.
func newDisk(dir, folder string) (*disk, error) {
	d := &disk{dir: dir, folder: folder}
	f, err := os.Create(d.image())
	if err != nil {
		return nil, err
	}
	err = f.Truncate(diskBytes)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		err = tool("mkfs.ext4", "-q", "-F", d.image())
	}
	if err != nil {
		return nil, err
	}
	return d, d.mount()
}

func (d *disk) image() string { return filepath.Join(d.folder, fmt.Sprintf("disk-%d.img", d.cuts)) }

func (d *disk) mount() error { return tool("mount", "-o", diskOptions, d.image(), d.dir) }

// cut cuts the power if a program was on the disk. It copies the data that have reached the disk by now, and the copy
// replaces the disk; the rest is still in the system's cache, and goes to the file that is no longer used.
func (d *disk) cut() error {
	if !d.used {
		return nil
	}
	old := d.image()
	d.cuts++
	d.used = false
	if err := tool("cp", "--sparse=always", old, d.image()); err != nil {
		return err
	}
	if err := tool("umount", d.dir); err != nil {
		return err
	}
	if err := os.Remove(old); err != nil {
		return err
	}
	return d.mount()
}

// close unmounts the disk and keeps its image.
func (d *disk) close() error { return tool("umount", d.dir) }

func tool(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
