package sandlot

import (
	"encoding/hex"
	"errors"
	"time"
)

// Caller is who asks. It is the argument after the context of every method of a Service, here
// and in the other rooms. An Authenticator makes it from what was presented, AsOperator for the
// commands of whoever runs the machine; nothing else can. It never changes, and may be copied
// and used concurrently.
//
// It is who asked when the call began. Whether its key was revoked or its account suspended
// since, the step in the store looks again; see NewProject.By and Edit.By.
//
// The zero Caller is nobody, from nowhere.
type Caller struct {
	From Sender

	kind callerKind
	key  Key      // of a key; of a session, an account key that was never minted
	me   *Account // of a session: the account as it was when the session was looked up
	sess Session  // of a session
	name string   // of the operator

	// secret is the key as presented, to seal what only its owner may read again.
	// It is a pointer because fmt prints unexported fields without asking them.
	secret *Secret
	upload *Digest // the key of the upload whose upload_token was presented, by nobody
	ticket *Ticket // that was presented in the place of the key that asked for it
}

// callerKind tells what was presented.
type callerKind uint8

const (
	callerNobody callerKind = iota
	callerKey
	callerSession
	callerOperator
)

// Presented is what a request brought to say who asks, as it came and not yet checked. At most
// one field is set; none is nobody.
type Presented struct {
	Key     Secret // a key, a ticket, or the upload_token of an unfinished upload
	Session string // the token of a browser's session
}

// Sender is where a call comes from. It tells callers without a key apart: their uploads, their
// idempotency keys and their share of messages.
type Sender struct {
	Network string // an IPv4 address or an IPv6 network of 64 bits; never stored in clear
	Shared  bool   // whether anybody at all may have this Network, so that it proves nothing
	Free    bool   // whether it has no limits
}

// A Credential is what an Authenticator has looked up of what was presented: an account's session, or a key, a ticket with the key
// that asked for it, or the upload of an upload_token.
type Credential struct {
	Secret  Secret // as presented; empty for a session and an upload_token
	Key     *Key
	Ticket  *Ticket
	Upload  *Digest // the key of the upload
	Session *Session
	Account *Account // of the Session
}

// Identified is the caller who presented a credential. Only an Authenticator makes one: a test looks for others.
func Identified(from Sender, c Credential) Caller {
	by := Caller{From: from, upload: c.Upload, ticket: c.Ticket}
	if c.Secret != "" {
		by.secret = &c.Secret
	}
	if c.Key != nil {
		by.kind, by.key = callerKey, *c.Key
	}
	if c.Session != nil {
		by.kind, by.sess, by.me = callerSession, *c.Session, c.Account
		by.key = Key{Account: c.Account.ID, Kind: AccountKey, Suspended: c.Account.Suspended}
	}
	return by
}

// AsOperator is the caller that a command on the machine of the service makes; name is who the
// audit log says it was, or empty. It may do all that ActOperate covers, and nothing that an
// owner does. No transport may make one: a test looks for it.
func AsOperator(name string) Caller { return Caller{kind: callerOperator, name: name} }

// Presented is the key in clear, empty for nobody. It is for sealing and for the answer to who presented it.
func (c Caller) Presented() Secret {
	if c.secret == nil {
		return ""
	}
	return *c.secret
}

// Nobody reports whether the caller has proved nothing about themselves. Whoever presented an
// upload_token is nobody, too: it joins one upload and is no credential of an account.
func (c Caller) Nobody() bool { return c.kind == callerNobody }

// Scoped reports whether the caller's key covers one project only. It then changes and reads
// that project, and neither publishes others nor changes the account.
func (c Caller) Scoped() bool { return c.kind == callerKey && c.key.Kind == ProjectKey }

// HasKey reports whether the caller has a key, or a ticket that a key asked for.
func (c Caller) HasKey() bool { return c.kind == callerKey }

// InSession reports whether the caller has logged in.
func (c Caller) InSession() bool { return c.kind == callerSession }

// IsOperator reports whether the caller is the operator of the machine.
func (c Caller) IsOperator() bool { return c.kind == callerOperator }

// Upload is the key of the upload whose upload_token the caller presented, or nil.
func (c Caller) Upload() *Digest { return c.upload }

// Bare reports whether nothing but the network says who the caller is.
func (c Caller) Bare() bool { return c.Nobody() && c.upload == nil && c.ticket == nil }

// Suspend returns the caller as if its account had been suspended when it was looked up.
func (c Caller) Suspend() Caller {
	c.key.Suspended = true
	return c
}

// Ticket is what the caller presented in the place of a key, or nil. Such a caller is who asked for
// the ticket, and may do what it was asked for alone; see Authorize.
func (c Caller) Ticket() *Ticket {
	if c.ticket == nil {
		return nil
	}
	t := *c.ticket
	return &t
}

// Account is the account that the caller's key or session is of, 0 for nobody and the operator.
func (c Caller) Account() AccountID { return c.key.Account }

// Key is the caller's key, as it was when it was looked up. For any other than a key's holder
// its ID and Hash are zero.
func (c Caller) Key() Key { return c.key }

// Login is the caller's session and its account as they were when the session was looked up; ok
// is false for who has no session. The account may be out of date by the time of a call: what
// depends on it reads the account again.
func (c Caller) Login() (s Session, a Account, ok bool) {
	if c.me == nil {
		return Session{}, Account{}, false
	}
	return c.sess, *c.me, true
}

// OperatorName is who the operator's command was given by, empty for any other caller.
func (c Caller) OperatorName() string { return c.name }

// Session is a browser that has logged in to an account. Its token is not in here: only the
// hash of that is kept.
type Session struct {
	ID        int64
	Account   AccountID
	Agent     string // what the browser said it is, cut to 200 bytes
	CreatedAt time.Time
	ProvedAt  time.Time // when its owner proved last that they read the account's address
	SeenAt    time.Time // to about an hour
	ExpiresAt time.Time
}

// SessionLife is how long a session lives after it was seen last: whoever plays once a month
// stays logged in. One that seems to live longer got its time from a wrong clock, and is cut to
// this.
const SessionLife = 30 * 24 * time.Hour

// Action is what a caller wants to do. Each method of a Service names the one that it is.
type Action int

// The actions that Authorize decides about.
const (
	ActPublish       Action = iota // make a project
	ActEdit                        // change a project
	ActReadFiles                   // read the files and version addresses of a project
	ActReadAccount                 // list or export what the caller covers
	ActDelete                      // delete an account, delete a project for good or take it back, or end sessions: a suspended owner may, too
	ActDeleteProject               // delete a project so that it can be taken back: a suspended owner may, too, in a session
	ActOwn                         // change the account: its keys, handle, language, address
	ActSeeOwn                      // see what only the owner of an account sees
	ActOperate                     // what only the operator may
	ActLook                        // see or do what everybody may
	ActImport                      // make projects in an account from an export
)

// What Authorize returns for a caller of another kind than the action needs. No
// transport lets such a call come this far.
var (
	// ErrLoginNeeded: only the owner of an account may do this, in a session.
	ErrLoginNeeded = errors.New("needs a login")
	// ErrOperatorNeeded: only the operator may do this.
	ErrOperatorNeeded = errors.New("needs the operator")
)

// Authorize decides whether by may do act, on p where the action has a project; a nil p asks
// whether by may do such a thing at all. It is the only place that decides, for every room and
// transport, and asks no store: p and by are as they were read.
//
// A refusal is an *Error: CodeKeyRequired where a key is missing, CodeWrongProject for a key
// that does not cover p, CodeAccountKeyRequired for a project key that publishes or deletes,
// CodeAccountSuspended and CodeTakenDown for what the operator has stopped, CodeInvalidKey for a
// ticket that was asked for something else. A session that asks
// about another account's project gets ErrNotFound, as if it were not there. A caller of
// another kind than the action needs gets ErrLoginNeeded or ErrOperatorNeeded.
func Authorize(by Caller, act Action, p *Project) error {
	if err := by.ticket.covers(act, p); err != nil {
		return err
	}
	switch act {
	case ActLook:
		return nil
	case ActOperate:
		if by.kind != callerOperator {
			return ErrOperatorNeeded
		}
		return nil
	case ActOwn, ActSeeOwn, ActDelete:
		if by.kind != callerSession {
			return ErrLoginNeeded
		}
	}
	if by.kind == callerSession {
		return authorizeSession(by, act, p)
	}
	return authorizeKey(by, act, p)
}

// authorizeSession decides for who has logged in to an account: all of the account is theirs, and
// what is another's is not there.
func authorizeSession(by Caller, act Action, p *Project) error {
	switch changes := act == ActPublish || act == ActImport || act == ActEdit || act == ActOwn; {
	case p != nil && p.Account != by.Account():
		return ErrNotFound
	case p != nil && p.Suspended && changes:
		return TakenDown(*p)
	case by.key.Suspended && changes:
		return AccountSuspended()
	}
	return nil
}

// authorizeKey decides for who presented a key, or nothing.
func authorizeKey(by Caller, act Action, p *Project) error {
	switch {
	case by.key.Suspended && (act == ActPublish || act == ActImport || act == ActEdit || act == ActDeleteProject):
		return AccountSuspended()
	case act == ActPublish && by.Scoped():
		return Refuse(CodeAccountKeyRequired, "A project key cannot publish a new project: it covers %s alone.", by.key.Project).
			With(OpSame).Note("Publish a new project with the account's api_key (sla_...). The project of this key is changed with update, naming project_id %s.", by.key.Project)
	case act == ActImport && by.Scoped():
		return Refuse(CodeAccountKeyRequired, "A project key cannot import projects: it covers %s alone.", by.key.Project).
			With(OpSame).Note("Import with the account's api_key (sla_...).")
	case act == ActPublish && by.kind != callerOperator: // nobody, too: this makes them an account
		return nil
	case by.kind != callerKey:
		return Refuse(CodeKeyRequired, "This call needs a key.").With(OpPresentKey)
	case act == ActDeleteProject && by.Scoped():
		return Refuse(CodeAccountKeyRequired, "A project key cannot delete a project.").
			With(OpPresentKey).Note("Delete it with the account's api_key (sla_...). A file of the project is deleted with delete-file.")
	case p == nil:
		return nil
	case by.key.Account != p.Account || by.Scoped() && by.key.Project != p.ID:
		return Refuse(CodeWrongProject, "The key that was sent does not cover the project %s.", p.ID).With(OpWhoami).Note("This lists what the key covers:")
	case act == ActEdit && p.Suspended:
		return TakenDown(*p)
	}
	return nil
}

// AccountSuspended is the refusal of what the owner of a suspended account may not do:
// CodeAccountSuspended. Reading and exporting they may.
func AccountSuspended() error {
	return Refuse(CodeAccountSuspended, "The operator of this service has suspended the account of this key. Nothing was changed.").
		With(OpExport).Note("Ask the operator why. What the account has published can still be read and exported with its key.")
}

// TakenDown refuses what is about a suspended project.
func TakenDown(p Project) error {
	return Refuse(CodeTakenDown, "The operator of this service has taken the project %s down.", p.ID).
		With(OpExport).Note("If it is yours, ask the operator why. Its files can still be exported with its key:")
}

// TicketLife is how long a ticket that was not used is good for: what is to be sent is there when
// it is asked for. One that was used is answered again for IdempotencyLife.
const TicketLife = 10 * time.Minute

// A Ticket stands for one publish or update of whoever asked for it, but for the bytes. Whoever has
// it sends these without a key, once. Package ticket issues them.
type Ticket struct {
	Hash      Digest    // of the ticket itself, which is not kept
	Project   ProjectID // that is updated; empty for a publish
	Key       int64     // the ID of the key that asked; 0 for nobody
	Owner     Digest    // of the account or the network that asked: who may have only so many
	Wider     [2]Digest // of the networks around that, without a key; zero for none
	Told      []byte    // what the call says besides its bytes, which the ticket alone opens
	Used      bool
	ExpiresAt time.Time
}

// ID names the ticket where it must not be shown itself, such as in an address.
func (t Ticket) ID() string { return hex.EncodeToString(t.Hash[:10]) }

// covers refuses, for who presented a ticket, what it was not asked for. A nil Ticket refuses
// nothing: it is a caller who presented none.
func (t *Ticket) covers(act Action, p *Project) error {
	switch {
	case t == nil || act == ActLook:
		return nil
	case t.Project == "" && act == ActPublish:
		return nil
	case t.Project != "" && act == ActEdit && (p == nil || p.ID == t.Project):
		return nil
	}
	return TicketElsewhere()
}

// TicketElsewhere is the refusal of a ticket for anything but the call that it was asked for.
func TicketElsewhere() *Error {
	return Refuse(CodeInvalidKey, "The key that was sent is a ticket: it is good for sending the bytes it was asked for, and for nothing else.").
		With(OpPresentKey).Note("Send the bytes to the url that came with the ticket. Another call needs an api_key (sla_...), or, for a first publish, none.")
}
