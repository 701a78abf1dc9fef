package certificate

import (
	"encoding/base64"
	"errors"
	"net"
	"regexp"

	"github.com/libdns/rfc2136"
)

// keyFile matches the output of tsig-keygen.
var keyFile = regexp.MustCompile(`(?s)^\s*key\s+"?([\w.-]+)"?\s*\{\s*algorithm\s+"?([\w.-]+)"?\s*;\s*secret\s+"?([\w+/=]+)"?\s*;\s*\}\s*;?\s*$`)

// Updates returns the provider that sets records by DNS UPDATE (RFC 2136) at a server, HOST or HOST:PORT, signed with a
// TSIG key in the form of tsig-keygen and of nsupdate's key files. Its error does not quote the key.
func Updates(server, key string) (*rfc2136.Provider, error) {
	m := keyFile.FindStringSubmatch(key)
	if m == nil {
		return nil, errors.New(`is no key as tsig-keygen prints it: key "NAME" { algorithm hmac-sha256; secret "..."; };`)
	}
	if _, err := base64.StdEncoding.DecodeString(m[3]); err != nil {
		return nil, errors.New("has a secret that is not base64")
	}
	if _, _, err := net.SplitHostPort(server); err != nil {
		server = net.JoinHostPort(server, "53")
	}
	return &rfc2136.Provider{KeyName: m[1], KeyAlg: m[2], Key: m[3], Server: server}, nil
}
