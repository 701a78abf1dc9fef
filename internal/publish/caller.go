package publish

// Caller is who asks. It is an argument of every Service method.
type Caller struct {
	Key  Key // zero for nobody
	From Sender

	// secret is the key as presented, to seal what only its owner may read again.
	// It is a pointer because fmt prints unexported fields without asking them.
	secret *Secret
	upload *Digest // the key of the upload whose upload_token was presented, by nobody
}

// Sender is where a call comes from. It tells callers without a key apart.
type Sender struct {
	Network string // an IPv4 address or an IPv6 network of 64 bits; never stored in clear
	Shared  bool   // whether anybody at all may have this Network, so that it proves nothing
	Free    bool   // whether it has no limits
}

// presented is the key in clear, empty for nobody.
func (c Caller) presented() Secret {
	if c.secret == nil {
		return ""
	}
	return *c.secret
}

// Nobody reports whether the caller sent no key.
func (c Caller) Nobody() bool { return c.Key.Account == 0 }

// Scoped reports whether the caller's key covers one project only.
func (c Caller) Scoped() bool { return c.Key.Kind == ProjectKey }

// Action is what a caller wants to do.
type Action int

// The actions that authorize decides about.
const (
	ActPublish     Action = iota // make a project
	ActEdit                      // update a project or delete a file of it
	ActReadFiles                 // read the files and version addresses of a project
	ActReadAccount               // list or export what the key covers
)

// authorize decides whether by may do act, on p where the action has a project.
// It is the only place that does.
func authorize(by Caller, act Action, p *Project) error {
	switch {
	case by.Key.Suspended && (act == ActPublish || act == ActEdit):
		return Refuse(CodeAccountSuspended, "The operator of this service has suspended the account of this key. Nothing was changed.").
			With(OpExport).Note("Ask the operator why. What the account has published can still be read and exported with its key.")
	case act == ActPublish && by.Scoped():
		return Refuse(CodeAccountKeyRequired, "A project key cannot publish a new project: it covers %s alone.", by.Key.Project).
			With(OpSame).Note("Publish a new project with the account's api_key (sla_...). The project of this key is changed with update, naming project_id %s.", by.Key.Project)
	case act == ActPublish:
		return nil
	case by.Nobody():
		return Refuse(CodeKeyRequired, "This call needs a key in the header Authorization: Bearer <api_key>.").With(OpHeader)
	case p == nil:
		return nil
	case by.Key.Account != p.Account || by.Scoped() && by.Key.Project != p.ID:
		return Refuse(CodeWrongProject, "The key that was sent does not cover the project %s.", p.ID).With(OpWhoami).Note("This lists what the key covers:")
	case act == ActEdit && p.Suspended:
		return takenDown(*p)
	}
	return nil
}

// takenDown refuses what is about a suspended project.
func takenDown(p Project) error {
	return Refuse(CodeTakenDown, "The operator of this service has taken the project %s down.", p.ID).
		With(OpExport).Note("If it is yours, ask the operator why. Its files can still be exported with its key:")
}
