package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/format/names"
)

// settings is the configuration of a server. Places that depend on the port are
// filled in once it listens.
type settings struct {
	Listen string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on; port 0 picks a free port. (default: ${default})"`
	storage
	BaseURL        string `placeholder:"URL" help:"Public URL of the website and API. All links start with it. (default: http://localhost:PORT of --listen)"`
	InsecureLocal  bool   `help:"Start although --listen can be reached from other machines and base-url is local: everyone who reaches it then counts as local. (default: refuse to start)"`
	ContentHost    string `placeholder:"HOST[:PORT]" help:"Host that projects get subdomains of, or \"none\". On a public instance, use a separate domain. (default: the host of --base-url; none if that is an IP address)"`
	PathForm       string `enum:"auto,on,off" default:"auto" help:"Whether projects are also served, sandboxed, at {base-url}/~/{project_id}/: on, off, or auto (if base-url is local or there is no content host). (default: ${default})"`
	Quarantine     string `enum:"auto,on,off" default:"auto" help:"Quarantine projects of accounts with no verified email, so they can contact no other site: on, off, or auto (if base-url is public). (default: ${default})"`
	SMTPURL        string `name:"smtp-url" placeholder:"URL" secret:"" help:"Mail server, as smtp://user:password@host:587 or smtps://host:465. Without it, messages are saved as .eml files in the data folder. (default: none)"`
	MailFrom       string `placeholder:"ADDRESS" help:"Sender of messages. (default: sandlot@ the host of --base-url)"`
	ReportMail     string `placeholder:"ADDRESS" help:"Email address notified of reports; sandlot admin reports always lists them. (default: no one)"`
	Pages          string `placeholder:"FOLDER" help:"Folder with your own pages: about, terms, and privacy, as .md or .html, and about.de.md for one language. Read at start and linked at the foot of every page. (default: no such pages)"`
	Security       string `name:"security-contact" placeholder:"ADDRESS" help:"Where vulnerabilities of this instance are reported, as an email address or an https URL, told in /.well-known/security.txt. (default: only the form for reports)"`
	KeepVersions   int    `default:"0" placeholder:"N" help:"Versions to keep per project, counting the current one (0: all). Older ones are deleted after a day. (default: ${default})"`
	InlineMax      size   `default:"64KiB" placeholder:"SIZE" help:"Content up to this size is kept in the database; 0: none. (default: ${default})"`
	MaxFileSize    size   `default:"1GiB" placeholder:"SIZE" help:"Largest file that an upload in parts may make. (default: ${default})"`
	CacheSize      size   `placeholder:"SIZE" help:"Memory for published files that are being read. (default: an eighth of memory, 64MiB at most)"`
	BlobCache      size   `name:"blob-cache" default:"10GiB" placeholder:"SIZE" help:"Room in the data folder for files of --blob-url that were read last; 0: none. (default: ${default})"`
	TrustedProxies string `placeholder:"CIDR,..." help:"IPs or ranges of proxies whose X-Forwarded-For is trusted. (default: none)"`
	Playtest       bool   `help:"Open each new version once in a headless Chromium, without a network but the project's own files, and tell its owner what failed. (default: nothing is opened)"`
	PlaytestUser   string `placeholder:"NAME" help:"User of this machine that the play-tester's browser runs as; needed as root. (default: the user of the server)"`
	MetricsListen  string `placeholder:"HOST:PORT" help:"Serve /metrics, /healthz and /readyz here, and /metrics nowhere else. (default: /metrics is public)"`
	LogFormat      string `enum:"text,json" default:"text" help:"Format of the log: text or json. (default: ${default})"`
	AccessLog      string `enum:"all,errors,off" default:"all" help:"Requests that get a line in the log: all, errors (those answered with 4xx or 5xx), or off. (default: ${default})"`
	LogLevel       string `enum:"debug,info,warn,error" default:"info" help:"Lowest level that is logged: debug, info, warn, or error. (default: ${default})"`

	limitSettings
}

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
		return fmt.Errorf("--max-file-size %s is less than one request may bring: set %s or more", s.MaxFileSize, size(sandlot.DefaultMaxContent))
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
	return s.limitSettings.check()
}

// securityContact is where vulnerabilities are reported, as a URI, and empty if that is not told.
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
	p := sandlot.Places{Base: base, Content: strings.ToLower(s.ContentHost)}
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

// base is the public address, freed of what cannot be part of it.
func (s settings) base(addr string) (*url.URL, error) {
	if s.BaseURL == "" {
		_, port, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, fmt.Errorf("address %q: %w", addr, err)
		}
		return &url.URL{Scheme: "http", Host: "localhost:" + port}, nil
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("--base-url %q is not a URL such as https://play.example.com", s.BaseURL)
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("--base-url %q must have no path: the service needs the whole origin", s.BaseURL)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && (ip.IsUnspecified() || ip.IsMulticast()) {
		return nil, fmt.Errorf("--base-url %q is no address that a browser can open: set the name or IP under which people reach this service", s.BaseURL)
	} else if err != nil && !isHost(u.Host) {
		return nil, fmt.Errorf("--base-url %q has no valid host name, in ASCII and without a dot at the end, such as https://play.example.com", s.BaseURL)
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
		return fmt.Errorf("--content-host %q is not a host name, in ASCII and without a dot at the end, with a port if it is not the usual one, such as example-content.net", host)
	}
	return nil
}

// isHost reports whether the name in HOST[:PORT] is one that a URL and a Host header
// have, without a dot at its end.
func isHost(hostport string) bool {
	name := hostname(hostport)
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, hostLetters) != "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return len(name) <= 253
}

// hostLetters are those of a host name; an underscore is in no domain, but in names that
// containers have.
const hostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

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

// isolation says how published HTML is kept away from the login, and what that
// gives away.
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
	return "B", "each project has its own origin, but on the login's site, so projects can set its cookies; better use a separate domain as content host"
}

func hostname(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		return h
	}
	return hostport
}

// registrable is the part of a name that somebody registered.
func registrable(host string) string {
	if name, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return name
	}
	return host
}
