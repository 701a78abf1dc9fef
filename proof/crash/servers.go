package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the records of the full set

	"sandlot/internal/base/failpoint"
)

// servers holds the servers of the full set, which store everything and survive a kill of the program.
type servers struct {
	Postgres string // URL of a server with permission to make databases
	S3       string // http://KEY:SECRET@HOST:PORT
	Folder   string // folder of the S3 server, with a folder for each bucket and a file for each object
	Redis    string
}

// fullSet returns the servers started by scripts/servers.
func fullSet() (*servers, error) {
	s := &servers{}
	for name, value := range map[string]*string{
		"SANDLOT_TEST_POSTGRES": &s.Postgres, "SANDLOT_TEST_S3": &s.S3, "SANDLOT_TEST_S3_FOLDER": &s.Folder, "SANDLOT_TEST_REDIS": &s.Redis,
	} {
		if *value = os.Getenv(name); *value == "" {
			return nil, fmt.Errorf("-set full needs %s: run it as scripts/servers go run ./proof/crash -set full", name)
		}
	}
	return s, nil
}

// A place holds the database and the bucket of an epoch.
type place struct {
	servers *servers
	name    string // of both
}

func newPlace(s *servers) *place {
	return &place{servers: s, name: "sandlot-crash-" + strings.ToLower(rand.Text()[:16])}
}

// empty makes the database and the bucket again, empty.
func (p *place) empty(ctx context.Context) error {
	if err := p.remove(ctx); err != nil {
		return err
	}
	return errors.Join(p.administer(ctx, "CREATE DATABASE "+p.quoted()+" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'"),
		os.Mkdir(p.bucket(), 0o700))
}

func (p *place) remove(ctx context.Context) error {
	return errors.Join(p.administer(ctx, "DROP DATABASE IF EXISTS "+p.quoted()+" WITH (FORCE)"), os.RemoveAll(p.bucket()))
}

func (p *place) administer(ctx context.Context, statement string) error {
	db, err := sql.Open("pgx", p.servers.Postgres)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statement)
	return errors.Join(err, db.Close())
}

func (p *place) quoted() string { return `"` + p.name + `"` }

func (p *place) bucket() string { return filepath.Join(p.servers.Folder, p.name) }

func (p *place) database() string {
	u, err := url.Parse(p.servers.Postgres)
	if err != nil {
		return p.servers.Postgres // the program refuses this one
	}
	u.Path = "/" + p.name
	return u.String()
}

// args returns the arguments that name the servers, and the variables with their keys.
func (p *place) args() (args, env []string) {
	u, err := url.Parse(p.servers.S3)
	if err != nil {
		u = &url.URL{}
	}
	secret, _ := u.User.Password()
	at := "s3://" + p.name + "?endpoint=" + u.Scheme + "://" + u.Host + "&region=us-east-1&path-style=true"
	return []string{"--database-url", p.database(), "--blob-url", at, "--redis-url", p.servers.Redis},
		[]string{"AWS_ACCESS_KEY_ID=" + u.User.Username(), "AWS_SECRET_ACCESS_KEY=" + secret}
}

// points returns the failpoints that the program can pass: each set has some of its own.
func (c config) points() []failpoint.Point {
	others := []failpoint.Point{failpoint.Stored}
	if c.Servers != nil {
		others = []failpoint.Point{
			failpoint.MidFolders, failpoint.TempMade, failpoint.MidWrite, failpoint.BeforeFileSync, failpoint.AfterFileSync,
			failpoint.BeforeRename, failpoint.BeforeFolderSync, failpoint.AfterFolderSync, failpoint.MidBackup,
		}
	}
	return slices.DeleteFunc(failpoint.All(), func(p failpoint.Point) bool { return slices.Contains(others, p) })
}

// leftOut lists the checks that are left out, and the reasons.
func (c config) leftOut() string {
	if c.Servers == nil {
		return ""
	}
	return "left out              points of the folder of blobs, which there is none of; backups; the search of the database's " +
		"own files for keys, which are another user's\n"
}
