package certificate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"

	"sandlot"
	"sandlot/internal/base/worker"
)

// A Config holds the settings of an Auto. Hosts, Folder, Email, Directory and Log are needed, and DNS where projects have
// names of their own.
type Config struct {
	Hosts     sandlot.Hosts
	Folder    string                // for the account and the certificates
	Email     string                // where the authority sends warnings
	Directory string                // URL of the authority's directory
	Roots     *x509.CertPool        // by which the authority is known; nil: the system's
	DNS       certmagic.DNSProvider // sets the records of DNS-01
	Resolvers []string              // HOST:PORT of the DNS servers; empty: the system's, and then the zone's own
	HTTP      *net.TCPAddr          // where Challenges is served; nil: TLS-ALPN-01 alone
	TLS       *net.TCPAddr          // where handshakes arrive; nil: HTTP-01 alone
	Log       *slog.Logger

	Look  time.Duration                                  // time between two looks for renewals; 0: ten minutes
	After func(context.Context, time.Duration) (ok bool) // waits, and reports false when ctx ends; nil: with a timer
}

// Auto orders certificates by ACME, and renews each when a third of its life is left, or when the authority asks for it.
// Each of Names has one: the website's is proved by HTTP-01 or TLS-ALPN-01, those of projects by DNS-01. No handshake
// orders anything. Its methods may be called concurrently, Run once.
type Auto struct {
	hosts sandlot.Hosts
	log   *slog.Logger
	cache *certmagic.Cache
	base  *certmagic.Config
	names map[string]*certmagic.Config
	after func(context.Context, time.Duration) bool
	quiet *zap.Logger
}

const (
	// firstRetry and lastRetry are the shortest and the longest wait after an order that failed. Authorities refuse more
	// than a few failures an hour.
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// NewAuto returns an Auto that has the certificates of its folder in use. The caller must call Run.
func NewAuto(c Config) *Auto {
	a := &Auto{hosts: c.Hosts, log: c.Log, after: c.After, quiet: bridge(c.Log), names: map[string]*certmagic.Config{}}
	if a.after == nil {
		a.after = worker.Wait
	}
	a.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(held certmagic.Certificate) (*certmagic.Config, error) { return a.names[held.Names[0]], nil },
		Logger:           a.quiet, RenewCheckInterval: c.Look,
	})
	kept := newFolder(c.Folder)
	a.base = a.config(c, kept, nil)
	forProjects := a.base
	if c.DNS != nil {
		forProjects = a.config(c, kept, &certmagic.DNS01Solver{DNSManager: certmagic.DNSManager{
			DNSProvider: c.DNS, Resolvers: c.Resolvers, TTL: time.Minute, Logger: a.quiet,
		}})
	}
	for i, name := range Names(c.Hosts) {
		if a.names[name] = a.base; i > 0 {
			a.names[name] = forProjects
		}
		a.use(name)
	}
	return a
}

// config returns how certificates are ordered: proved by DNS, or without a solver by the service's own ports.
func (a *Auto) config(c Config, kept certmagic.Storage, solver *certmagic.DNS01Solver) *certmagic.Config {
	cfg := certmagic.New(a.cache, certmagic.Config{
		Storage: kept, Logger: a.quiet, OnEvent: a.event, OCSP: certmagic.OCSPConfig{DisableStapling: true},
	})
	issuer := certmagic.ACMEIssuer{
		CA: c.Directory, Email: c.Email, Agreed: true, TrustedRoots: c.Roots, Logger: a.quiet,
		DisableDistributedSolvers: true, // a full disk must not stop a challenge
		DisableHTTPChallenge:      c.HTTP == nil,
		DisableTLSALPNChallenge:   c.TLS == nil,
	}
	if solver != nil {
		issuer.DNS01Solver = solver
	} else { // its solvers would listen themselves, but find the ports in use
		if c.TLS != nil {
			issuer.AltTLSALPNPort = c.TLS.Port
		}
		if c.HTTP != nil {
			issuer.AltHTTPPort = c.HTTP.Port
		}
	}
	cfg.Issuers = []certmagic.Issuer{certmagic.NewACMEIssuer(cfg, issuer)}
	return cfg
}

// use puts the certificate of the folder in use, if there is one.
func (a *Auto) use(name string) {
	if _, err := a.names[name].CacheManagedCertificate(context.Background(), name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.log.Warn("a certificate of the data folder cannot be used, another is ordered", "name", name, "error", err)
	}
}

// Run orders certificates that are missing and renews those that end, until ctx ends. An order that fails is tried
// again, after a minute at first and each hour in the end; until then certificates that are there stay in use.
func (a *Auto) Run(ctx context.Context) {
	defer a.cache.Stop()
	if err := a.cache.RenewManagedCertificates(ctx); err != nil {
		a.log.Warn("certificates are not renewed yet", "error", err)
	}
	pause := firstRetry
	for !a.order(ctx) {
		if !a.after(ctx, pause) {
			return
		}
		pause = min(2*pause, lastRetry)
	}
	<-ctx.Done()
}

// order orders the certificates that are missing, one after the other, since two of them are proved by the same record.
// It reports whether all are there.
func (a *Auto) order(ctx context.Context) bool {
	all := true
	for _, name := range Names(a.hosts) {
		if err := a.names[name].ManageSync(ctx, []string{name}); err != nil && ctx.Err() == nil {
			a.log.Warn("there is no certificate yet, it is ordered again", "name", name, "error", err)
			all = false
		}
	}
	return all
}

// event logs the library's events that matter to operators.
func (a *Auto) event(_ context.Context, event string, data map[string]any) error {
	switch event {
	case "cert_obtained":
		a.log.Info("a certificate was issued", "name", data["identifier"], "renewal", data["renewal"])
	case "cert_failed":
		if data["renewal"] == true {
			a.log.Warn("a certificate was not renewed, it is tried again", "name", data["identifier"], "error", data["error"])
		}
	}
	return nil
}

// Certificate returns the certificate for a handshake, and nil for a name that is not the installation's, or whose
// certificate was not issued yet. It is for tls.Config.GetCertificate.
func (a *Auto) Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name, ours := certName(a.hosts, hello.ServerName)
	if !ours {
		return nil, nil
	}
	if p := hello.SupportedProtos; len(p) == 1 && p[0] == acmeProtocol {
		if _, open := certmagic.GetACMEChallenge(hello.ServerName); !open {
			return nil, nil
		}
		return a.base.GetCertificate(hello)
	}
	if c, held := a.held(name); held {
		return &c.Certificate, nil
	}
	return nil, nil
}

// held returns the certificate of a name that is in use.
func (a *Auto) held(name string) (certmagic.Certificate, bool) {
	var latest certmagic.Certificate
	for _, c := range a.cache.AllMatchingCertificates(name) {
		if c.Names[0] == name && (latest.Empty() || c.Leaf.NotAfter.After(latest.Leaf.NotAfter)) {
			latest = c
		}
	}
	return latest, !latest.Empty()
}

// Challenges returns a handler of plain HTTP that answers the challenges of HTTP-01, and leaves other requests to next.
func (a *Auto) Challenges(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if certmagic.LooksLikeHTTPChallenge(r) {
			if c, open := certmagic.GetACMEChallenge(r.Host); open && certmagic.SolveHTTPChallenge(a.quiet, w, r, c.Challenge) {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// Ends returns the end of the certificate of each name; zero if it was not issued yet.
func (a *Auto) Ends() (ends []End) {
	for _, name := range Names(a.hosts) {
		end := End{Name: name}
		if c, held := a.held(name); held {
			end.At = c.Leaf.NotAfter
		}
		ends = append(ends, end)
	}
	return ends
}

// LetsEncrypt is the directory of the authority that is used by default.
const LetsEncrypt = certmagic.LetsEncryptProductionCA

// ReadRoots returns the certificates of a file by which an authority is known.
func ReadRoots(pem []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("there is no certificate in it, in PEM")
	}
	return pool, nil
}
