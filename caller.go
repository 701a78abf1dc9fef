package sandlot

import (
	"encoding/hex"
	"errors"
	"time"
)

// Caller identifies the sender of a call. It is the argument after the context of every method of a Service, here and
// in the other rooms. An Authenticator makes it from the presented credential, and AsOperator makes it for the commands
// of the operator; nothing else can. It never changes, and may be copied and used concurrently.
//
// It describes the state when the call began. The step in the store checks again whether the key was revoked or the
// account suspended since; see NewProject.By and Edit.By.
//
// The zero Caller is nobody, from nowhere.
type Caller struct {
	From Sender

	kind callerKind
	key  Key      // of a key; of a session, an account key that was never minted
	me   *Account // of a session: the account as it was when the session was looked up
	sess Session  // of a session
	name string   // of the operator

	// secret is the key as presented, to seal data that only its owner may read again. It is a pointer because fmt
	// prints unexported fields without calling their methods.
	secret *Secret
	upload *Digest // the key of the upload whose upload_token a caller without an account presented
	ticket *Ticket // presented instead of the key that requested it
}

// callerKind says which kind of credential the caller presented.
type callerKind uint8

const (
	callerNobody callerKind = iota
	callerKey
	callerSession
	callerOperator
)

// Presented holds the credential of a request, as received and not yet checked. At most one of Key and
// Session is set; with none the caller is nobody.
type Presented struct {
	Key     Secret // a key, a ticket, an access token, an edit_token, or the upload_token of an unfinished upload
	Tool    bool   // whether a tool presents the Key: without that an edit_token is refused
	Session string // the token of a browser's session
}

// Sender is the origin of a call. It distinguishes callers without a key: their uploads, their idempotency keys and
// their share of messages.
type Sender struct {
	Network string // an IPv4 address or an IPv6 network of 64 bits; never stored in clear
	Shared  bool   // whether anybody at all may have this Network, so that it proves nothing
	Free    bool   // whether no limits apply to it
}

// A Credential is the result of an Authenticator's look-up: an account's session, a key or the key of a grant, a ticket
// with the key that requested it, or the upload of an upload_token.
type Credential struct {
	Secret  Secret // as presented; empty for a session, an upload_token and an access token
	Key     *Key
	Ticket  *Ticket
	Upload  *Digest // the key of the upload
	Session *Session
	Account *Account // of the Session
}

// Identified returns the caller who presented a credential. Only an Authenticator may call it: a test looks for other
// calls.
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

// AsOperator returns the caller for a command on the machine of the service; name is the person for the audit log, or
// empty. The caller may do everything that ActOperate covers, and nothing that needs an owner. No transport may call
// it: a test looks for such calls.
func AsOperator(name string) Caller { return Caller{kind: callerOperator, name: name} }

// Presented returns the key in clear, empty for nobody and for a grant. It is for sealing, and for answers to the caller who presented
// it.
func (c Caller) Presented() Secret {
	if c.secret == nil {
		return ""
	}
	return *c.secret
}

// Nobody reports whether the caller has proved nothing about themselves. A caller with only an upload_token is nobody,
// too: the token joins one upload and is no credential of an account.
func (c Caller) Nobody() bool { return c.kind == callerNobody }

// Scoped reports whether the caller's key covers one project only. It then changes and reads
// that project, and neither publishes others nor changes the account.
func (c Caller) Scoped() bool { return c.kind == callerKey && c.key.Kind != AccountKey }

// OnlyEdits reports whether the caller has an edit_token, or a ticket requested with one.
func (c Caller) OnlyEdits() bool { return c.kind == callerKey && c.key.Kind == EditToken }

// HasKey reports whether the caller has a key, or a ticket requested with a key.
func (c Caller) HasKey() bool { return c.kind == callerKey }

// InSession reports whether the caller has logged in.
func (c Caller) InSession() bool { return c.kind == callerSession }

// IsOperator reports whether the caller is the operator of the machine.
func (c Caller) IsOperator() bool { return c.kind == callerOperator }

// Upload returns the key of the upload whose upload_token the caller presented, or nil.
func (c Caller) Upload() *Digest { return c.upload }

// Bare reports whether the caller is known only by their network.
func (c Caller) Bare() bool { return c.Nobody() && c.upload == nil && c.ticket == nil }

// Suspend returns the caller as if its account had been suspended when it was looked up.
func (c Caller) Suspend() Caller {
	c.key.Suspended = true
	return c
}

// Ticket returns the ticket that the caller presented instead of a key, or nil. Such a caller acts for the key that
// requested the ticket, and may only make the call that it was issued for; see Authorize.
func (c Caller) Ticket() *Ticket {
	if c.ticket == nil {
		return nil
	}
	t := *c.ticket
	return &t
}

// Account returns the account of the caller's key or session, 0 for nobody and the operator.
func (c Caller) Account() AccountID { return c.key.Account }

// Key returns the caller's key, as it was when it was looked up. For a caller without a key its ID and Hash are zero.
func (c Caller) Key() Key { return c.key }

// Login returns the caller's session and its account as they were when the session was looked up; ok is false for a
// caller without a session. The account may be out of date by the time of a call: code that depends on it reads the
// account again.
func (c Caller) Login() (s Session, a Account, ok bool) {
	if c.me == nil {
		return Session{}, Account{}, false
	}
	return c.sess, *c.me, true
}

// OperatorName returns the name of the person who acts as the operator: the name given with a command, or the handle of
// the account. It is empty for nobody and for a key.
func (c Caller) OperatorName() string {
	if c.me != nil {
		return "@" + c.me.Handle
	}
	return c.name
}

// Session is a browser that has logged in to an account. It does not hold its token: only the token's hash is kept.
type Session struct {
	ID        int64
	Account   AccountID
	Agent     string // the browser's name for itself, cut to 200 bytes
	CreatedAt time.Time
	ProvedAt  time.Time // when its owner last proved that they read the account's address
	SeenAt    time.Time // accurate to about an hour
	ExpiresAt time.Time
}

// SessionLife is how long a session lives after its last use: a person who plays once a month stays logged in. A
// session that seems to live longer got its time from a wrong clock, and is cut to this.
const SessionLife = 30 * 24 * time.Hour

// Action is a kind of access that a caller needs. Each method of a Service names its own.
type Action int

// The actions that Authorize decides about.
const (
	ActPublish     Action = iota // make a project
	ActEdit                      // change a project
	ActSettle                    // change the words about a project, and whether it is listed
	ActReadFiles                 // read the files and version addresses of a project
	ActReadAccount               // list or export the projects that the caller covers
	// delete an account, delete a project for good or take it back, or end sessions: a suspended owner may, too
	ActDelete
	ActDeleteProject // delete a project so that it can be taken back: a suspended owner may, too, in a session
	ActOwn           // change the account: its keys, handle, language, address
	ActSeeOwn        // see data that only the owner of an account sees
	ActOperate       // do anything reserved for the operator
	ActLook          // see or do anything open to everybody
	ActImport        // make projects in an account from an export
	ActInvite        // make, list and end invitations: at the machine, or in a session of an account with OperatorRole
	ActModerate      // see the desk and decide: at the machine, or in a session of an account with ModeratorRole or OperatorRole
)

// The errors that Authorize returns for a kind of caller that the action does not allow. No transport lets such a call
// come this far.
var (
	// ErrLoginNeeded: only the owner of an account may do this, in a session.
	ErrLoginNeeded = errors.New("needs a login")
	// ErrOperatorNeeded: only the operator may do this.
	ErrOperatorNeeded = errors.New("needs the operator")
)

// Authorize decides whether by may do act, on p if the action is about a project; with a nil p it decides whether by
// may do the action at all. It is the only place that decides, for every room and transport, and queries no store: p
// and by are as they were read.
//
// A refusal is an *Error: CodeKeyRequired where a key is missing, CodeWrongProject for a key that does not cover p,
// CodeAccountKeyRequired for a project key that publishes or deletes
// and an edit_token that does more than edit and read, CodeAccountSuspended and CodeTakenDown for an
// account or project that the operator has suspended, CodeInvalidKey for a ticket that was issued for another call. A
// session gets ErrNotFound for another account's project, as if it did not exist. A kind of caller that the action does
// not allow gets ErrLoginNeeded or ErrOperatorNeeded.
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
	case ActInvite:
		if by.kind == callerOperator || by.kind == callerSession && by.me.Role == OperatorRole && !by.key.Suspended {
			return nil
		}
		return ErrOperatorNeeded
	case ActModerate:
		if by.kind == callerOperator || by.kind == callerSession && by.me.Role != NoRole && !by.key.Suspended {
			return nil
		}
		return ErrOperatorNeeded
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

// authorizeSession decides for a session: it may do everything in its own account, and other accounts' projects do not
// exist for it.
func authorizeSession(by Caller, act Action, p *Project) error {
	switch changes := act == ActPublish || act == ActImport || act == ActEdit || act == ActSettle || act == ActOwn; {
	case p != nil && p.Account != by.Account():
		return ErrNotFound
	case p != nil && p.Suspended && changes:
		return TakenDown(*p)
	case by.key.Suspended && changes:
		return AccountSuspended()
	}
	return nil
}

// authorizeKey decides for a caller with a key, or with no credential.
func authorizeKey(by Caller, act Action, p *Project) error {
	switch {
	case by.key.Suspended && (act == ActPublish || act == ActImport || act == ActEdit || act == ActSettle || act == ActDeleteProject):
		return AccountSuspended()
	case act == ActPublish && by.Scoped():
		return Refuse(CodeAccountKeyRequired, "A project key cannot publish a new project: it covers %s alone.", by.key.Project).
			With(OpSame).Note("Publish a new project with the account's api_key (sla_...). "+
			"The project of this key is changed with update, naming project_id %s.", by.key.Project)
	case act == ActImport && by.Scoped():
		return Refuse(CodeAccountKeyRequired, "A project key cannot import projects: it covers %s alone.", by.key.Project).
			With(OpSame).Note("Import with the account's api_key (sla_...).")
	case act == ActPublish && by.kind != callerOperator: // nobody, too: this makes them an account
		return nil
	case by.kind != callerKey:
		return Refuse(CodeKeyRequired, "This call needs a key.").With(OpPresentKey)
	case by.OnlyEdits() && (act == ActSettle || act == ActReadAccount):
		return Refuse(CodeAccountKeyRequired, "An edit_token changes and reads the files of %s, and does nothing else.", by.key.Project).
			With(OpPresentKey).Note("Settings, lists and exports need a key, which its owner makes under /account/keys.")
	case act == ActDeleteProject && by.Scoped():
		return Refuse(CodeAccountKeyRequired, "A project key cannot delete a project.").
			With(OpPresentKey).Note("Delete it with the account's api_key (sla_...). A file of the project is deleted with delete-file.")
	case p == nil:
		return nil
	case by.key.Account != p.Account || by.Scoped() && by.key.Project != p.ID:
		return Refuse(CodeWrongProject, "The key that was sent does not cover the project %s.", p.ID).With(OpWhoami).
			Note("This lists what the key covers:")
	case (act == ActEdit || act == ActSettle) && p.Suspended:
		return TakenDown(*p)
	}
	return nil
}

// UnknownKey returns the refusal of a key that is not in force. It does not reveal whether the key ever was.
func UnknownKey() error {
	return Refuse(CodeInvalidKey, "The key is unknown here or was revoked.").
		With(OpPresentKey).Note("Use the api_key that an earlier publish or signup on this instance returned.")
}

// AccountSuspended returns the refusal for the owner of a suspended account: CodeAccountSuspended. Reading and
// exporting stay allowed.
func AccountSuspended() error {
	return Refuse(CodeAccountSuspended, "The operator of this service has suspended the account of this key. Nothing was changed.").
		With(OpExport).Note("Ask the operator why. What the account has published can still be read and exported with its key.")
}

// TakenDown returns the refusal of a call about a suspended project.
func TakenDown(p Project) error {
	return Refuse(CodeTakenDown, "The operator of this service has taken the project %s down.", p.ID).
		Detail("reason", "operator").Detail(DetailProject, string(p.ID)).
		With(OpExport).Note("If it is yours, ask the operator why. Its files can still be exported with its key:")
}

// TicketLife is how long an unused ticket is valid: its caller has the bytes ready when it requests the ticket. A used
// ticket repeats its answer for IdempotencyLife.
const TicketLife = 10 * time.Minute

// A Ticket stands for one publish or update of the caller who requested it, except for the bytes. Its holder sends the
// bytes without a key, once. Package ticket issues them.
type Ticket struct {
	Hash      Digest    // of the ticket itself, which is not kept
	Project   ProjectID // to be updated; empty for a publish
	Key       int64     // the ID of the key that requested it; 0 for nobody
	Owner     Digest    // of the account or the network that requested it: the number of open tickets of each is limited
	Wider     [2]Digest // of the wider networks around it, for a caller without a key; zero for none
	Told      []byte    // the call's arguments other than its bytes, encrypted so that only the ticket opens them
	Used      bool
	ExpiresAt time.Time
}

// ID returns a name for the ticket where the ticket itself must not be shown, such as in an address.
func (t Ticket) ID() string { return hex.EncodeToString(t.Hash[:10]) }

// covers refuses, for a caller with a ticket, any call that it was not issued for. A nil Ticket, of a caller without
// one, refuses nothing.
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

// TicketElsewhere returns the refusal of a ticket for any call but the one that it was issued for.
func TicketElsewhere() *Error {
	return Refuse(CodeInvalidKey,
		"The key that was sent is a ticket: "+
			"it is good for sending the bytes it was asked for, and for nothing else.").
		With(OpPresentKey).Note("Send the bytes to the url that came with the ticket. " +
		"Another call needs an api_key (sla_...), or, for a first publish, none.")
}
