package main

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/certificate"
)

// tlsSettings say whether the service ends TLS itself, and where its certificates come from.
type tlsSettings struct {
	TLS           string `name:"tls" enum:"off,files,auto" default:"off" help:"End TLS here, with certificates of files or of an ACME authority."`
	TLSCert       string `name:"tls-cert" placeholder:"FILE,..." help:"Certificates with their chains, in PEM, for --tls files. (default: none)"`
	TLSKey        string `name:"tls-key" placeholder:"FILE,..." help:"Their private keys, in the same order. (default: none)"`
	HTTPListen    string `name:"http-listen" placeholder:"HOST:PORT" help:"Where plain HTTP is redirected, or none. (default: :80 with --tls)"`
	ACMEEmail     string `name:"acme-email" placeholder:"ADDRESS" help:"Your address for the authority, for --tls auto. (default: none)"`
	ACMEDirectory string `name:"acme-directory" placeholder:"URL" help:"ACME directory of the authority. (default: that of Let's Encrypt)"`
	ACMERoots     string `name:"acme-ca-roots" placeholder:"FILE" help:"Certificates that an authority of your own is known by. (default: the system's)"`
	DNS           string `name:"dns" placeholder:"HOOK" help:"Sets the wildcard's DNS records: a command, an https URL, rfc2136://SERVER. (default: none)"`
	DNSKey        string `name:"dns-key" placeholder:"KEY" secret:"" help:"TSIG key of rfc2136, as tsig-keygen prints it; or user:password of the URL. (default: none)"`
	DNSResolvers  string `name:"dns-resolvers" placeholder:"HOST:PORT,..." help:"DNS servers that see the wildcard's records. (default: the system's)"`
}

const (
	tlsFiles = "files"
	tlsAuto  = "auto"
)

// endsTLS reports whether the service is to end TLS.
func (s tlsSettings) endsTLS() bool { return s.TLS == tlsFiles || s.TLS == tlsAuto }

// A tlsPlan is how a valid configuration ends TLS; the zero value does not.
type tlsPlan struct {
	http  net.Addr // where plain HTTP is redirected; nil: nowhere
	files []certificate.Pair
	auto  *certificate.Config
	unfit error // why no server starts with the files as they are
}

// on reports whether the service ends TLS.
func (p tlsPlan) on() bool { return p.files != nil || p.auto != nil }

// scheme returns the scheme of a base URL that is not set.
func (s tlsSettings) scheme() string {
	if s.endsTLS() {
		return "https"
	}
	return "http"
}

// planTLS refuses settings with which TLS would not work, and reads the files that they name.
func (s settings) planTLS(listen net.Addr, p sandlot.Places) (plan tlsPlan, err error) {
	if !s.endsTLS() {
		return plan, s.onlyWithTLS()
	}
	if p.Base.Scheme != "https" {
		return plan, fmt.Errorf("--base-url %s is not encrypted, but --tls is %s: write https", p.Base, s.TLS)
	}
	if plan.http, err = s.redirectAddress(listen); err != nil {
		return plan, err
	}
	if s.TLS == tlsFiles {
		plan.files, plan.unfit, err = s.planFiles(p)
	} else {
		plan.auto, err = s.planAuto(p)
	}
	return plan, err
}

// onlyWithTLS refuses settings that would have no effect.
func (s tlsSettings) onlyWithTLS() error {
	for _, set := range []struct{ name, value string }{
		{"tls-cert", s.TLSCert},
		{"tls-key", s.TLSKey},
		{"http-listen", s.HTTPListen},
		{"acme-email", s.ACMEEmail},
		{"acme-directory", s.ACMEDirectory},
		{"acme-ca-roots", s.ACMERoots},
		{"dns", s.DNS},
	} {
		if set.value != "" {
			return fmt.Errorf("--%s has no effect while --tls is off: set --tls files or --tls auto", set.name)
		}
	}
	return nil
}

// redirectAddress returns the address for plain HTTP.
func (s tlsSettings) redirectAddress(listen net.Addr) (net.Addr, error) {
	if s.HTTPListen == "none" {
		return nil, nil
	}
	at, err := resolve("--http-listen", cmp.Or(s.HTTPListen, ":80"))
	if err == nil && sameListener(listen, at) {
		err = fmt.Errorf("--http-listen %s is taken by --listen, where TLS is: choose another port, or none", at)
	}
	return at, err
}

// planFiles returns the pairs of files, and reads them once, so that a bad one ends no start halfway.
func (s tlsSettings) planFiles(p sandlot.Places) (pairs []certificate.Pair, unfit, err error) {
	pairs, err = certificate.Pairs(commaList(s.TLSCert), commaList(s.TLSKey))
	if err != nil {
		return nil, nil, fmt.Errorf("--tls files: %w: set --tls-cert and --tls-key, each a file or several by commas", err)
	}
	if _, unfit = certificate.OpenFiles(pairs, p.Hosts(), slog.New(slog.DiscardHandler), time.Now); unfit != nil {
		unfit = fmt.Errorf("--tls-cert: %w", unfit)
	}
	return pairs, unfit, nil
}

// planAuto returns how certificates are ordered.
func (s settings) planAuto(p sandlot.Places) (*certificate.Config, error) {
	host := p.Base.Hostname()
	_, notName := netip.ParseAddr(host)
	directory, err := url.Parse(cmp.Or(s.ACMEDirectory, certificate.LetsEncrypt))
	switch {
	case s.DatabaseURL != "":
		return nil, errors.New("--tls auto: with --database-url TLS is the balancer's: set --tls off, and end TLS there")
	case s.BaseURL == "" || notName == nil:
		return nil, errors.New("--tls auto needs a --base-url with a name, such as https://play.example.com")
	case s.ACMEDirectory == "" && (private(host) || p.Content != "" && private(hostname(p.Content))):
		return nil, fmt.Errorf("--tls auto: Let's Encrypt has no certificates for local names: set public ones as --base-url and " +
			"--content-host, or --acme-directory of an authority of your own")
	case err != nil || directory.Scheme != "https" || directory.Host == "":
		return nil, fmt.Errorf("--acme-directory %q is not an https URL", s.ACMEDirectory)
	}
	if _, err := names.Email(s.ACMEEmail); err != nil {
		return nil, fmt.Errorf("--tls auto needs --acme-email, an email address for the authority; %q is none", s.ACMEEmail)
	}
	c := &certificate.Config{
		Hosts: p.Hosts(), Folder: filepath.Join(s.Data, "certificates"), Email: s.ACMEEmail, Directory: directory.String(),
		Resolvers: commaList(s.DNSResolvers),
	}
	if s.ACMERoots != "" {
		text, err := readBounded(s.ACMERoots, fileMax)
		if err == nil {
			c.Roots, err = certificate.ReadRoots(text)
		}
		if err != nil {
			return nil, fmt.Errorf("--acme-ca-roots %s: %w", s.ACMERoots, err)
		}
	}
	return c, s.planDNS(c, p)
}

// planDNS sets how the names of projects are proved.
func (s tlsSettings) planDNS(c *certificate.Config, p sandlot.Places) (err error) {
	u, notURL := url.Parse(s.DNS)
	switch {
	case s.DNS == "" && p.Content == "":
		return nil
	case s.DNS == "":
		return fmt.Errorf("--tls auto needs --dns for the wildcard *.%s, which an authority proves by DNS alone: set a command, "+
			"an https URL, or rfc2136://SERVER; or --content-host none", c.Hosts.Content())
	case notURL == nil && u.Scheme == "rfc2136" && u.Host != "":
		if c.DNS, err = certificate.Updates(u.Host, s.DNSKey); err != nil {
			return fmt.Errorf("--dns-key %w", err)
		}
		return nil
	case notURL == nil && u.User != nil:
		return errors.New("--dns must have no password: set user:password as --dns-key")
	}
	hook := &certificate.Hook{Target: s.DNS, Login: s.DNSKey}
	c.DNS = hook
	if err := hook.Check(); err != nil {
		return fmt.Errorf("--dns is neither a command that can be run, nor an https URL, nor rfc2136://SERVER: %w", err)
	}
	return nil
}

// commaList returns the parts of a list with commas.
func commaList(text string) (parts []string) {
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// newSource opens the certificates of a plan.
func (p tlsPlan) newSource(hosts sandlot.Hosts, open listeners, log *slog.Logger) (certificates, *tls.Config, error) {
	if p.files != nil {
		files, err := certificate.OpenFiles(p.files, hosts, log, time.Now)
		if err != nil {
			return nil, nil, fmt.Errorf("--tls-cert: %w", err)
		}
		return files, certificate.ServerConfig(files.Certificate, false), nil
	}
	c := *p.auto
	c.Log = log
	c.TLS, _ = open.http.Addr().(*net.TCPAddr) // an authority reaches no Unix socket
	if open.plain != nil {
		c.HTTP, _ = open.plain.Addr().(*net.TCPAddr)
	}
	auto := certificate.NewAuto(c)
	return auto, certificate.ServerConfig(auto.Certificate, true), nil
}
