// Package image tests the container image of a release: its archive is unpacked and run without any container's engine.
package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// startWait is how long a loaded machine may take to start the program.
const startWait = time.Minute

// A descriptor is the part of an OCI index or manifest that this test reads.
type descriptor struct {
	Digest   string
	Platform struct{ OS, Architecture string }
}

// A config is that of an image.
type config struct {
	OS, Architecture string
	Config           struct {
		User        string
		Env         []string
		Entrypoint  []string
		Cmd         []string
		Volumes     map[string]any
		Healthcheck struct{ Test []string }
	}
}

func TestTheImage(t *testing.T) {
	first, second := archived(t), archived(t)
	t.Run("is the same each time", func(t *testing.T) {
		if !bytes.Equal(first, second) {
			t.Error("two runs differ")
		}
	})
	files := unpack(t, bytes.NewReader(first))
	var index struct{ Manifests []descriptor }
	read(t, files["index.json"], &index)
	expect.Equal(t, "images", len(index.Manifests), 2)
	expect.Equal(t, "second image", index.Manifests[1].Platform, struct{ OS, Architecture string }{"linux", "arm64"})
	blob := func(of descriptor) []byte { return files["blobs/"+strings.Replace(of.Digest, ":", "/", 1)] }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	read(t, blob(index.Manifests[0]), &manifest)
	var cfg config
	read(t, blob(manifest.Config), &cfg)
	root := t.TempDir()
	for _, l := range manifest.Layers {
		layer, err := gzip.NewReader(bytes.NewReader(blob(l)))
		expect.OK(t, err)
		lay(t, root, layer)
	}

	t.Run("has a configuration for any engine", func(t *testing.T) {
		expect.Equal(t, "system", cfg.OS+"/"+cfg.Architecture, "linux/amd64")
		expect.Equal(t, "user", cfg.Config.User, "65532:65532")
		expect.Same(t, "command", slices.Concat(cfg.Config.Entrypoint, cfg.Config.Cmd), []string{"/sandlot", "serve"})
		expect.Same(t, "check", cfg.Config.Healthcheck.Test, []string{"CMD", "/sandlot", "health"})
		if _, ok := cfg.Config.Volumes["/data"]; !ok {
			t.Error("/data is no volume")
		}
	})
	t.Run("has the authorities by which servers are known", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
		expect.OK(t, err)
		if n := bytes.Count(text, []byte("BEGIN CERTIFICATE")); n < 80 {
			t.Errorf("only %d", n)
		}
	})
	t.Run("has the time zones", func(t *testing.T) {
		zone, err := os.ReadFile(filepath.Join(root, "usr/share/zoneinfo/Asia/Tokyo"))
		expect.OK(t, err)
		_, err = time.LoadLocationFromTZData("Asia/Tokyo", zone)
		expect.OK(t, err)
	})
	t.Run("serves and knows its health, as a user without rights in a root without anything else", func(t *testing.T) {
		if os.Getuid() != 0 {
			testenv.Skip(t, "root")
		}
		serves(t, root, cfg.Config.Env)
	})
}

// serves runs the program of the image as an engine would.
func serves(t *testing.T, root string, env []string) {
	expect.OK(t, os.Chmod(root, 0o755))
	inside := func(args ...string) *exec.Cmd {
		cmd := exec.Command("/sandlot", args...)
		cmd.Dir, cmd.Env = "/", env
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		return cmd
	}
	address := testenv.Port(t)
	server := inside("serve", "--listen", address)
	expect.OK(t, server.Start())
	testenv.Eventually(t, startWait, "the health check passes", func() bool { return inside("health", "--listen", address).Run() == nil })
	expect.OK(t, server.Process.Signal(syscall.SIGTERM))
	expect.OK(t, server.Wait())
	if inside("health", "--listen", address).Run() == nil {
		t.Error("the health check passes without a service")
	}
}

// archived makes the archive with the built program for both systems.
func archived(t *testing.T) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "image.tar")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	expect.OK(t, err)
	zones := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "time", "zoneinfo.zip")
	license, err := filepath.Abs("../../LICENSE")
	expect.OK(t, err)
	bin := testenv.Binary(t)
	cmd := exec.Command("go", "run", "-C", "../../tools/release", "-trimpath", "-buildvcs=false", "./image",
		"-version", "0.1.0", "-time", "1700000000", "-zones", zones, "-licenses", license, "-out", out, "amd64="+bin, "arm64="+bin)
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(said), "dial tcp") || strings.Contains(string(said), "module lookup disabled") {
			testenv.Skip(t, "go-containerregistry")
		}
		t.Fatalf("%v\n%s", err, said)
	}
	text, err := os.ReadFile(out)
	expect.OK(t, err)
	return text
}

func read(t *testing.T, text []byte, into any) {
	t.Helper()
	expect.OK(t, json.Unmarshal(text, into))
}

// unpack returns the files of an archive, by name.
func unpack(t *testing.T, archive io.Reader) map[string][]byte {
	files := map[string][]byte{}
	each(t, archive, func(h *tar.Header, text []byte) { files[h.Name] = text })
	return files
}

// lay writes a layer into a root, with its owners where the test may.
func lay(t *testing.T, root string, layer io.Reader) {
	each(t, layer, func(h *tar.Header, text []byte) {
		path, mode := filepath.Join(root, h.Name), h.FileInfo().Mode()
		if mode.IsDir() {
			expect.OK(t, os.Mkdir(path, mode.Perm()))
		} else {
			expect.OK(t, os.WriteFile(path, text, mode.Perm()))
		}
		if os.Getuid() == 0 {
			expect.OK(t, os.Chown(path, h.Uid, h.Gid))
		}
	})
}

func each(t *testing.T, archive io.Reader, do func(*tar.Header, []byte)) {
	t.Helper()
	files := tar.NewReader(archive)
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		expect.OK(t, err)
		text, err := io.ReadAll(files)
		expect.OK(t, err)
		do(h, text)
	}
}
