package certificate

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// A Pair names the files of a certificate, in PEM and followed by its chain, and of its private key.
type Pair struct{ Certificate, Key string }

// Files are certificates in files, which another program renews. Its methods may be called concurrently, Run once.
type Files struct {
	pairs  []Pair
	hosts  sandlot.Hosts
	log    *slog.Logger
	now    func() time.Time
	read   [][]byte // the bytes of all files at the last look
	loaded atomic.Pointer[[]*tls.Certificate]
}

// lookEvery is the time between two looks at the files.
const lookEvery = time.Minute

// OpenFiles reads pairs of files. It fails with a sentence that names the file if a certificate does not fit its key or
// has ended, or if none is for the website or for the projects.
func OpenFiles(pairs []Pair, hosts sandlot.Hosts, log *slog.Logger, now func() time.Time) (*Files, error) {
	f := &Files{pairs: pairs, hosts: hosts, log: log, now: now}
	texts, err := f.readAll()
	if err != nil {
		return nil, err
	}
	f.read = texts
	return f, f.load(texts)
}

// Run reads the files again each minute until ctx ends. Pairs that cannot be used are warned of once, and those before
// stay in use.
func (f *Files) Run(ctx context.Context) {
	for worker.Wait(ctx, lookEvery) {
		f.Look()
	}
}

// Look reads the files, and uses them if they changed and are good.
func (f *Files) Look() {
	texts, err := f.readAll()
	if err == nil && slices.EqualFunc(texts, f.read, bytes.Equal) {
		return
	}
	same := err != nil && f.read == nil // it was warned of
	f.read = texts
	if err == nil {
		err = f.load(texts)
	}
	switch {
	case err == nil:
		f.log.Info("certificates were read again", "ends", f.Ends()[0].At)
	case !same:
		f.log.Warn("new certificates cannot be used, those read before stay in use", "error", err)
	}
}

// readAll returns the bytes of the pairs' files, in their order.
func (f *Files) readAll() (texts [][]byte, err error) {
	for _, p := range f.pairs {
		for _, path := range []string{p.Certificate, p.Key} {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// load puts the pairs in use, or returns their fault.
func (f *Files) load(texts [][]byte) error {
	all := make([]*tls.Certificate, len(f.pairs))
	for i, p := range f.pairs {
		c, err := tls.X509KeyPair(texts[2*i], texts[2*i+1])
		if err != nil {
			return fmt.Errorf("%s and %s are no certificate with its key: %s", p.Certificate, p.Key, strings.TrimPrefix(err.Error(), "tls: "))
		}
		if end := c.Leaf.NotAfter; !f.now().Before(end) {
			return fmt.Errorf("%s ended on %s: renew it", p.Certificate, end.Format(time.DateOnly))
		}
		all[i] = &c
	}
	for _, name := range Names(f.hosts) {
		if name == f.hosts.Content() && name != f.hosts.Base() {
			continue // nothing is published there
		}
		if !slices.ContainsFunc(all, func(c *tls.Certificate) bool { return covers(c.Leaf, name) }) {
			return fmt.Errorf("no certificate is for %s, they are for %s", name, strings.Join(namesOf(all), ", "))
		}
	}
	f.loaded.Store(&all)
	return nil
}

// namesOf returns the names that certificates are for.
func namesOf(all []*tls.Certificate) (names []string) {
	for _, c := range all {
		names = append(names, leafNames(c.Leaf)...)
	}
	return names
}

// leafNames returns the names of a certificate, DNS names first.
func leafNames(leaf *x509.Certificate) []string {
	names := slices.Clone(leaf.DNSNames)
	for _, ip := range leaf.IPAddresses {
		names = append(names, net.IP(ip).String())
	}
	return append(names, leaf.Subject.CommonName)[:max(len(names), 1)]
}

// Certificate returns the pair for a handshake, and nil for a name that is not the installation's. It is for
// tls.Config.GetCertificate.
func (f *Files) Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name, ours := certName(f.hosts, hello.ServerName)
	if !ours {
		return nil, nil
	}
	var fits *tls.Certificate
	for _, c := range *f.loaded.Load() {
		if !covers(c.Leaf, name) {
			continue
		}
		fits = cmp.Or(fits, c)
		if hello.SupportsCertificate(c) == nil {
			return c, nil // of an RSA and an ECDSA pair, the pair that the client supports
		}
	}
	return fits, nil
}

// Ends returns the end of each pair's certificate, under the first of its names.
func (f *Files) Ends() (ends []End) {
	for _, c := range *f.loaded.Load() {
		ends = append(ends, End{leafNames(c.Leaf)[0], c.Leaf.NotAfter})
	}
	return ends
}

// Pairs makes pairs of two lists of files, the first with the first.
func Pairs(certificates, keys []string) ([]Pair, error) {
	if len(certificates) == 0 {
		return nil, errors.New("there is no certificate")
	}
	if len(certificates) != len(keys) {
		return nil, fmt.Errorf("%d certificates and %d keys are no pairs", len(certificates), len(keys))
	}
	var pairs []Pair
	for i := range certificates {
		pairs = append(pairs, Pair{certificates[i], keys[i]})
	}
	return pairs, nil
}
