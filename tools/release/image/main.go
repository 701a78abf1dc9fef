// Command image writes the container image of a release as one OCI archive with a manifest for each system, without
// Docker and without a network:
//
//	image -version 0.1.0 -revision COMMIT -time UNIX -zones FILE -out FILE amd64=PROGRAM arm64=PROGRAM
//
// "docker load", "podman load" and "skopeo copy oci-archive:FILE ..." read it. The same programs, arguments and Go make the
// same bytes.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user owns /data and runs the program.
const user = 65532

// A release holds the common parts of its images.
type release struct {
	version, revision string
	made              time.Time
	zones             string // Go's file of time zones
}

func main() {
	log.SetFlags(0)
	version := flag.String("version", "", "version of the program")
	revision := flag.String("revision", "", "commit of the program")
	made := flag.Int64("time", 0, "time of that commit, in seconds of Unix")
	zones := flag.String("zones", "", "file of time zones, $(go env GOROOT)/lib/time/zoneinfo.zip")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	r := release{*version, *revision, time.Unix(*made, 0).UTC(), *zones}
	if err := r.write(*out, flag.Args()); err != nil {
		log.Fatal("image: ", err)
	}
}

// write makes an image for each ARCHITECTURE=PROGRAM, and one archive of all.
func (r release) write(out string, programs []string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, each := range programs {
		arch, path, _ := strings.Cut(each, "=")
		img, err := r.image(arch, path)
		if err != nil {
			return fmt.Errorf("%s: %w", each, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			Platform:    &v1.Platform{OS: "linux", Architecture: arch},
			Annotations: map[string]string{"org.opencontainers.image.ref.name": "sandlot:" + r.version},
		}})
	}
	folder, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if _, err := layout.Write(folder, index); err != nil {
		return err
	}
	return r.archive(folder, out)
}

// image returns the program on top of a system: certificates, time zones, and a folder for its data.
func (r release) image(arch, path string) (v1.Image, error) {
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	contents := map[string][]byte{"etc/ssl/certs/ca-certificates.crt": certificates(), "sandlot": program}
	zones, err := r.timeZones(contents)
	if err != nil {
		return nil, err
	}
	img := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	for _, files := range [][]tar.Header{
		{folder("etc", 0o755, 0), folder("etc/ssl", 0o755, 0), folder("etc/ssl/certs", 0o755, 0), file("etc/ssl/certs/ca-certificates.crt", 0o644)},
		zones,
		{folder("data", 0o700, user), folder("tmp", 0o1777, 0)},
		{file("sandlot", 0o755)},
	} {
		layer, err := r.layer(files, contents)
		if err != nil {
			return nil, err
		}
		if img, err = mutate.AppendLayers(img, layer); err != nil {
			return nil, err
		}
	}
	return mutate.ConfigFile(img, r.config(img, arch))
}

// config returns the configuration of an image with the layers of img.
func (r release) config(img v1.Image, arch string) *v1.ConfigFile {
	cfg, err := img.ConfigFile()
	if err != nil {
		panic(err) // it was made here
	}
	cfg = cfg.DeepCopy()
	cfg.OS, cfg.Architecture, cfg.Created = "linux", arch, v1.Time{Time: r.made}
	cfg.History = nil
	cfg.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", user, user),
		Env:          []string{"SANDLOT_DATA=/data", "SANDLOT_LISTEN=:8080"},
		Volumes:      map[string]struct{}{"/data": {}},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Entrypoint:   []string{"/sandlot"},
		Cmd:          []string{"serve"},
		StopSignal:   "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/sandlot", "health"}, Interval: 10 * time.Second, Timeout: 10 * time.Second, StartPeriod: time.Minute, Retries: 3,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title": "sandlot", "org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.revision,
		},
	}
	return cfg
}

// timeZones returns the files of Go's archive of time zones where systems have them, and adds their contents.
func (r release) timeZones(contents map[string][]byte) ([]tar.Header, error) {
	archive, err := zip.OpenReader(r.zones)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	made := map[string]bool{}
	var files []tar.Header
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		name := "usr/share/zoneinfo/" + f.Name
		for i, c := range name {
			if c == '/' && !made[name[:i]] {
				made[name[:i]] = true
				files = append(files, folder(name[:i], 0o755, 0))
			}
		}
		if contents[name], err = fs.ReadFile(archive, f.Name); err != nil {
			return nil, err
		}
		files = append(files, file(name, 0o644))
	}
	return files, nil
}

// layer returns a layer of files, whose contents it finds by name.
func (r release) layer(files []tar.Header, contents map[string][]byte) (v1.Layer, error) {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	for _, h := range files {
		h.Size, h.ModTime = int64(len(contents[h.Name])), r.made
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(contents[h.Name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
}

func folder(name string, mode int64, owner int) tar.Header {
	return tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode, Uid: owner, Gid: owner}
}

func file(name string, mode int64) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode}
}

// certificates returns the authorities that Mozilla trusts without restriction, in PEM. A restriction cannot be
// written into such a file.
func certificates() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // to memory
		}
	}
	return text.Bytes()
}

// archive packs a folder, in the order of its names.
func (r release) archive(folder, out string) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	w := tar.NewWriter(f)
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		h := file(filepath.ToSlash(name), 0o644)
		h.Size, h.ModTime = int64(len(text)), r.made
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = f.Close()
	}
	return err
}
