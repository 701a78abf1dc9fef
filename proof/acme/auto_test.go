package acme

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/certmagic"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/certificate"
)

// A served is an Auto behind listeners, without the rest of the program.
type served struct {
	*certificate.Auto
	log *logText
	end func() // ends Run, and waits for it
}

// logText is a log that is read while others write.
type logText struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// hosts returns the installation of the tests; without projects it has one name.
func hosts(projects bool) sandlot.Hosts {
	p := sandlot.Places{Base: &url.URL{Scheme: "https", Host: "play.sandlot.test"}}
	if projects {
		p.Content = "games.test"
	}
	return p.Hosts()
}

// serve runs an Auto until the test ends.
func serve(t *testing.T, a *authority, at ports, c certificate.Config) *served {
	t.Helper()
	s := &served{log: &logText{}}
	c.Email, c.Directory, c.Roots = "kim@sandlot.test", a.directory, a.pool
	c.Log = slog.New(slog.NewTextHandler(s.log, nil))
	plain, err := net.Listen("tcp", at.http)
	expect.OK(t, err)
	secure, err := net.Listen("tcp", at.tls)
	expect.OK(t, err)
	c.HTTP, c.TLS = plain.Addr().(*net.TCPAddr), secure.Addr().(*net.TCPAddr)
	s.Auto = certificate.NewAuto(c)
	redirects := &http.Server{Handler: s.Challenges(http.NotFoundHandler())}
	site := &http.Server{
		Handler: http.NotFoundHandler(), TLSConfig: certificate.ServerConfig(s.Certificate, true),
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
	}
	go func() { _ = redirects.Serve(plain) }()
	go func() { _ = site.ServeTLS(secure, "", "") }()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	var once sync.Once
	s.end = func() {
		once.Do(func() {
			stop()
			running.Wait()
			redirects.Close()
			site.Close()
		})
	}
	t.Cleanup(s.end)
	return s
}

// issued waits for the certificate of a name, and returns its end.
func (s *served) issued(t *testing.T, name string) (end time.Time) {
	t.Helper()
	came := testenv.Poll(2*time.Minute, func() bool {
		end = s.endOf(name)
		return !end.IsZero()
	})
	if !came {
		t.Fatalf("no certificate for %s:\n%s", name, s.log)
	}
	return end
}

func (s *served) endOf(name string) time.Time {
	for _, e := range s.Ends() {
		if e.Name == name {
			return e.At
		}
	}
	return time.Time{}
}

// days is a clock for Auto that only a test moves: each wait of Auto is passed at once, and adds to it.
type days struct {
	mu     sync.Mutex
	passed time.Duration
	tries  int
	until  time.Duration // when the fault ends
	mend   func()
}

func (d *days) after(ctx context.Context, wait time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.passed += wait
	d.tries++
	if d.passed >= d.until {
		d.mend()
	}
	return ctx.Err() == nil
}

func TestOneNameNeedsNoDNS(t *testing.T) {
	names, at := serveNames(t), newPorts(t)
	a := authorize(t, names, at, 0)
	folder := filepath.Join(t.TempDir(), "certificates")
	s := serve(t, a, at, certificate.Config{Hosts: hosts(false), Folder: folder})
	s.issued(t, "play.sandlot.test")
	if _, err := shake(at.tls, "play.sandlot.test", a); err != nil {
		t.Error(err)
	}
	s.end()
	// Without port 80 it is proved in a handshake.
	a2 := authorize(t, names, ports{testenv.Port(t), at.tls}, 0)
	s = serve(t, a2, at, certificate.Config{Hosts: hosts(false), Folder: filepath.Join(t.TempDir(), "certificates")})
	s.issued(t, "play.sandlot.test")
	if n := a2.orders.Load(); n == 0 || n > 2 {
		t.Errorf("%d orders", n)
	}
}

func TestNothingIsOrderedThatCannotBeKept(t *testing.T) {
	names, at := serveNames(t), newPorts(t)
	a := authorize(t, names, at, 0)
	folder := filepath.Join(t.TempDir(), "certificates")
	expect.OK(t, os.WriteFile(folder, nil, 0o600)) // in the way of all files
	clock := &days{until: 10 * time.Hour, mend: func() {
		if n := a.orders.Load(); n != 0 {
			t.Errorf("%d orders", n)
		}
		_ = os.Remove(folder) // once
	}}
	s := serve(t, a, at, certificate.Config{Hosts: hosts(false), Folder: folder, After: clock.after})
	s.issued(t, "play.sandlot.test")
	if n := a.orders.Load(); n != 1 || clock.tries < 10 {
		t.Errorf("%d orders after %d tries", n, clock.tries)
	}
}

func TestSoakDNSIsAwayForADay(t *testing.T) {
	names, at := serveNames(t), newPorts(t)
	a := authorize(t, names, at, 0)
	// The library orders ten in ten seconds at most; here a day passes in some.
	before := certmagic.RateLimitEvents
	certmagic.RateLimitEvents, certmagic.RateLimitEventsWindow = 0, 0
	defer func() { certmagic.RateLimitEvents, certmagic.RateLimitEventsWindow = before, 10*time.Second }()
	names.away.Store(true)
	clock := &days{until: 24 * time.Hour, mend: func() { names.away.Store(false) }}
	provider, err := certificate.Updates(names.addr, tsigKey)
	expect.OK(t, err)
	s := serve(t, a, at, certificate.Config{
		Hosts: hosts(true), Folder: filepath.Join(t.TempDir(), "certificates"), DNS: provider, Resolvers: []string{names.addr}, After: clock.after,
	})
	for _, name := range []string{"play.sandlot.test", "games.test", "*.games.test"} {
		s.issued(t, name)
	}
	// An authority counts orders and failures: a few at first, and then one an hour.
	if clock.tries < 24 || clock.tries > 32 {
		t.Errorf("%d tries in a day", clock.tries)
	}
	if n := strings.Count(s.log.String(), "level=WARN"); n > 3*32 {
		t.Errorf("%d warnings", n)
	}
	if n := names.left(t); n != 0 {
		t.Errorf("%d records are left", n)
	}
}

// TestSoakRenewal lets certificates live for half a minute, and takes the DNS away while they are renewed.
func TestSoakRenewal(t *testing.T) {
	names, at := serveNames(t), newPorts(t)
	a := authorize(t, names, at, 36)
	provider, err := certificate.Updates(names.addr, tsigKey)
	expect.OK(t, err)
	s := serve(t, a, at, certificate.Config{
		Hosts: hosts(true), Folder: filepath.Join(t.TempDir(), "certificates"), DNS: provider, Resolvers: []string{names.addr}, Look: time.Second,
	})
	first := map[string]time.Time{}
	for _, name := range []string{"play.sandlot.test", "games.test", "*.games.test"} {
		first[name] = s.issued(t, name)
	}
	var failed []error
	renewed := func() bool {
		for _, name := range []string{"play.sandlot.test", "games.test", "marbles.games.test"} {
			if _, err := shake(at.tls, name, a); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", name, err))
			}
		}
		for name, end := range first {
			if !s.endOf(name).After(end) {
				return false
			}
		}
		return true
	}
	testenv.Eventually(t, time.Minute, "renewals", renewed)
	if len(failed) > 0 {
		t.Errorf("handshakes failed meanwhile: %v", failed)
	}
	// Now it is away: the certificate before stays, and the log says so.
	names.away.Store(true)
	testenv.Eventually(t, time.Minute, "a renewal that fails", func() bool {
		return strings.Contains(s.log.String(), "a certificate was not renewed, it is tried again")
	})
	if _, err := shake(at.tls, "marbles.games.test", a); err != nil {
		t.Errorf("while DNS is away: %v", err)
	}
}

// TestSoakAFullDisk fills the file system of the folder: what is there goes on, nothing is ordered, and what was renewed
// is not half there.
func TestSoakAFullDisk(t *testing.T) {
	names, at := serveNames(t), newPorts(t)
	a := authorize(t, names, at, 0)
	disk := testenv.Ext4(t, "loop")
	fill, err := os.Create(filepath.Join(disk, "fill"))
	expect.OK(t, err)
	for piece := make([]byte, 1<<20); len(piece) > 0; {
		if _, err := fill.Write(piece); err != nil {
			piece = piece[:len(piece)/2]
		}
	}
	expect.OK(t, fill.Close())
	clock := &days{until: 5 * time.Hour, mend: func() {
		if n := a.orders.Load(); n != 0 {
			t.Errorf("%d orders on a full disk", n)
		}
		_ = os.Remove(fill.Name()) // once
	}}
	s := serve(t, a, at, certificate.Config{Hosts: hosts(false), Folder: filepath.Join(disk, "certificates"), After: clock.after})
	s.issued(t, "play.sandlot.test")
	if n := a.orders.Load(); n != 1 {
		t.Errorf("%d orders", n)
	}
}

// TestSoakTheClockIsADayOff runs the program with a clock that is a day ahead, or behind: it gets its certificates, and
// orders each once.
func TestSoakTheClockIsADayOff(t *testing.T) {
	for name, ahead := range map[string]string{"ahead": "86400", "behind": "-86400"} {
		t.Run(name, func(t *testing.T) {
			names, at := serveNames(t), newPorts(t)
			a := authorize(t, names, at, 0)
			t.Setenv("CLOCK_AHEAD", ahead)
			s := testenv.Start(t, testenv.Instrumented(t), program(t, names, at, a)...)
			for range 2 { // and again when it has those of before
				for _, name := range []string{"play.sandlot.test", "marbles-abc123.games.test", "games.test"} {
					testenv.Eventually(t, 30*time.Second, "a certificate for "+name, func() bool {
						_, err := shake(at.tls, name, a)
						return err == nil
					})
				}
				s.Restart(t)
			}
			if n := a.orders.Load(); n != 3 {
				t.Errorf("%d orders\n%s", n, s.Logs())
			}
		})
	}
}
