package main

import (
	"context"
	"fmt"
	"net"
	"net/mail"
	"path/filepath"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/transport/inbox"
)

// reportSettings are the ways of reports beside the website, and the rule by which reports hold a project.
type reportSettings struct {
	ReportMail  string `placeholder:"ADDRESS" help:"Email address that gets messages about reports. (default: no one)"`
	ReportInbox string `placeholder:"FOLDER" help:"Maildir from which reports by mail are read. (default: none)"`
	ReportSMTP  string `name:"report-smtp" placeholder:"HOST:PORT|unix:PATH" help:"Loopback address for reports by mail. (default: none)"`
	AutoHold    string `enum:"auto,on,off" default:"auto" help:"Hold a project back that three networks report as deceptive or malware."`
}

// mailListener returns the address for reports by SMTP; nil if there is none. Anybody who reached it could send mail
// without a mail server's checks, so it is on this machine alone.
func (s reportSettings) mailListener() (net.Addr, error) {
	if s.ReportSMTP == "" {
		return nil, nil
	}
	at, err := resolve("--report-smtp", s.ReportSMTP)
	if err == nil && !loopback(at) {
		err = fmt.Errorf("--report-smtp %s can be reached from other machines: set a loopback address such as 127.0.0.1:2525, "+
			"to which your mail server passes the mail on", s.ReportSMTP)
	}
	return at, err
}

// openInbox adds the workers that take reports by mail.
func (a *app) openInbox() error {
	s := a.settings
	box := &inbox.Inbox{Taker: a.mailed(), Places: a.places, Log: a.log}
	if s.ReportInbox != "" {
		folder, err := filepath.Abs(s.ReportInbox)
		if err != nil {
			return fmt.Errorf("--report-inbox: %w", err)
		}
		m := &inbox.Maildir{Folder: folder, Inbox: box, Failures: a.failuresOf("inbox")}
		if err := m.Prepare(); err != nil {
			return fmt.Errorf("--report-inbox: %w", err)
		}
		a.workers = append(a.workers, m.Run)
	}
	at, err := s.mailListener() // was checked at the start
	if at == nil || err != nil {
		return err
	}
	l, err := listenOn("--report-smtp", at)
	if err != nil {
		return err
	}
	a.inbox = l
	a.log.Info("reports by mail", "addr", l.Addr().String())
	a.workers = append(a.workers, func(ctx context.Context) {
		if err := box.Serve(ctx, l); err != nil {
			a.log.Error("reports by mail are not taken any more", "error", err)
		}
	})
	return nil
}

// mailed returns the service that records reports by mail. Its answers need a mail server.
func (a *app) mailed() *operate.Mailed {
	return &operate.Mailed{
		Store: a.store.Operate().Reporters(), Filing: a.operate,
		Answers: a.settings.SMTPURL != "", Own: bareAddress(a.settings.sender(a.places)),
	}
}

// bareAddress returns the address of a sender without its name.
func bareAddress(sender string) string {
	if at, err := mail.ParseAddress(sender); err == nil {
		return at.Address
	}
	return sender
}

// holds reports whether reports hold projects.
func (s settings) holds(p sandlot.Places) bool {
	return s.AutoHold == "on" || s.AutoHold == "auto" && public(p)
}
