package main

import (
	"fmt"
	"net"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/storage/datafolder"
	"sandlot/internal/storage/mail"
	"sandlot/internal/transport/web"
	"sandlot/internal/transport/web/paper"
)

// A plan is a valid configuration with its consequences. serve and config check both begin with it, so that both refuse
// the same settings.
type plan struct {
	settings
	listen, metrics net.Addr // metrics is nil without a listener of its own
	places          sandlot.Places
	tls             tlsPlan
	memory          memoryPlan
	proxies         admission.Proxies
	warnings        []string
}

// plan refuses a configuration that cannot work or would admit more than the operator said, before anything is opened
// or made. It checks the parts of the machine that settings name: host names to listen on, and the data folder. It
// ignores conditions that may change before another start, such as a port in use or a full disk.
func (s settings) plan() (p plan, err error) {
	if p, err = s.planBesideFiles(); err == nil {
		err = p.tls.unfit
	}
	return p, err
}

// planBesideFiles is plan for a service that may run already: certificates in files that no longer fit are the plan's, and
// no error.
func (s settings) planBesideFiles() (p plan, err error) {
	p.settings = s
	if err := s.check(); err != nil {
		return p, err
	}
	if p.listen, err = resolve("--listen", s.Listen); err != nil {
		return p, err
	}
	if s.MetricsListen != "" {
		if p.metrics, err = resolve("--metrics-listen", s.MetricsListen); err != nil {
			return p, err
		}
		if sameListener(p.listen, p.metrics) {
			return p, fmt.Errorf("--metrics-listen %s is taken by --listen %s: choose another port", s.MetricsListen, s.Listen)
		}
	}
	if _, err = s.mailListener(); err != nil {
		return p, err
	}
	if p.places, err = s.places(p.listen.String()); err != nil {
		return p, err
	}
	if err := s.checkExposure(p.listen, p.places); err != nil {
		return p, err
	}
	if err := s.checkShared(p.places); err != nil {
		return p, err
	}
	if p.tls, err = s.planTLS(p.listen, p.places); err != nil {
		return p, err
	}
	if err := s.checkMail(p.places); err != nil {
		return p, err
	}
	if err := datafolder.Check(s.Data); err != nil {
		return p, err
	}
	if _, err = s.readPapers(); err != nil {
		return p, err
	}
	p.proxies, _ = admission.ParseProxies(s.TrustedProxies) // was checked
	p.memory = s.memory()
	p.warnings = p.warn()
	return p, nil
}

// checkExposure refuses settings that would treat strangers as users of this machine: with a local base URL there are
// no limits and no quarantine.
func (s settings) checkExposure(listen net.Addr, p sandlot.Places) error {
	if s.InsecureLocal || loopback(listen) || public(p) {
		return nil
	}
	why := "--base-url is not set"
	if s.BaseURL != "" {
		why = "--base-url " + s.BaseURL + " is local"
	}
	return fmt.Errorf("--listen %s can be reached from other machines, but %s: set --base-url to the public URL, such as "+
		"https://play.example.com, or --insecure-local if everyone who can reach it may do everything without limits", s.Listen, why)
}

// checkShared refuses a public instance whose projects are on the site of the login: one reported page has that blocked too.
func (s settings) checkShared(p sandlot.Places) error {
	mode, _ := isolation(p)
	if s.InsecureShared || !public(p) || mode != "B" && mode != "C" {
		return nil
	}
	return fmt.Errorf("projects of strangers are on the site of --base-url %s, so a page of one can get the whole of it blocked: "+
		"set --content-host to a domain of its own, or --insecure-shared-site to accept that", p.Base)
}

// readPapers reads the operator's pages for visitors.
func (s settings) readPapers() (paper.Papers, error) {
	papers, err := paper.Read(s.Pages, web.Languages())
	if err != nil {
		return nil, fmt.Errorf("--pages %s: %w", s.Pages, err)
	}
	return papers, nil
}

// checkMail refuses a mail server or a sender that cannot send messages.
func (s settings) checkMail(p sandlot.Places) error {
	if err := mail.CheckSender(s.sender(p)); err != nil {
		return fmt.Errorf("--mail-from: %w", err)
	}
	if s.SMTPURL == "" {
		return nil
	}
	if _, err := mail.NewSMTP(mail.Config{URL: s.SMTPURL, From: s.sender(p)}); err != nil {
		return fmt.Errorf("--smtp-url: %w", err)
	}
	return nil
}

// warn returns the warnings about a valid configuration that is probably a mistake.
func (p plan) warn() (all []string) {
	say := func(when bool, format string, args ...any) {
		if when {
			all = append(all, p.shown(fmt.Sprintf(format, args...)))
		}
	}
	mode, _ := isolation(p.places)
	base, isPublic := p.places.Base, public(p.places)
	exposed, plain, metrics := !loopback(p.listen), base.Scheme == "http", p.metrics != nil && strangersReach(p.metrics)
	say(exposed && !isPublic, "--insecure-local: --listen %s can be reached from other machines while base-url %s is local, "+
		"so everyone who reaches it counts as local, without limits and quarantine", p.Listen, base)
	say(isPublic && plain, "--base-url %s is public, but not encrypted: keys can be read on the way, and no browser stays logged in; "+
		"set an https URL, with --tls or a proxy in front that does TLS", base)
	say(isPublic && p.tls.on() && !exposed, "--listen %s is reached from this machine alone, though TLS ends here: set it to :443", p.Listen)
	say(isPublic && p.proxyForgotten(exposed), "--trusted-proxies does not name the proxy in front of this service, so all visitors "+
		"share one address and its limits, or have no limits at all: set it, for example to 127.0.0.1,::1")
	say(metrics, "--metrics-listen %s can be reached from other machines: set a loopback or private address", p.MetricsListen)
	say(mode == "B", "--content-host %s is on the login's site %s, so projects can set its cookies: "+
		"set a separate domain as --content-host", p.places.Content, registrable(base.Hostname()))
	say(isPublic && mode == "C", "--insecure-shared-site: projects are on the host of the login, %s, so a page of one can get all of it blocked: "+
		"set a separate domain as --content-host", base.Host)
	say(isPublic && p.SMTPURL == "", "--smtp-url is not set, so no message reaches anyone, and no one can log in: set it to a mail server")
	if p.DiskLimit != nil {
		say(p.diskPercent(p.places) == 100, "--disk-limit %d lets new content fill the disk: set it to 95", *p.DiskLimit)
	}
	say(p.memory.tooLittle(), "the %s has less memory (%s) than the %s that the service promises to work in: give it more",
		p.memory.from, shownBytes(p.memory.bytes), shownBytes(leastMemory))
	return all
}

// proxyForgotten reports whether there is probably an untrusted proxy in front: if the program itself ends no TLS, another
// does, and strangers reach a loopback address only through a proxy.
func (p plan) proxyForgotten(exposed bool) bool {
	switch at, tcp := p.listen.(*net.TCPAddr); {
	case p.tls.on():
		return false
	case !tcp:
		return false // a peer of a Unix socket is one
	case !exposed:
		return !p.proxies.Trust(at.AddrPort().Addr().Unmap())
	}
	return p.places.Base.Scheme == "https" && len(p.proxies) == 0
}

// shown replaces a port in a text by PORT if the system picks it at the start.
func (p plan) shown(text string) string {
	if !p.portUnknown() {
		return text
	}
	return strings.ReplaceAll(text, "localhost:0", "localhost:PORT")
}

// portUnknown reports whether the system picks the port of the base URL at the start.
func (p plan) portUnknown() bool {
	at, tcp := p.listen.(*net.TCPAddr)
	return p.BaseURL == "" && tcp && at.Port == 0
}
