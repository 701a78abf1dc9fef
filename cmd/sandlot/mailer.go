package main

import (
	"fmt"
	"net/netip"
	"path/filepath"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/mail"
)

// courier returns the sender of the service's messages.
func (a *app) courier(mailer account.Mailer) *account.Courier {
	return &account.Courier{
		Store: a.store.Mail(), Vault: a.vault,
		Mailer: mailer, Server: a.mails, Places: a.places, Log: a.log, Now: a.store.Now, Failures: a.failuresOf("mail"),
		Uncounted: !public(a.places), Outcomes: a.meters.mail, HoldsBack: func(p sandlot.Project) bool { return publish.TitleHeldBack(&a.service.Config, p) },
	}
}

// mailer returns a mailer that sends by SMTP or writes to a folder.
func (a *app) mailer() (account.Mailer, error) {
	from := a.settings.sender(a.places)
	if a.settings.SMTPURL == "" {
		return mail.NewFolder(filepath.Join(a.settings.Data, mailName), from, a.settings.SiteName)
	}
	m, err := mail.NewSMTP(mail.Config{URL: a.settings.SMTPURL, From: from, Site: a.settings.SiteName})
	if err != nil {
		return nil, fmt.Errorf("--smtp-url: %w", err)
	}
	return m, nil
}

// sender returns the sender of messages.
func (s settings) sender(p sandlot.Places) string {
	if s.MailFrom != "" {
		return s.MailFrom
	}
	host := p.Base.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		host = "localhost" // an address has another form in mail
	}
	return "sandlot@" + host
}
