package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"time"
)

// certificateFiles returns the texts of a certificate for names, until an end, and of its key.
func certificateFiles(end time.Time, names ...string) (certificate, key string) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: names, NotBefore: end.Add(-time.Hour), NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, private.Public(), private)
	if err != nil {
		panic(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		panic(err)
	}
	block := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return block("CERTIFICATE", der), block("PRIVATE KEY", keyDER)
}

// wrongTLS are wrong configurations of --tls.
func wrongTLS() []configuration {
	names := []string{"play.example.com", "*.example-content.net"}
	good, key := certificateFiles(time.Now().Add(time.Hour), names...)
	old, oldKey := certificateFiles(time.Now().Add(-time.Hour), names...)
	other, otherKey := certificateFiles(time.Now().Add(time.Hour), "elsewhere.example")
	public := []string{"--base-url=https://play.example.com", "--content-host=example-content.net", "--listen=127.0.0.1:0", "--http-listen=none"}
	files := func(name, says, certificate, key string) configuration {
		return configuration{
			name: name, says: says, files: map[string]string{"c.pem": certificate, "k.pem": key},
			args: append([]string{"--tls=files", "--tls-cert=FOLDER/c.pem", "--tls-key=FOLDER/k.pem"}, public...),
		}
	}
	auto := func(says string, args ...string) configuration {
		all := append([]string{"--tls=auto", "--acme-email=kim@example.org", "--dns=https://dns.example.org/hook"}, public...)
		return configuration{name: says, says: says, args: append(all, args...)}
	}
	hook := auto("--dns is neither a command that can be run, nor an https URL, nor rfc2136://SERVER: FOLDER/hook is not executable: chmod +x it", "--dns=FOLDER/hook")
	hook.files = map[string]string{"hook": "#!/bin/sh\n"}
	roots := auto("--acme-ca-roots FOLDER/ca.pem: there is no certificate in it", "--acme-ca-roots=FOLDER/ca.pem")
	roots.files = map[string]string{"ca.pem": key}
	return []configuration{
		files("a certificate with another's key", "--tls-cert: FOLDER/c.pem and FOLDER/k.pem are no certificate with its key: private key does not match public key", good, otherKey),
		files("a certificate that has ended", "--tls-cert: FOLDER/c.pem ended on ", old, oldKey),
		files("a certificate for other names", "--tls-cert: no certificate is for play.example.com, they are for elsewhere.example", other, otherKey),
		files("files that hold something else", "are no certificate with its key", "hunter2", "hunter2"),
		{name: "no files", says: "--tls files: there is no certificate: set --tls-cert and --tls-key", args: append([]string{"--tls=files"}, public...)},
		{name: "a file that is not there", says: "--tls-cert: open FOLDER/none: no such file", args: append([]string{"--tls=files", "--tls-cert=FOLDER/none", "--tls-key=FOLDER/none"}, public...)},
		{name: "three files", says: "2 certificates and 1 keys are no pairs", args: append([]string{"--tls=files", "--tls-cert=FOLDER/a,FOLDER/b", "--tls-key=FOLDER/c"}, public...)},
		{name: "a file without tls", says: "--tls-cert has no effect while --tls is off", args: []string{"--tls-cert=FOLDER/c.pem"}},
		auto("--tls auto: with --database-url TLS is the balancer's: set --tls off, and end TLS there", "--database-url=postgres://me@db.example.com/sandlot"),
		auto("--base-url http://play.example.com is not encrypted, but --tls is auto: write https", "--base-url=http://play.example.com"),
		auto("--tls auto needs a --base-url with a name", "--base-url=https://192.0.2.1"),
		auto("--tls auto: Let's Encrypt has no certificates for local names", "--base-url=https://games.lan"),
		auto("--tls auto needs --acme-email, an email address for the authority", "--acme-email="),
		auto("--tls auto needs --dns for the wildcard *.example-content.net", "--dns="),
		auto(`--acme-directory "http://ca.lan" is not an https URL`, "--acme-directory=http://ca.lan"),
		auto("--dns is neither a command that can be run, nor an https URL, nor rfc2136://SERVER: stat FOLDER/none: no such file", "--dns=FOLDER/none"),
		auto("--dns must have no password: set user:password as --dns-key", "--dns=https://me:hunter2@dns.example.org"),
		auto("--dns-key is no key as tsig-keygen prints it", "--dns=rfc2136://ns1.example.org", "--dns-key=hunter2"),
		auto("--http-listen :8443 is taken by --listen, where TLS is", "--listen=127.0.0.1:8443", "--http-listen=:8443"),
		hook, roots,
	}
}
