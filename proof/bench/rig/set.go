package rig

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Set holds the servers shared by nodes: a PostgreSQL that syncs its commits, an S3-compatible server, and Redis,
// each a process of its own on loopback.
type Set struct {
	Postgres, Bucket, Redis *Program

	rig   *Rig
	files string // the folder of the buckets, one folder each
	made  int
}

// Shared is one installation on a Set: an empty database and an empty bucket.
type Shared struct {
	Database string // its URL
	Flags    []string

	env []string
}

const (
	setSecret = "bench"   // the bucket's; PostgreSQL and Redis need none
	setUser   = "sandlot" // of PostgreSQL
)

// Set starts the three servers. The S3-compatible one is built in the tools folder if it is missing; PostgreSQL and
// Redis must be installed.
func (r *Rig) Set(ctx context.Context, tools string) (*Set, error) {
	gateway, err := buildGateway(ctx, tools)
	if err != nil {
		return nil, err
	}
	s := &Set{rig: r}
	if s.Postgres, err = r.postgres(ctx); err != nil {
		return nil, err
	}
	if s.files, err = r.Folder("bucket"); err != nil {
		return nil, err
	}
	attributes, err := r.Folder("attributes")
	if err != nil {
		return nil, err
	}
	if s.Bucket, err = r.onPort(ctx, []string{"ROOT_ACCESS_KEY=" + setSecret, "ROOT_SECRET_KEY=" + setSecret},
		func(addr, _ string) []string {
			return []string{gateway, "--quiet", "--port", addr, "posix", "--sidecar", attributes, s.files}
		}); err != nil {
		return nil, err
	}
	s.Redis, err = r.onPort(ctx, nil, func(_, port string) []string {
		return []string{"redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no"}
	})
	return s, err
}

// onPort starts a server that takes its port as an argument.
func (r *Rig) onPort(ctx context.Context, env []string, argv func(addr, port string) []string) (*Program, error) {
	addr, err := FreePort()
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	return r.start(ctx, addr, env, argv(addr, port)...)
}

// buildGateway builds the version of versitygw that the tests use.
func buildGateway(ctx context.Context, tools string) (string, error) {
	path := filepath.Join(tools, "versitygw")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Module.Dir}}", "sandlot/cmd/sandlot").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "-C", filepath.Join(strings.TrimSpace(string(root)), "tools", "s3"), "build",
		"-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", path, "github.com/versity/versitygw/cmd/versitygw")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build versitygw: %w\n%s", err, out)
	}
	return path, nil
}

// postgres starts a new server. All settings not given here are PostgreSQL's defaults: with less room for its log a
// short measurement would mostly measure checkpoints.
func (r *Rig) postgres(ctx context.Context) (*Program, error) {
	bin, err := PostgresPrograms()
	if err != nil {
		return nil, err
	}
	dir, err := r.Folder("postgres")
	if err != nil {
		return nil, err
	}
	as, err := giveAway(dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	argv := append(slices.Clone(as), filepath.Join(bin, "initdb"), "-D", data, "-U", setUser, "--auth=trust", "--encoding=UTF8",
		"--locale=C.UTF-8", "--no-instructions")
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return r.onPort(ctx, nil, func(_, port string) []string {
		return append(slices.Clone(as), filepath.Join(bin, "postgres"), "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1",
			"-c", "unix_socket_directories=",
			"-c", "shared_buffers=512MB", "-c", "max_wal_size=4GB", "-c", "max_connections=200")
	})
}

// PostgresPrograms returns the folder of PostgreSQL's programs, the newest of several: Debian does not have them in
// PATH.
func PostgresPrograms() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err == nil && len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return len(a) - len(b) + strings.Compare(a, b) })), nil
	}
	path, err := exec.LookPath("postgres")
	return filepath.Dir(path), err
}

// giveAway gives a folder to the user that runs PostgreSQL, which refuses root, and returns the prefix of the commands
// for that user.
func giveAway(dir string) (as []string, err error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	return []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"}, os.Chown(dir, uid, gid)
}

// Installation makes an empty database and an empty bucket.
func (s *Set) Installation(ctx context.Context) (*Shared, error) {
	s.made++
	name := "bench" + strconv.Itoa(s.made)
	if err := s.administer(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(s.files, name), 0o755); err != nil {
		return nil, err
	}
	at := url.URL{
		Scheme: "s3", Host: name,
		RawQuery: url.Values{"endpoint": {"http://" + s.Bucket.Addr}, "region": {"us-east-1"}, "path-style": {"true"}}.Encode(),
	}
	return &Shared{
		Database: s.database(name),
		Flags:    []string{"--database-url", s.database(name), "--blob-url", at.String(), "--redis-url", "redis://" + s.Redis.Addr},
		env:      []string{"AWS_ACCESS_KEY_ID=" + setSecret, "AWS_SECRET_ACCESS_KEY=" + setSecret},
	}, nil
}

func (s *Set) database(name string) string {
	return "postgres://" + setUser + "@" + s.Postgres.Addr + "/" + name + "?sslmode=disable"
}

func (s *Set) administer(ctx context.Context, statement string) error {
	// A program that takes connections may still be reading its log.
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		c, err := pgx.Connect(ctx, s.database("postgres"))
		if err == nil {
			_, err = c.Exec(ctx, statement)
			return errors.Join(err, c.Close(ctx))
		}
		if time.Now().After(until) {
			return err
		}
	}
}

// Stop ends the servers. The nodes on them must have ended.
func (s *Set) Stop() error { return errors.Join(s.Redis.Stop(), s.Bucket.Stop(), s.Postgres.Stop()) }

// Nodes starts n services on one installation, under one base URL.
func (r *Rig) Nodes(ctx context.Context, on *Shared, n int, flags ...string) ([]*Service, error) {
	var nodes []*Service
	for range n {
		s, err := r.service(ctx, "", on.env, slices.Concat([]string{"--base-url", NodesBase}, on.Flags, flags)...)
		if err != nil {
			return nodes, err
		}
		nodes = append(nodes, s)
	}
	return nodes, nil
}

// NodesBase is the base URL of nodes; a project's host is its id before NodesHost.
const (
	NodesHost = "sandlot.test"
	NodesBase = "http://" + NodesHost
)

// RemoveAll stops nodes and removes their own data.
func RemoveAll(nodes []*Service) error {
	var errs []error
	for _, s := range nodes {
		errs = append(errs, s.Remove())
	}
	return errors.Join(errs...)
}
