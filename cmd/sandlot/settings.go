package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/format/names"
)

// settings is the configuration of a server. Places that depend on the port are
// filled in once it listens.
type settings struct {
	Listen string `default:"127.0.0.1:8080" placeholder:"HOST:PORT|unix:PATH" help:"Address to listen on; port 0 picks a free port."`
	storage
	BaseURL        string `placeholder:"URL" help:"Public URL, with which all links start. (default: http://localhost:PORT of --listen, https with --tls)"`
	InsecureLocal  bool   `help:"Let everyone who reaches --listen count as local. (default: refuse to start)"`
	ContentHost    string `placeholder:"HOST[:PORT]" help:"Host of projects' subdomains, or none. (default: that of --base-url)"`
	InsecureShared bool   `name:"insecure-shared-site" help:"Let a public instance serve projects on the site of the login. (default: refuse to start)"`
	PathForm       string `enum:"auto,on,off" default:"auto" help:"Serve projects, sandboxed, at {base-url}/~/{project_id}/ too."`
	Quarantine     string `enum:"auto,on,off" default:"auto" help:"Quarantine projects of accounts with no verified email."`
	SMTPURL        string `name:"smtp-url" placeholder:"URL" secret:"" help:"Mail server, smtps://user:pass@host. (default: .eml files)"`
	MailFrom       string `placeholder:"ADDRESS" help:"Sender of messages. (default: sandlot@ the host of --base-url)"`
	reportSettings
	BrandsFile     string        `placeholder:"FILE" help:"Names of companies that titles must not resemble, one a line. (default: a list of some 130)"`
	Pages          string        `placeholder:"FOLDER" help:"Folder with your own about.md, terms.md and privacy.md. (default: no such pages)"`
	Security       string        `name:"security-contact" placeholder:"ADDRESS" help:"Contact in security.txt. (default: the form for reports)"`
	KeepVersions   int           `default:"0" placeholder:"N" help:"Versions to keep per project (0: all). Older ones go after a day."`
	InlineMax      size          `default:"64KiB" placeholder:"SIZE" help:"Content up to this size is kept in the database; 0: none."`
	MaxFileSize    size          `default:"1GiB" placeholder:"SIZE" help:"Largest file that an upload in parts may make."`
	CacheSize      size          `placeholder:"SIZE" help:"Memory for files that are being read. (default: an eighth of memory, 64MiB at most)"`
	BlobCache      size          `name:"blob-cache" default:"10GiB" placeholder:"SIZE" help:"Room in the data folder for files of --blob-url."`
	TrustedProxies string        `placeholder:"CIDR,..." help:"IPs or ranges of proxies whose X-Forwarded-For is trusted. (default: none)"`
	DrainDelay     time.Duration `default:"0s" placeholder:"TIME" help:"Time after a stop signal in which new requests are served, for balancers to notice."`
	StopGrace      time.Duration `default:"5s" placeholder:"TIME" help:"Longest time that requests under way get after that; uploads are then refused."`
	Runtime        string        `enum:"on,off" default:"on" help:"What players may keep: saves and scores (on), or nothing (off)."`
	Playtest       bool          `help:"Open each new version once in a headless Chromium, for its owner. (default: nothing is opened)"`
	PlaytestUser   string        `placeholder:"NAME" help:"User that runs the browser; needed as root. (default: the user of the server)"`
	MetricsListen  string        `placeholder:"HOST:PORT|unix:PATH" help:"Serve /metrics here alone, and health too. (default: /metrics is public)"`
	LogFormat      string        `enum:"text,json" default:"text" help:"Format of the log: text or json."`
	AccessLog      string        `enum:"all,errors,off" default:"all" help:"Requests that get a line in the log: all, errors, or off."`
	LogLevel       string        `enum:"debug,info,warn,error" default:"info" help:"Lowest level that is logged: debug, info, warn, or error."`

	tlsSettings
	brandSettings
	openIDSettings
	judgeSettings
	listedSettings
	limitSettings

	patience time.Duration // for another server to leave the data folder; 0: it is refused at once
}

// longestPause is the most of drain-delay and of stop-grace: service managers wait no longer.
const longestPause = 10 * time.Minute

// check refuses values that cannot be meant, each by itself.
func (s settings) check() error {
	if err := s.storage.check(); err != nil {
		return err
	}
	if _, err := names.Email(s.ReportMail); s.ReportMail != "" && err != nil {
		return fmt.Errorf("--report-mail %q is not an email address", s.ReportMail)
	}
	if _, err := s.securityContact(); err != nil {
		return err
	}
	if s.KeepVersions < 0 {
		return fmt.Errorf("--keep-versions %d is negative", s.KeepVersions)
	}
	if s.InlineMax > 1<<20 {
		return fmt.Errorf("--inline-max %s is more than 1MiB", s.InlineMax)
	}
	if s.MaxFileSize < sandlot.DefaultMaxContent {
		least := size(sandlot.DefaultMaxContent)
		return fmt.Errorf("--max-file-size %s is less than one request may bring: set %s or more", s.MaxFileSize, least)
	}
	if s.CacheSize != 0 && s.CacheSize < 1<<20 {
		return fmt.Errorf("--cache-size %s is less than 1MiB: set more, or leave it out", s.CacheSize)
	}
	if _, err := admission.ParseProxies(s.TrustedProxies); err != nil {
		return fmt.Errorf("--trusted-proxies: %w", err)
	}
	if err := s.checkPlaytest(); err != nil {
		return err
	}
	if _, err := s.brandSettings.brand(); err != nil {
		return err
	}
	if _, err := s.brands(); err != nil {
		return err
	}
	if err := s.openIDSettings.check(); err != nil {
		return err
	}
	if _, err := s.judgeSettings.hook(); err != nil {
		return err
	}
	if err := s.listedSettings.check(); err != nil {
		return err
	}
	for flag, d := range map[string]time.Duration{"--drain-delay": s.DrainDelay, "--stop-grace": s.StopGrace} {
		if d < 0 || d > longestPause {
			return fmt.Errorf("%s %s is not between 0s and %s: set a time such as 5s", flag, d, longestPause)
		}
	}
	return s.limitSettings.check()
}

// securityContact returns the URI for reports of vulnerabilities, or "" if none is set.
func (s settings) securityContact() (string, error) {
	if s.Security == "" {
		return "", nil
	}
	if u, err := url.Parse(s.Security); err == nil && u.Scheme == "https" && u.Host != "" {
		return u.String(), nil
	}
	address, err := names.Email(strings.TrimPrefix(s.Security, "mailto:"))
	if err != nil {
		return "", fmt.Errorf("--security-contact %q is neither an email address nor an https URL", s.Security)
	}
	return "mailto:" + address, nil
}

// places works out the addresses of a server that listens on addr.
func (s settings) places(addr string) (sandlot.Places, error) {
	base, err := s.base(addr)
	if err != nil {
		return sandlot.Places{}, err
	}
	p := sandlot.Places{Base: base, Content: strings.ToLower(s.ContentHost), Mailless: s.SMTPURL == ""}
	p.Logins = (s.SMTPURL != "" || s.OIDCIssuer != "") && (base.Scheme == "https" || private(base.Hostname()))
	_, notName := netip.ParseAddr(base.Hostname())
	switch {
	case p.Content == "none" || p.Content == "" && notName == nil:
		p.Content = ""
	case p.Content == "":
		p.Content = base.Host
	default:
		if err := checkHost(p.Content); err != nil {
			return p, err
		}
		p.Content = withoutDefaultPort(base.Scheme, p.Content)
	}
	p.PathForm = s.PathForm == "on" || s.PathForm == "auto" && (private(base.Hostname()) || p.Content == "")
	if p.Content == "" && !p.PathForm {
		return p, errors.New("--path-form off needs a --content-host, or projects have no URL")
	}
	return p, nil
}

// base returns the public address. It refuses addresses with parts that links cannot have.
func (s settings) base(addr string) (*url.URL, error) {
	if s.BaseURL == "" {
		_, port, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, fmt.Errorf("--listen %s has no port for links: set --base-url to the public URL, such as https://play.example.com", s.Listen)
		}
		return &url.URL{Scheme: s.scheme(), Host: withoutDefaultPort(s.scheme(), "localhost:"+port)}, nil
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("--base-url %q is not a URL such as https://play.example.com", s.BaseURL)
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("--base-url %q must have no path: the service needs the whole origin", s.BaseURL)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && (ip.IsUnspecified() || ip.IsMulticast()) {
		return nil, fmt.Errorf("--base-url %q is no address that a browser can open: set that of this service", s.BaseURL)
	} else if err != nil && !isHost(u.Host) {
		return nil, fmt.Errorf("--base-url %q has no valid host name, in ASCII, such as https://play.example.com", s.BaseURL)
	} else if !isPort(u.Host) {
		return nil, fmt.Errorf("--base-url %q has no port from 1 to 65535", s.BaseURL)
	}
	return &url.URL{Scheme: u.Scheme, Host: withoutDefaultPort(u.Scheme, strings.ToLower(u.Host))}, nil
}

// withoutDefaultPort is the host as browsers write it in Host and Origin.
func withoutDefaultPort(scheme, host string) string {
	return strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
}

func checkHost(host string) error {
	if _, err := netip.ParseAddr(strings.Trim(hostname(host), "[]")); err == nil {
		return fmt.Errorf("--content-host %q is an IP address, and projects need names under it: set a name, or none", host)
	}
	if !isHost(host) || !isPort(host) {
		return fmt.Errorf("--content-host %q is not a host name, in ASCII, such as example-content.net", host)
	}
	return nil
}

// hostName matches a name that a URL and a Host header have, without a dot at its end. An underscore is in names that
// containers have.
var hostName = regexp.MustCompile(`^\w([\w-]{0,61}\w)?(\.\w([\w-]{0,61}\w)?)*$`)

func isHost(hostport string) bool {
	name := hostname(hostport)
	return len(name) <= 253 && hostName.MatchString(name)
}

// isPort reports whether HOST[:PORT] has a port that can be asked, or none.
func isPort(hostport string) bool {
	_, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// quarantine reports whether unverified accounts are kept to themselves.
func (s settings) quarantine(base *url.URL) bool {
	return s.Quarantine == "on" || s.Quarantine == "auto" && !private(base.Hostname())
}

// private reports whether a host is only reached from this machine or network.
func private(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	for _, suffix := range []string{"localhost", "local", "internal", "lan", "home.arpa", "test"} {
		if host == suffix || strings.HasSuffix(host, "."+suffix) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}

// isolation describes the separation of published HTML from the login, and its weakness.
func isolation(p sandlot.Places) (mode, means string) {
	host, content := p.Base.Hostname(), hostname(p.Content)
	switch {
	case p.Content == "":
		return "C", "projects share the origin of the pages and are sandboxed: no storage, no service workers"
	case content == "localhost" || strings.HasSuffix(content, ".localhost"):
		return "local", "each project has its own origin under localhost"
	case registrable(host) != registrable(content):
		return "A", "each project has its own origin, on another site than the login"
	}
	return "B", "each project has its own origin, but on the login's site, so projects can set its cookies"
}

func hostname(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		return h
	}
	return hostport
}

// registrable returns the registered part of a name.
func registrable(host string) string {
	if name, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return name
	}
	return host
}
