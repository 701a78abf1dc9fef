package main

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"

	"sandlot"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/certificate"
	"sandlot/internal/transport/play/front"
)

// certificates are where the certificates of TLS come from.
type certificates interface {
	// Certificate returns the certificate for a handshake; nil refuses it.
	Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error)
	// Run keeps them current until ctx ends.
	Run(ctx context.Context)
	// Ends returns the end of each of a few certificates.
	Ends() []certificate.End
}

// An encryption ends TLS, and redirects plain HTTP to it.
type encryption struct {
	source certificates
	config *tls.Config
}

// encrypt opens the certificates with which a plan ends TLS. It returns nil if the plan does not.
func (p tlsPlan) encrypt(places sandlot.Places, open listeners, log *slog.Logger) (e *encryption, err error) {
	if !p.on() {
		return nil, nil
	}
	e = &encryption{}
	e.source, e.config, err = p.newSource(places.Hosts(), open, log)
	return e, err
}

// start sets the encryption of a router and its metrics, and redirects requests to a listener of plain HTTP, which may
// be nil. It returns the configuration of the front, and the server of redirects.
func (e *encryption) start(a *app, s *router, plain net.Listener, slots front.Slots) (front.Config, *http.Server) {
	c := front.Config{Handler: s, Slots: slots, Clock: s.clock}
	redirects := newServer(s.redirects(e), a.log)
	if e == nil {
		return c, redirects
	}
	c.TLS = e.config
	s.strict = s.places.Base.Port() == "" // browsers would ask other ports of the host by https, too
	s.metrics.certificates(e.source)
	a.workers = append(a.workers, e.source.Run)
	if plain != nil {
		a.log.Info("redirects", "addr", plain.Addr().String())
		go func() {
			if err := redirects.Serve(front.Pace(plain, slots, s.clock)); !errors.Is(err, http.ErrServerClosed) {
				a.log.Error("plain HTTP is not redirected any more", "error", err)
			}
		}()
	}
	return c, redirects
}

// redirects returns the handler of plain HTTP: it answers challenges of an authority, and redirects requests for the
// installation's hosts to the same address with https. It answers for no other host.
func (s *router) redirects(e *encryption) http.Handler {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, ours := s.encrypted(r.Host)
		if !ours || r.URL.IsAbs() {
			r = r.WithContext(api.WithRequestID(r.Context(), api.NewRequestID()))
			refuse(http.StatusMisdirectedRequest, "misdirected", "Nothing is served under this name.",
				"This service is at "+s.places.Base.String()+"/.").ServeHTTP(w, r)
			return
		}
		w.Header().Set("Location", to+r.URL.RequestURI())
		w.WriteHeader(http.StatusPermanentRedirect)
	})
	if e != nil {
		if auto, ok := e.source.(*certificate.Auto); ok {
			h = auto.Challenges(h)
		}
	}
	return h
}

// encrypted returns the origin with https of one of the installation's hosts.
func (s *router) encrypted(host string) (origin string, ours bool) {
	switch owner, label := s.hosts.Of(host); owner {
	case sandlot.Website:
		return s.places.Base.String(), true
	case sandlot.OwnOrigin:
		return s.places.Origin(url.PathEscape(label)), true
	case sandlot.ContentApex:
		return s.places.Base.Scheme + "://" + s.places.Content, true
	}
	return "", false
}

// certificates exports the ends of certificates.
func (m *metrics) certificates(of certificates) {
	m.export("sandlot_certificate_not_after_seconds", "When the certificate of a name ends, in seconds since 1970; 0: it was not issued yet.",
		[]string{"name"}, func(add sample) {
			seen := map[string]bool{}
			for _, end := range of.Ends() {
				if !seen[end.Name] { // of an RSA and an ECDSA pair; a name may come once
					add(timestamp(end.At), end.Name)
				}
				seen[end.Name] = true
			}
		})
}
