// Package certificate gives the certificates with which the service ends TLS itself: from files, or from a certificate
// authority by ACME.
//
// Both sources serve the installation's own names alone: the website's, the content host's and one wildcard for all
// projects. A handshake for another name is refused, and never makes anything happen outside of the process.
package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"time"

	"sandlot"
)

// ServerConfig returns the configuration of a TLS server that takes its certificates from get, which may return nil for
// a name that is not served. With challenges it also answers those of TLS-ALPN-01.
func ServerConfig(get func(*tls.ClientHelloInfo) (*tls.Certificate, error), challenges bool) *tls.Config {
	c := &tls.Config{
		MinVersion: tls.VersionTLS12, GetCertificate: get, NextProtos: []string{"h2", "http/1.1"},
		DynamicRecordSizingDisabled: true, // a small file is one record, and so one system call
	}
	if challenges {
		c.NextProtos = append(c.NextProtos, acmeProtocol)
	}
	return c
}

// acmeProtocol is the protocol of a TLS-ALPN-01 challenge (RFC 8737).
const acmeProtocol = "acme-tls/1"

// certName returns the name of the certificate that a handshake needs, and false for a name that is not the
// installation's. A client that sends no name, as one that dials an address does, gets the website's.
func certName(h sandlot.Hosts, serverName string) (string, bool) {
	if serverName == "" {
		return h.Base(), true
	}
	switch owner, label := h.Of(serverName); {
	case owner == sandlot.Website:
		return h.Base(), true
	case owner == sandlot.ContentApex:
		return h.Content(), true
	case owner == sandlot.OwnOrigin && label != "" && !strings.Contains(label, "."):
		return "*." + h.Content(), true
	}
	return "", false
}

// Names returns the names that certificates must cover: the website's, and the wildcard and the content host if projects
// have names of their own. The website's comes first, and no name twice.
func Names(h sandlot.Hosts) []string {
	names := []string{h.Base()}
	if h.Content() == "" {
		return names
	}
	if h.Content() != h.Base() {
		names = append(names, h.Content())
	}
	return append(names, "*."+h.Content())
}

// covers reports whether a certificate is valid for one of Names.
func covers(leaf *x509.Certificate, name string) bool {
	if rest, wild := strings.CutPrefix(name, "*."); wild {
		name = "project." + rest // VerifyHostname takes names of hosts
	}
	return leaf.VerifyHostname(name) == nil
}

// An End is the time at which the certificate of a name ends.
type End struct {
	Name string
	At   time.Time
}
