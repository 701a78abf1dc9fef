package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/client/doctor"
	"sandlot/internal/format/names"
	"sandlot/internal/storage/blob/s3"
	"sandlot/internal/storage/datafolder"
	"sandlot/internal/storage/mail"
	"sandlot/internal/storage/sqlstore"
)

// doctorCommand checks the running service from outside and the parts on which it depends. Its exit code is 0 if nothing
// has to be mended, even with warnings, and 1 otherwise.
type doctorCommand struct {
	settings
	format
	MailTo string `placeholder:"ADDRESS" help:"Send a message to this address. (default: only log in to the mail server)"`
}

// doctorSecret is the name of the secret by which the service and its doctor know each other.
const doctorSecret = "doctor"

// Run prints a line for each finding.
func (c *doctorCommand) Run(ctx context.Context, t *terminal) error {
	plan, err := c.planBesideFiles()
	if err != nil {
		return usageError{err}
	}
	if _, err := names.Email(c.MailTo); c.MailTo != "" && err != nil {
		return usageError{fmt.Errorf("--mail-to %q is not an email address", c.MailTo)}
	}
	db, err := c.records(ctx)
	checks := c.checks(ctx, plan, db, err)
	found := doctor.Run(ctx, checks)
	if db != nil {
		err = db.Close()
	} else {
		err = nil // it is a finding
	}
	return errors.Join(err, c.report(t, found))
}

// report prints the findings, and returns an error if something has to be mended.
func (c *doctorCommand) report(t *terminal, found []doctor.Finding) error {
	faults := 0
	for _, f := range found {
		if f.State == doctor.Mend {
			faults++
		}
	}
	all := struct {
		OK     bool             `json:"ok"`
		Checks []doctor.Finding `json:"checks"`
	}{faults == 0, found}
	err := c.print(t, all, func() {
		for _, f := range found {
			fmt.Fprintln(t.out, doctorLine(f))
		}
	})
	if err == nil && faults > 0 {
		err = fmt.Errorf("%s to mend", amount(int64(faults), "fault"))
	}
	return err
}

// doctorLine returns a finding in one line.
func doctorLine(f doctor.Finding) string {
	state := string(f.State)
	if f.State == doctor.Mend {
		state = "MEND" // it must be seen in a list
	}
	line := fmt.Sprintf("%-7s %-8s %s", state, f.Check, f.Detail)
	if f.Mend != "" {
		line += ". Mend: " + f.Mend
	}
	return line
}

// checks returns all checks; opened is the error of opening the records.
func (c *doctorCommand) checks(ctx context.Context, p plan, db *sqlstore.DB, opened error) []doctor.Check {
	checks := []doctor.Check{doctor.Warnings(p.warnings)}
	if p.tls.unfit != nil {
		checks = append(checks, doctor.Failed("settings", p.tls.unfit, "Renew the files; until then the service does not start again."))
	}
	if opened != nil {
		checks = append(checks, doctor.Failed("database", opened, "Give the settings of the service (--config), as its user, once it has run."),
			doctor.Absent("names", "without the database nobody can prove to the service who asks"))
	} else {
		checks = append(checks, doctor.Reachable("database", db.Ping, "the database can be read and written", "Look at its log, and at its disk."),
			c.site(ctx, p, db), c.clock(db), c.bucketCheck(db), c.redisCheck(ctx, db))
	}
	checks = append(checks, c.mailCheck(p))
	if !c.elsewhere() {
		used := func() (int, uint64, bool) {
			used, free, ok := datafolder.Usage(c.Data)
			return (&datafolder.Disk{Folder: c.Data, Usage: datafolder.Usage, Unused: func() uint64 { return 0 }}).Percent(), free, ok && used+free > 0
		}
		checks = append(checks, doctor.Disk(c.Data, used, c.diskPercent(p.places)), doctor.Folder(c.Data))
	}
	if p.places.Content == "" || !public(p.places) {
		return append(checks, doctor.Absent("suffix", "no public content host"))
	}
	return append(checks, doctor.Suffix(p.places.Content))
}

// site returns the check by the public URL.
func (c *doctorCommand) site(ctx context.Context, p plan, db *sqlstore.DB) doctor.Check {
	if p.portUnknown() {
		return doctor.Absent("names", "the system picks the port of the service: set --base-url")
	}
	secret, err := installation(ctx, db, doctorSecret)
	if err != nil {
		return doctor.Failed("names", err, "Make the database writable.")
	}
	return doctor.Site{
		Base: p.places.Base, Content: p.places.Content, Label: "doctor-" + strings.ToLower(rand.Text())[:8],
		Secret: secret, Now: db.Now, Resolve: doctor.Resolver,
	}.Check()
}

func (c *doctorCommand) clock(db *sqlstore.DB) doctor.Check {
	if c.DatabaseURL == "" {
		return doctor.Absent("clock", "the database is on this machine")
	}
	return doctor.Clock(db.Now, time.Now)
}

// mailCheck logs in, and sends a message if requested.
func (c *doctorCommand) mailCheck(p plan) doctor.Check {
	if c.SMTPURL == "" {
		return doctor.Absent("mail", "--smtp-url is not set")
	}
	at := masked(c.SMTPURL)
	return doctor.Reachable("mail", func(ctx context.Context) error {
		m, err := mail.NewSMTP(mail.Config{URL: c.SMTPURL, From: p.sender(p.places)})
		if err != nil {
			return err
		}
		if c.MailTo != "" {
			return m.SendTrial(ctx, c.MailTo)
		}
		return m.Reach(ctx)
	}, "the mail server "+at+" takes the login"+map[bool]string{true: " and a message to " + c.MailTo}[c.MailTo != ""],
		"Check host, port, user and password in --smtp-url: "+at+".")
}

// bucketCheck writes an object, reads it, and deletes it.
func (c *doctorCommand) bucketCheck(db *sqlstore.DB) doctor.Check {
	if c.BlobURL == "" {
		return doctor.Absent("bucket", "files are in the data folder")
	}
	return doctor.Reachable("bucket", func(ctx context.Context) error {
		id, err := db.Publish().KnownSecret(ctx, "instance")
		if err != nil {
			return fmt.Errorf("the service has not used the bucket yet: %w", err)
		}
		store, err := c.bucket(ctx, s3.Options{Instance: hex.EncodeToString(id), Existing: true})
		if err != nil {
			return err
		}
		return errors.Join(tryBucket(ctx, store), store.Close())
	}, "the bucket takes, gives and deletes an object",
		"Check the address in --blob-url, and that its keys may read, write, list and delete below its prefix.")
}

// tryBucket uses a name that no blob has. An object that is left after a crash is a stray, which the collector deletes.
func tryBucket(ctx context.Context, store *s3.Store) error {
	name, text := store.Name(), []byte("sandlot doctor\n")
	if _, err := store.Put(ctx, name, bytes.NewReader(text)); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	got := make([]byte, len(text))
	err := store.Fetch(ctx, name, int64(len(text)), 0, got)
	if err == nil && !bytes.Equal(got, text) {
		err = sandlot.ErrCorrupt
	}
	if err != nil {
		err = fmt.Errorf("read: %w", err)
	}
	if gone := store.Delete(ctx, name); gone != nil {
		err = errors.Join(err, fmt.Errorf("delete: %w", gone))
	}
	return err
}

func (c *doctorCommand) redisCheck(ctx context.Context, db *sqlstore.DB) doctor.Check {
	if c.RedisURL == "" {
		return doctor.Absent("redis", "--redis-url is not set")
	}
	return doctor.Reachable("redis", func(ctx context.Context) error {
		client, err := c.share(ctx, db, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		return errors.Join(client.Ping(ctx), client.Close())
	}, "Redis answers", "Check --redis-url, and that the server runs. The service works without it, but nodes do not count together.")
}

// examiner returns the handler of the public listener, which also answers the doctor.
func (a *app) examiner(next *router) http.Handler {
	proxies := next.clients.proxies
	return doctor.Examiner{Secret: a.proofs, Now: a.store.Now, Next: next, See: func(r *http.Request) doctor.Seen {
		return doctor.SeeFrom(r, proxies.Trust, proxies.Client)
	}}
}
